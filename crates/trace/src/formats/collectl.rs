//! What `collectl -P` prints or writes: a header with `#Date Time`, or `#UTC`, and then a row a sample. Columns are
//! of the node (`[CPU]User%`) or of one device (`[DSK:sda]RKBytes`), separated by a blank or by what `--sep` says.
//!
//! ```text
//! #Date Time [CPU]User% [CPU]Nice% [CPU]Sys% …
//! 20261130 21:17:55 19 38 42 …
//! ```
//!
//! Files begin with comments about the machine, and again each time the tool is started. What collectl calls KB is
//! KiB. Its sums over disks and interfaces leave out loopback and what would count twice.

use super::clock::{Stamp, Yearless};
use super::lines::{lines, number};
use super::{Input, Recognition, clock};
use crate::record::{FieldId, Recorder, Signal, Unit};
use crate::{ReadError, ReadErrorKind, ReadOptions, Trace, Warning, WarningKind};

/// The columns of the node.
const NODE: &[(&str, Signal, Unit)] = &[
    ("[CPU]User%", Signal::User, Unit::PERCENT_OF_NODE),
    ("[CPU]Nice%", Signal::Nice, Unit::PERCENT_OF_NODE),
    ("[CPU]Sys%", Signal::System, Unit::PERCENT_OF_NODE),
    ("[CPU]Wait%", Signal::Iowait, Unit::PERCENT_OF_NODE),
    ("[CPU]Irq%", Signal::Irq, Unit::PERCENT_OF_NODE),
    ("[CPU]Soft%", Signal::SoftIrq, Unit::PERCENT_OF_NODE),
    ("[CPU]Steal%", Signal::Steal, Unit::PERCENT_OF_NODE),
    ("[CPU]Idle%", Signal::Idle, Unit::PERCENT_OF_NODE),
    ("[CPU]Ctx/sec", Signal::ContextSwitches, Unit::PER_SECOND),
    ("[MEM]Tot", Signal::MemoryTotal, Unit::KIB),
    ("[MEM]Free", Signal::MemoryFree, Unit::KIB),
    ("[MEM]Buf", Signal::Buffers, Unit::KIB),
    ("[MEM]Cached", Signal::Cached, Unit::KIB),
    ("[NET]RxKBTot", Signal::NetworkReceive, Unit::KIB_PER_SECOND),
    ("[NET]TxKBTot", Signal::NetworkTransmit, Unit::KIB_PER_SECOND),
    ("[DSK]ReadKBTot", Signal::DiskRead, Unit::KIB_PER_SECOND),
    ("[DSK]WriteKBTot", Signal::DiskWrite, Unit::KIB_PER_SECOND),
];
/// The columns of devices: kind, name, what it is.
const DEVICES: &[(&str, &str, Signal, Unit)] = &[
    ("CPU", "User%", Signal::User, Unit::PERCENT_OF_CORE),
    ("CPU", "Nice%", Signal::Nice, Unit::PERCENT_OF_CORE),
    ("CPU", "Sys%", Signal::System, Unit::PERCENT_OF_CORE),
    ("CPU", "Wait%", Signal::Iowait, Unit::PERCENT_OF_CORE),
    ("CPU", "Irq%", Signal::Irq, Unit::PERCENT_OF_CORE),
    ("CPU", "Soft%", Signal::SoftIrq, Unit::PERCENT_OF_CORE),
    ("CPU", "Steal%", Signal::Steal, Unit::PERCENT_OF_CORE),
    ("CPU", "Idle%", Signal::Idle, Unit::PERCENT_OF_CORE),
    ("NET", "RxKB", Signal::NetworkReceive, Unit::KIB_PER_SECOND),
    ("NET", "TxKB", Signal::NetworkTransmit, Unit::KIB_PER_SECOND),
    ("DSK", "RKBytes", Signal::DiskRead, Unit::KIB_PER_SECOND),
    ("DSK", "WKBytes", Signal::DiskWrite, Unit::KIB_PER_SECOND),
];

pub(crate) fn recognise(head: &str) -> Recognition {
    // The comments about the machine come first in a file, and may be as long as the head.
    if head
        .lines()
        .any(|line| separator(line).is_some() || line.starts_with("# Collectl:") || is_for_people(line))
    {
        Recognition::Yes
    } else {
        Recognition::No("no header line #Date Time [CPU]User% …")
    }
}

/// Whether a line is one of the tables that collectl prints without `-P`: their columns aren't read.
fn is_for_people(line: &str) -> bool {
    (line.starts_with('#') && line.contains("<--") && line.contains("-->"))
        || (line.starts_with("### RECORD ") && line.contains(" >>> "))
}

/// What is between the columns of a header line.
fn separator(line: &str) -> Option<char> {
    let after = line.strip_prefix("#Date").or_else(|| line.strip_prefix("#UTC"))?;
    let separator = after.chars().next().filter(|c| !c.is_ascii_alphanumeric() && *c != '[')?;
    let rest = &after[separator.len_utf8()..];
    let rest = rest.strip_prefix("Time").map_or(Some(rest), |rest| rest.strip_prefix(separator))?;
    rest.starts_with('[').then_some(separator)
}

/// Where a column's values go.
struct Column {
    index: usize,
    field: FieldId,
    device: Option<String>,
}

#[derive(Default)]
struct Header {
    separator: char,
    /// The number of columns, and of those with the time.
    width: usize,
    times: usize,
    columns: Vec<Column>,
    /// All slabs and those that can't be had back: the rest is like page cache.
    slabs: Option<(usize, usize, FieldId)>,
}

struct Reader<'a> {
    file: &'a str,
    recorder: Recorder<'a>,
    text: &'a str,
    header: Header,
    /// Seconds between samples, as the comments say.
    interval: Option<f64>,
    /// The tool was started anew, and no sample was read since.
    restarted: bool,
    yearless: Yearless,
}

pub(crate) fn read(input: &Input, options: &ReadOptions) -> Result<Trace, ReadError> {
    let mut reader = Reader {
        file: input.file,
        recorder: Recorder::new(input.file, input.text, options),
        text: "",
        header: Header::default(),
        interval: None,
        restarted: false,
        yearless: Yearless::month_first(),
    };
    let mut left_out: Option<(u64, usize)> = None;
    let mut cells = Vec::new();
    let mut all = lines(input.text).filter(|(_, line)| !line.is_empty()).peekable();
    while let Some((line, text)) = all.next() {
        let is_last = all.peek().is_none();
        if text.starts_with('#') {
            reader.comment(line, text);
            continue;
        }
        // Words for the person at the terminal.
        if reader.header.width == 0 || !text.starts_with(|c: char| c.is_ascii_digit()) {
            continue;
        }
        match reader.row(line, text, &mut cells) {
            Ok(true) => {}
            Err(_) | Ok(false) if is_last => {
                let message = "The last line is cut off; it was left out.";
                reader.recorder.warnings.push(Warning::new(WarningKind::CutOff, message).at_line(line));
            }
            Ok(false) => left_out.get_or_insert((line, 0)).1 += 1,
            Err(error) => return Err(error),
        }
    }
    if reader.header.width == 0 {
        let problem = "no header line #Date Time [CPU]User% …";
        return Err(ReadError::new(ReadErrorKind::BadHeader, input.file, problem)
            .hinting("Record with collectl -P -scdmn; what -f has recorded, play back with collectl -P -scdmn -p FILE."));
    }
    if let Some((line, count)) = left_out {
        let them = if count == 1 { "1 line".to_owned() } else { format!("{count} lines") };
        let message = format!("Left out {them} with fewer cells than the header.");
        reader.recorder.warnings.push(Warning::new(WarningKind::RowsLeftOut, message).at_line(line));
    }
    reader.recorder.finish()
}

impl<'a> Reader<'a> {
    fn comment(&mut self, line: u64, text: &'a str) {
        if let Some(separator) = separator(text) {
            // A file repeats its header where the tool was started anew.
            if self.text != text {
                self.header = header(&mut self.recorder, separator, text);
                self.text = text;
            }
            return;
        }
        let after = |key: &str| {
            let rest = text.split_once(key)?.1.trim_start();
            number(rest.split_ascii_whitespace().next()?).filter(|value| *value > 0.0)
        };
        let date = text.strip_prefix("# Date:").map(str::trim_start).unwrap_or_default();
        if let Some(year) = date.get(..4).and_then(|year| year.parse().ok()) {
            self.yearless.start(year);
        }
        if text.starts_with("# Collectl:") && self.recorder.samples() > 0 {
            self.restarted = true;
            let message = "collectl was started anew in the middle of the file.";
            self.recorder.warnings.push(Warning::new(WarningKind::Restart, message).at_line(line));
        } else if text.starts_with("# SubSys:") {
            self.recorder.cores(after("NumCPUs:").unwrap_or(f64::NAN));
            // Of several, the first is that of the samples.
            let interval =
                text.split_once("Interval:").and_then(|(_, rest)| rest.trim_start().split([':', ' ']).next());
            self.interval = interval.and_then(number).filter(|seconds| *seconds > 0.0);
        } else if text.starts_with("# Kernel:") {
            let bytes = after("Memory:").map(|kib| kib * 1024.0);
            self.recorder.capacity.memory_bytes = bytes.or(self.recorder.capacity.memory_bytes);
        }
    }

    /// Reads a row. `false`: it has too few cells.
    fn row(&mut self, line: u64, text: &'a str, cells: &mut Vec<&'a str>) -> Result<bool, ReadError> {
        let header = &self.header;
        cells.clear();
        cells.extend(text.split(header.separator));
        if cells.len() < header.width {
            return Ok(false);
        }
        let time = match header.times {
            1 => cells[0].to_owned(),
            _ => format!("{} {}", cells[0], cells.get(1).copied().unwrap_or_default()),
        };
        // -od leaves the year out.
        let stamp = clock::stamp(&time).filter(|stamp| stamp.dated);
        let Some(stamp) = stamp.or_else(|| self.yearless.stamp(&time)) else {
            return Err(ReadError::new(
                ReadErrorKind::BadTime,
                self.file,
                "expected a time such as 20240501 13:05:09",
            )
            .at_line(line)
            .seeing(&time));
        };
        if std::mem::take(&mut self.restarted) {
            let before = Stamp { seconds: stamp.seconds - self.interval.unwrap_or(1.0), ..stamp };
            // What happened since the sample before isn't known: a sample without figures says so.
            self.recorder.sample(line, before, &time);
        }
        self.recorder.sample(line, stamp, &time);
        let figure = |index: usize| {
            let cell = cells.get(index).copied().unwrap_or_default().trim();
            number(cell).filter(|_| !cell.is_empty()).ok_or_else(|| {
                ReadError::new(ReadErrorKind::BadNumber, self.file, "expected a number")
                    .at_line(line)
                    .in_column(self.text.split(header.separator).nth(index).unwrap_or_default())
                    .seeing(cell)
            })
        };
        for column in &header.columns {
            let value = figure(column.index)?;
            match &column.device {
                Some(device) => self.recorder.put_of(column.field, device, value),
                None => self.recorder.put(column.field, value),
            }
        }
        if let Some((all, lost, field)) = header.slabs {
            self.recorder.put(field, (figure(all)? - figure(lost)?).max(0.0));
        }
        Ok(true)
    }
}

fn header(recorder: &mut Recorder, separator: char, text: &str) -> Header {
    let names: Vec<&str> = text.split(separator).collect();
    let position = |name: &str| names.iter().position(|column| *column == name);
    let mut found = Header {
        separator,
        width: names.len(),
        times: if names.first() == Some(&"#UTC") { 1 } else { 2 },
        ..Header::default()
    };
    for (name, signal, unit) in NODE {
        if let Some(index) = position(name) {
            found.columns.push(Column { index, field: recorder.field(*signal, name, *unit), device: None });
        }
    }
    if let (Some(all), Some(lost)) = (position("[MEM]Slab"), position("[MEM]SUnreclaim")) {
        let field = recorder.field(Signal::Reclaimable, "[MEM]Slab - [MEM]SUnreclaim", Unit::KIB);
        found.slabs = Some((all, lost, field));
    }
    // Shares of the node and of single cores say the same; those of the node come first.
    let has_cpu = position("[CPU]User%").is_some();
    let mut cpus = 0;
    for (index, name) in names.iter().enumerate() {
        let Some((device, name)) = name.strip_prefix('[').and_then(|name| name.split_once(']')) else {
            continue;
        };
        let Some((kind, device)) = device.split_once(':') else { continue };
        let Some((.., signal, unit)) = DEVICES.iter().find(|column| column.0 == kind && column.1 == name)
        else {
            continue;
        };
        if kind == "CPU" {
            cpus += usize::from(name == "User%");
            if has_cpu {
                continue;
            }
        }
        let field = recorder.field(*signal, &format!("[{kind}]{name}"), *unit);
        found.columns.push(Column { index, field, device: Some(device.to_owned()) });
    }
    if cpus > 0 {
        recorder.cores(cpus as f64);
    }
    found
}
