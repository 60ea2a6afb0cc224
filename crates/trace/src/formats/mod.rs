//! The formats that Cotrace reads, one file each.
//!
//! To add one: write a file with `recognise` and `read`, and a line in the table below. Most readers tell a
//! [`Recorder`](crate::record::Recorder) what they find and leave it the rest.

mod any_blanks;
mod any_cell;
mod any_layout;
mod axis;
mod banner;
pub(crate) mod clock;
mod decimal;
mod docker_rows;
mod lines;
mod local_times;
mod log;
mod sadf_lines;
mod sar_names;
mod sar_report;
mod series;
mod subjects;
mod sysstat_json;
mod table;
pub(crate) mod ticks;

use serde::{Deserialize, Serialize};

use crate::{ReadError, ReadOptions, Trace};

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
    /// Looks at the start of a file: its first 16 KiB, cut between characters.
    pub(crate) recognise: fn(&str) -> Recognition,
    /// Reads a file. Leaves `Trace::format` empty, and `Trace::name` where the file says none.
    pub(crate) read: fn(&Input, &ReadOptions) -> Result<Trace, ReadError>,
}

macro_rules! formats {
    ($($(#[$doc:meta])* $variant:ident = $module:ident, $name:literal, $title:literal;)*) => {
        $(pub(crate) mod $module;)*

        /// A format that Cotrace reads.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum Format {
            $($(#[$doc])* #[serde(rename = $name)] $variant,)*
        }

        impl Format {
            /// Every format, in the order in which [`read`](crate::read) tries them.
            pub const ALL: &'static [Format] = &[$(Format::$variant,)*];

            /// Its name as [`Trace::format`] has it, for example `sar-csv`.
            pub const fn name(self) -> &'static str {
                match self { $(Format::$variant => $name,)* }
            }

            /// What a person calls it.
            pub const fn title(self) -> &'static str {
                match self { $(Format::$variant => $title,)* }
            }
        }

        /// The readers, in the order of [`Format::ALL`].
        pub(crate) const READERS: &[Reader] = &[
            $(Reader { format: Format::$variant, recognise: $module::recognise, read: $module::read },)*
        ];
    };
}

formats! {
    /// The canonical trace as CSV, see [`canonical`](crate::canonical).
    CotraceCsv = canonical_csv, "cotrace-csv", "Cotrace CSV";
    /// The canonical trace as JSON, see [`canonical`](crate::canonical).
    CotraceJson = canonical_json, "cotrace-json", "Cotrace JSON";
    /// What `sar` prints, of one or several activities.
    SarText = sar_text, "sar-text", "sar report";
    /// What `sadf -d` writes: semicolons, one header for each activity.
    SadfCsv = sadf_csv, "sadf-csv", "sadf -d";
    /// What `sadf -j` writes.
    SadfJson = sadf_json, "sadf-json", "sadf -j";
    /// A CSV with sar's column names side by side: clock time, CPU, disk, memory and network in one row.
    SarCsv = sar_csv, "sar-csv", "CSV with sar's columns";
    /// The CSV that dstat, dool and pcp dstat write.
    Dstat = dstat, "dstat-csv", "dstat, dool or pcp dstat CSV";
    /// What `vmstat` prints.
    Vmstat = vmstat, "vmstat", "vmstat";
    /// What `iostat` prints, or writes as JSON.
    Iostat = iostat, "iostat", "iostat";
    /// What `mpstat` prints, or writes as JSON.
    Mpstat = mpstat, "mpstat", "mpstat";
    /// What `pidstat` prints.
    Pidstat = pidstat, "pidstat", "pidstat";
    /// What `docker stats` prints in a loop, as a table or as JSON lines.
    DockerStats = docker_stats, "docker-stats", "docker stats";
    /// What `kubectl top` prints in a loop.
    KubectlTop = kubectl_top, "kubectl-top", "kubectl top";
    /// The answer of Prometheus to `query_range`, or several of them.
    PrometheusJson = prometheus_json, "prometheus-json", "Prometheus JSON";
    /// Range vectors as Prometheus' console shows them.
    PrometheusText = prometheus_text, "prometheus-text", "Prometheus range vectors";
    /// The answer of CloudWatch to `get-metric-data`.
    CloudwatchJson = cloudwatch_json, "cloudwatch-json", "CloudWatch JSON";
    /// A CSV of one or several CloudWatch metrics.
    CloudwatchCsv = cloudwatch_csv, "cloudwatch-csv", "CloudWatch CSV";
    /// What `nmon -f` writes.
    Nmon = nmon, "nmon", "nmon";
    /// What `collectl -P` writes.
    Collectl = collectl, "collectl", "collectl -P";
    /// What `atop -P` writes.
    Atop = atop, "atop", "atop -P";
    /// The CSV that `pmrep` writes.
    Pmrep = pmrep, "pmrep-csv", "pmrep CSV";
    /// The CSV that Grafana exports.
    GrafanaCsv = grafana_csv, "grafana-csv", "Grafana CSV";
    /// Any other table with a header: its columns are guessed.
    Table = any_table, "table", "table with a header";
}

impl Format {
    /// The format called `name`.
    pub fn from_name(name: &str) -> Option<Format> {
        Format::ALL.iter().copied().find(|format| format.name() == name)
    }
}

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
