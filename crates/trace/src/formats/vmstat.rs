//! What `vmstat` prints: one line a sample, headers repeated, with `-t` a date and time at the end.
//!
//! The first line is an average since boot and only says when the run began. Memory and I/O are in KiB unless the
//! tool was told otherwise by `-S`, which the output doesn't show. `-w` only widens columns.

use super::lines::{lines, number};
use super::{Input, Recognition, clock};
use crate::record::{FieldId, Recorder, Signal, Unit};
use crate::{ReadError, ReadErrorKind, ReadOptions, Trace, Warning, WarningKind};

/// The columns that are used.
const NAMES: &[(&str, Signal, Unit)] = &[
    ("free", Signal::MemoryFree, Unit::KIB),
    ("buff", Signal::Buffers, Unit::KIB),
    ("cache", Signal::Cached, Unit::KIB),
    ("bi", Signal::DiskRead, Unit::KIB_PER_SECOND),
    ("bo", Signal::DiskWrite, Unit::KIB_PER_SECOND),
    ("cs", Signal::ContextSwitches, Unit::PER_SECOND),
    ("us", Signal::User, Unit::PERCENT_OF_NODE),
    ("sy", Signal::System, Unit::PERCENT_OF_NODE),
    ("id", Signal::Idle, Unit::PERCENT_OF_NODE),
    ("wa", Signal::Iowait, Unit::PERCENT_OF_NODE),
    ("st", Signal::Steal, Unit::PERCENT_OF_NODE),
    ("gu", Signal::Guest, Unit::PERCENT_OF_NODE),
];

pub(crate) fn recognise(head: &str) -> Recognition {
    if head.lines().any(|line| is_header(line)) {
        Recognition::Yes
    } else {
        Recognition::No("no header line r b swpd free …")
    }
}

fn is_header(line: &str) -> bool {
    let mut words = line.split_ascii_whitespace();
    words.next() == Some("r") && words.next() == Some("b") && words.next() == Some("swpd")
}

pub(crate) fn read(input: &Input, options: &ReadOptions) -> Result<Trace, ReadError> {
    let mut recorder = Recorder::new(input.file, input.text, options);
    let mut header: Vec<&str> = Vec::new();
    let mut fields: Vec<(usize, FieldId)> = Vec::new();
    let mut since_boot = true;
    for (number_of_line, line) in lines(input.text) {
        if is_header(line) {
            header = line.split_ascii_whitespace().collect();
            fields = columns(&header, &mut recorder);
            continue;
        }
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        if words.first().is_none_or(|word| word.starts_with("procs") || word.starts_with("--")) || header.is_empty() {
            continue;
        }
        let values = header.iter().position(|name| name.contains(['-', ':']) || is_zone(name)).unwrap_or(header.len());
        if words.len() < values {
            // Only the end of a file may be cut off in the middle of a line.
            let message = "A line has fewer figures than the header; it was left out.";
            recorder.warnings.push(Warning::new(WarningKind::RowsLeftOut, message).at_line(number_of_line));
            continue;
        }
        let time = words[values..].join(" ");
        let stamp = clock::stamp(&time);
        if since_boot {
            since_boot = false;
            if let Some(stamp) = stamp {
                recorder.start(stamp);
            }
            continue;
        }
        match stamp {
            Some(stamp) => {
                recorder.sample(number_of_line, stamp, &time);
            }
            None => recorder.step(number_of_line),
        }
        for &(index, field) in &fields {
            let value = number(words[index]).ok_or_else(|| {
                ReadError::new(ReadErrorKind::BadNumber, input.file, "expected a number")
                    .at_line(number_of_line)
                    .in_column(header[index])
                    .seeing(words[index])
            })?;
            recorder.put(field, value);
        }
    }
    recorder.finish()
}

/// The time's own header is the name of the time zone.
fn is_zone(name: &str) -> bool {
    name.len() >= 3 && name.bytes().all(|byte| byte.is_ascii_uppercase())
}

fn columns(header: &[&str], recorder: &mut Recorder) -> Vec<(usize, FieldId)> {
    NAMES
        .iter()
        .filter_map(|(name, signal, unit)| {
            let index = header.iter().position(|column| column == name)?;
            Some((index, recorder.field(*signal, name, *unit)))
        })
        .collect()
}
