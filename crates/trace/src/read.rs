//! Reading a file without being told what it is: its content says.

use crate::formats::{self, Input, Recognition};
use crate::text::{self, Decoded};
use crate::{Capacity, Format, Mapping, ReadError, ReadErrorKind, Trace, Warning, WarningKind};

/// How much of a file the formats look at to recognise it, in bytes.
const HEAD_BYTES: usize = 16 * 1024;

/// What a caller can say about a file that is to be read.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadOptions {
    /// What is known about the node. It fills in what the file doesn't say; what the file says stays.
    pub capacity: Capacity,
    /// The largest file that is read, in bytes, packed or unpacked. Default: 64 MiB.
    pub max_bytes: usize,
    /// Which container, pod, process or instance, where a file holds several.
    pub subject: Option<String>,
    /// Seconds from one sample to the next, where the file says no times.
    pub step_seconds: Option<f64>,
    /// What the columns of a table are, where no format says it.
    pub mapping: Option<Mapping>,
}

impl Default for ReadOptions {
    fn default() -> ReadOptions {
        ReadOptions {
            capacity: Capacity::default(),
            max_bytes: 64 << 20,
            subject: None,
            step_seconds: None,
            mapping: None,
        }
    }
}

impl ReadOptions {
    /// Options that say how many cores the node has.
    pub fn with_cores(cores: f64) -> ReadOptions {
        ReadOptions {
            capacity: Capacity { cores: Some(cores), ..Capacity::default() },
            ..ReadOptions::default()
        }
    }
}

/// Reads `bytes` as a trace. The content decides on the format, the name doesn't; gzip, zstd, a byte order mark, UTF-16
/// and Windows line ends are all taken care of. The trace is called as the file says, or else as the file, without
/// folders and endings.
///
/// # Errors
/// [`ReadError`] if it is empty, too large, no trace, or broken: with the place and what to do.
pub fn read(name: &str, bytes: &[u8], options: &ReadOptions) -> Result<Trace, ReadError> {
    let decoded = text::decode(name, bytes, options.max_bytes)?;
    let head = head(&decoded.text);
    let mut declined = Vec::new();
    for reader in formats::READERS {
        match (reader.recognise)(head) {
            Recognition::Yes => return read_decoded(name, decoded, reader, options),
            Recognition::No(reason) => declined.push((reader.format.title(), reason)),
        }
    }
    let first_line = head.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let kind = ReadErrorKind::NotATrace;
    let mut error =
        ReadError::new(kind, name, "not a trace in any format that Cotrace reads").seeing(first_line.trim());
    error.tried = declined.iter().map(|(title, reason)| format!("{title}: {reason}")).collect();
    let titles: Vec<&str> = declined.iter().map(|(title, _)| *title).collect();
    Err(error.hinting(format!("Formats tried: {}.", titles.join(", "))))
}

/// Reads `bytes` as `format`, whatever they look like. See [`read`].
///
/// # Errors
/// As [`read`]; what isn't in `format` is an error of its header.
pub fn read_as(format: Format, name: &str, bytes: &[u8], options: &ReadOptions) -> Result<Trace, ReadError> {
    let decoded = text::decode(name, bytes, options.max_bytes)?;
    read_decoded(name, decoded, formats::reader(format), options)
}

fn read_decoded(
    name: &str,
    decoded: Decoded<'_>,
    reader: &formats::Reader,
    options: &ReadOptions,
) -> Result<Trace, ReadError> {
    let mut trace = (reader.read)(&Input { file: name, text: &decoded.text }, options)?;
    reader.format.name().clone_into(&mut trace.format);
    if trace.name.is_empty() {
        trace.name = stem(name);
    }
    if let Some(cores) = options.capacity.cores {
        trace.state_cores(cores);
    }
    if let Some(step) = options.step_seconds {
        trace.state_step(step);
    }
    if trace.cores_assumed()
        && !trace.warnings.iter().any(|warning| warning.kind == WarningKind::CoresAssumed)
    {
        let message = "The file doesn't say how many cores the node has: the number in it is an assumption.";
        trace.warnings.push(Warning::new(WarningKind::CoresAssumed, message).hinting("Say how many it has."));
    }
    trace.capacity = trace.capacity.or(options.capacity);
    trace.warnings.splice(0..0, decoded.notes);
    Ok(trace)
}

/// The start of `text`, cut between characters.
fn head(text: &str) -> &str {
    &text[..text.floor_char_boundary(HEAD_BYTES)]
}

/// A file's name without folders and without the endings of text files and compression.
pub(crate) fn stem(name: &str) -> String {
    let mut stem = name.rsplit(['/', '\\']).next().unwrap_or_default().trim();
    for endings in [&["gz", "zst"][..], &["csv", "tsv", "json", "txt", "log", "out", "sar", "nmon"]] {
        if let Some((rest, ending)) = stem.rsplit_once('.')
            && endings.iter().any(|known| ending.eq_ignore_ascii_case(known))
        {
            stem = rest;
        }
    }
    if stem.is_empty() { "trace".to_owned() } else { stem.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_is_called_as_its_file() {
        let cases = [
            ("sort.csv", "sort"),
            ("runs/2024/sort.v2.CSV.gz", "sort.v2"),
            (r"C:\runs\sort.json", "sort"),
            ("sort", "sort"),
            ("sort.5s", "sort.5s"),
            (".csv", "trace"),
            ("", "trace"),
        ];
        for (name, wanted) in cases {
            assert_eq!(stem(name), wanted, "{name}");
        }
    }
}
