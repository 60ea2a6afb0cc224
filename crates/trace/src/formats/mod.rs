//! The formats that Cotrace reads, one file each.
//!
//! To add one: write a file with `recognise` and `read`, add a variant to [`Format`] and a line to [`READERS`].

mod axis;
pub(crate) mod canonical_csv;
pub(crate) mod canonical_json;
mod clock;
mod sar_csv;
mod table;
mod ticks;

use serde::{Deserialize, Serialize};

use crate::{ReadError, ReadOptions, Trace};

/// A format that Cotrace reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// The canonical trace as CSV, see [`canonical`](crate::canonical).
    CotraceCsv,
    /// The canonical trace as JSON, see [`canonical`](crate::canonical).
    CotraceJson,
    /// A CSV with sar's column names side by side: clock time, CPU, disk, memory and network in one row.
    SarCsv,
}

impl Format {
    /// Every format, in the order in which [`read`](crate::read) tries them.
    pub const ALL: &'static [Format] = &[Format::CotraceCsv, Format::CotraceJson, Format::SarCsv];

    /// Its name as [`Trace::format`] has it, for example `sar-csv`.
    pub const fn name(self) -> &'static str {
        match self {
            Format::CotraceCsv => "cotrace-csv",
            Format::CotraceJson => "cotrace-json",
            Format::SarCsv => "sar-csv",
        }
    }

    /// What a person calls it.
    pub const fn title(self) -> &'static str {
        match self {
            Format::CotraceCsv => "Cotrace CSV",
            Format::CotraceJson => "Cotrace JSON",
            Format::SarCsv => "CSV with sar's columns",
        }
    }

    /// The format called `name`.
    pub fn from_name(name: &str) -> Option<Format> {
        Format::ALL.iter().copied().find(|format| format.name() == name)
    }
}

/// A file as text, to be read.
pub(crate) struct Input<'a> {
    /// Its name, for errors.
    pub(crate) file: &'a str,
    /// Its text, without a byte order mark. Lines may end in CR LF.
    pub(crate) text: &'a str,
}

/// Whether a file is in a format.
pub(crate) enum Recognition {
    /// It is.
    Yes,
    /// It isn't, and how one can tell.
    No(&'static str),
}

/// A format's reader.
pub(crate) struct Reader {
    /// Which format.
    pub(crate) format: Format,
    /// Looks at the start of a file.
    pub(crate) recognise: fn(&str) -> Recognition,
    /// Reads a file. Leaves `Trace::format` empty, and `Trace::name` where the file says none.
    pub(crate) read: fn(&Input, &ReadOptions) -> Result<Trace, ReadError>,
}

/// The readers, in the order of [`Format::ALL`].
pub(crate) const READERS: &[Reader] = &[
    Reader { format: Format::CotraceCsv, recognise: canonical_csv::recognise, read: canonical_csv::read },
    Reader { format: Format::CotraceJson, recognise: canonical_json::recognise, read: canonical_json::read },
    Reader { format: Format::SarCsv, recognise: sar_csv::recognise, read: sar_csv::read },
];

/// The reader of `format`.
pub(crate) fn reader(format: Format) -> &'static Reader {
    // READERS has one entry for each format, as a test checks.
    READERS.iter().find(|reader| reader.format == format).unwrap_or(&READERS[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_format_has_a_reader_and_a_name() {
        assert_eq!(READERS.iter().map(|reader| reader.format).collect::<Vec<_>>(), Format::ALL);
        for &format in Format::ALL {
            assert_eq!(reader(format).format, format);
            assert_eq!(Format::from_name(format.name()), Some(format));
            assert_eq!(serde_json::to_value(format).unwrap(), format.name());
        }
    }
}
