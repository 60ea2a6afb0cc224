//! What `nmon -f` writes: lines of comma separated values, each with the name of its section first. A section's
//! header says what its columns are, `ZZZZ` when a snapshot was taken, and the other lines belong to a snapshot
//! by its number:
//!
//! ```text
//! AAA,cpus,2
//! CPU_ALL,CPU Total node,User%,Sys%,Wait%,Idle%,Steal%,Busy,CPUs
//! ZZZZ,T0002,21:17:53,30-NOV-2026
//! CPU_ALL,T0002,65.2,34.8,0.0,0.0,0.0,,2
//! ```
//!
//! The first snapshot is taken at once and speaks of however long the start took; it only says when the run began.
//! People sort these files, which puts every section together and the times last: then each section is a pass over
//! time. What nmon calls MB and KB are MiB and KiB; -1 stands for what the system doesn't count.

use std::collections::HashMap;

use super::clock::{self, Stamp};
use super::lines::{lines, number};
use super::{Input, Recognition};
use crate::record::{FieldId, Recorder, Signal, Unit};
use crate::{ReadError, ReadErrorKind, ReadOptions, Trace, Warning, WarningKind};

/// The columns of the node that are used: section, name, what it is.
const NODE: &[(&str, &str, Signal, Unit)] = &[
    ("CPU_ALL", "User%", Signal::User, Unit::PERCENT_OF_NODE),
    ("CPU_ALL", "Sys%", Signal::System, Unit::PERCENT_OF_NODE),
    ("CPU_ALL", "Wait%", Signal::Iowait, Unit::PERCENT_OF_NODE),
    ("CPU_ALL", "Idle%", Signal::Idle, Unit::PERCENT_OF_NODE),
    ("CPU_ALL", "Steal%", Signal::Steal, Unit::PERCENT_OF_NODE),
    ("MEM", "memtotal", Signal::MemoryTotal, Unit::MIB),
    ("MEM", "memfree", Signal::MemoryFree, Unit::MIB),
    ("MEM", "cached", Signal::Cached, Unit::MIB),
    ("MEM", "buffers", Signal::Buffers, Unit::MIB),
    // AIX.
    ("MEM", "Real total(MB)", Signal::MemoryTotal, Unit::MIB),
    ("MEM", "Real free(MB)", Signal::MemoryFree, Unit::MIB),
    ("PROC", "pswitch", Signal::ContextSwitches, Unit::PER_SECOND),
];
/// AIX: the shares of memory that aren't page cache and not free.
const IN_USE: (&str, [&str; 2]) = ("MEMNEW", ["Process%", "System%"]);

pub(crate) fn recognise(head: &str) -> Recognition {
    let is_ours = |line: &str| {
        line.starts_with("AAA,progname,")
            || line
                .strip_prefix("ZZZZ,")
                .is_some_and(|rest| snapshot(rest.split(',').next().unwrap_or_default()).is_some())
    };
    if head.lines().any(is_ours) {
        Recognition::Yes
    } else {
        Recognition::No("no line AAA,progname,… or ZZZZ,T0001,…")
    }
}

/// The number of a snapshot: 12 for `T0012`.
fn snapshot(cell: &str) -> Option<u32> {
    let digits = cell.trim().strip_prefix('T')?;
    (digits.len() >= 4 && digits.bytes().all(|byte| byte.is_ascii_digit()))
        .then(|| digits.parse().ok())
        .flatten()
}

/// The section of devices that a line belongs to: `DISKREAD2` goes on where `DISKREAD` and `DISKREAD1` were full.
fn device_section(section: &str) -> Option<&'static str> {
    ["DISKREAD", "DISKWRITE", "NET"].into_iter().find(|name| {
        section.strip_prefix(name).is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()))
    })
}

/// Where a column's values go.
struct Column {
    index: usize,
    name: String,
    field: FieldId,
    device: Option<String>,
}

/// The columns of a section that are used, and that with the number of cores.
#[derive(Default)]
struct Section {
    columns: Vec<Column>,
    cpus: Option<usize>,
    /// Shares of memory to be added up.
    in_use: Option<([usize; 2], FieldId)>,
}

struct Reader<'a> {
    file: &'a str,
    recorder: Recorder<'a>,
    sections: HashMap<&'a str, Section>,
    /// When snapshots were taken, where the file says it after their figures.
    times: HashMap<u32, Stamp>,
    /// The snapshot that the last `ZZZZ` line opened.
    current: Option<(u32, Stamp)>,
    /// The snapshot of the last line.
    last: Option<u32>,
    left_out: Option<u64>,
    /// The number of cores as the head says it. AIX says there how many there could be.
    cpus: f64,
    has_cores: bool,
}

pub(crate) fn read(input: &Input, options: &ReadOptions) -> Result<Trace, ReadError> {
    let mut reader = Reader {
        file: input.file,
        recorder: Recorder::new(input.file, input.text, options),
        sections: HashMap::new(),
        times: HashMap::new(),
        current: None,
        last: None,
        left_out: None,
        cpus: f64::NAN,
        has_cores: false,
    };
    if is_sorted(input.text) {
        reader.times = times(input)?;
    }
    let mut all = lines(input.text).filter(|(_, line)| !line.is_empty()).peekable();
    while let Some((line, text)) = all.next() {
        let is_last = all.peek().is_none();
        match reader.line(line, text) {
            Err(error) if is_last && error.kind != ReadErrorKind::BadHeader => {
                let message = "The last line is cut off; it was left out.";
                reader.recorder.warnings.push(Warning::new(WarningKind::CutOff, message).at_line(line));
            }
            result => result?,
        }
    }
    if reader.sections.is_empty() {
        let problem = "no header of a section, such as CPU_ALL,CPU Total node,User%,Sys%,Wait%,Idle%";
        return Err(ReadError::new(ReadErrorKind::BadHeader, input.file, problem)
            .hinting("Leave the lines at the start of the file in it."));
    }
    if !reader.has_cores {
        reader.recorder.cores(reader.cpus);
    }
    if let Some(line) = reader.left_out {
        let message = "Lines of snapshots whose time isn't in the file were left out.";
        reader.recorder.warnings.push(Warning::new(WarningKind::RowsLeftOut, message).at_line(line));
    }
    reader.recorder.finish()
}

/// Whether figures come before the times.
fn is_sorted(text: &str) -> bool {
    let is_figure = |line: &str| {
        let mut cells = line.split(',');
        let section = cells.next().unwrap_or_default();
        let second = cells.next().unwrap_or_default();
        (is_used(section) && snapshot(second).is_some(), section == "ZZZZ")
    };
    text.lines().map(is_figure).find(|(figure, time)| *figure || *time).is_some_and(|(figure, _)| figure)
}

fn is_used(section: &str) -> bool {
    device_section(section).is_some() || section == IN_USE.0 || NODE.iter().any(|(name, ..)| *name == section)
}

fn times(input: &Input) -> Result<HashMap<u32, Stamp>, ReadError> {
    let mut times = HashMap::new();
    for (line, text) in lines(input.text).filter(|(_, text)| text.starts_with("ZZZZ,")) {
        match time(input.file, line, text) {
            Ok((id, stamp)) => {
                times.insert(id, stamp);
            }
            // The last one may be cut off.
            Err(_) if input.text.trim_end().ends_with(text) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(times)
}

/// `ZZZZ,T0001,21:17:52,30-NOV-2026`.
fn time(file: &str, line: u64, text: &str) -> Result<(u32, Stamp), ReadError> {
    let cells: Vec<&str> = text.split(',').map(str::trim).collect();
    let stamp = match cells[..] {
        [_, id, clock, date, ..] => snapshot(id).zip(dated(clock, date)),
        [_, id, clock] => snapshot(id).zip(clock::stamp(clock).filter(|stamp| !stamp.dated)),
        _ => None,
    };
    stamp.ok_or_else(|| {
        ReadError::new(
            ReadErrorKind::BadTime,
            file,
            "expected a snapshot's time such as ZZZZ,T0001,21:17:52,30-NOV-2026",
        )
        .at_line(line)
        .seeing(text)
    })
}

fn dated(clock: &str, date: &str) -> Option<Stamp> {
    let stamp = clock::stamp(clock).filter(|stamp| !stamp.dated)?;
    Stamp::unix(clock::date(date)? * clock::DAY_SECONDS + stamp.seconds)
}

impl<'a> Reader<'a> {
    fn line(&mut self, line: u64, text: &'a str) -> Result<(), ReadError> {
        let (section, rest) = text.split_once(',').unwrap_or((text, ""));
        match section {
            "AAA" => {
                if let Some(cpus) = rest.strip_prefix("cpus,") {
                    let cpus = cpus.split(',').next().unwrap_or_default();
                    self.cpus = number(cpus.trim()).unwrap_or(f64::NAN);
                }
                return Ok(());
            }
            "ZZZZ" => return self.open(line, text),
            _ if !is_used(section) => return Ok(()),
            _ => {}
        }
        if let Some(id) = snapshot(rest.split(',').next().unwrap_or_default()) {
            return self.figures(line, section, id, text);
        }
        let header = header(&mut self.recorder, section, text);
        self.sections.insert(section, header);
        Ok(())
    }

    /// A snapshot begins.
    fn open(&mut self, line: u64, text: &str) -> Result<(), ReadError> {
        let (id, stamp) = time(self.file, line, text)?;
        if !self.times.is_empty() {
            return Ok(());
        }
        self.current = Some((id, stamp));
        self.last = Some(id);
        if id == 1 {
            if self.recorder.samples() > 0 {
                // What happened since the snapshot before isn't known: a sample without figures says so.
                self.recorder.sample(line, stamp, text);
                let message = "nmon was started anew in the middle of the file.";
                self.recorder.warnings.push(Warning::new(WarningKind::Restart, message).at_line(line));
            }
            self.recorder.start(stamp);
        }
        Ok(())
    }

    fn figures(&mut self, line: u64, name: &'a str, id: u32, text: &str) -> Result<(), ReadError> {
        let is_used = |section: &&Section| !section.columns.is_empty() || section.in_use.is_some();
        let Some(section) = self.sections.get(name).filter(is_used) else {
            return Ok(());
        };
        let stamp = match self.current.filter(|(current, _)| *current == id) {
            Some((_, stamp)) => Some(stamp),
            None => self.times.get(&id).copied(),
        };
        let Some(stamp) = stamp else {
            self.left_out.get_or_insert(line);
            return Ok(());
        };
        if self.last.is_some_and(|last| id < last) {
            self.recorder.pass();
        }
        self.last = Some(id);
        if id == 1 {
            self.recorder.start(stamp);
            return Ok(());
        }
        let cells: Vec<&str> = text.split(',').map(str::trim).collect();
        let bad = |name: &str, cell: &str| {
            ReadError::new(ReadErrorKind::BadNumber, self.file, "expected a number")
                .at_line(line)
                .in_column(name)
                .seeing(cell)
        };
        if let Some(cpus) = section.cpus.and_then(|index| number(cells.get(index)?)) {
            self.recorder.cores(cpus);
            self.has_cores |= cpus > 0.0;
        }
        self.recorder.sample(line, stamp, text);
        if let Some((shares, field)) = &section.in_use {
            let share = |index: &usize| cells.get(*index).and_then(|cell| number(cell)).unwrap_or(f64::NAN);
            self.recorder.put(*field, shares.iter().map(share).sum());
        }
        for column in &section.columns {
            // A line may be shorter than its header: devices that came later, fields of other systems.
            let Some(cell) = cells.get(column.index) else { continue };
            let value = match *cell {
                "" => f64::NAN,
                cell => number(cell).ok_or_else(|| bad(&column.name, cell))?,
            };
            let value = if value < 0.0 { f64::NAN } else { value };
            match &column.device {
                Some(device) => self.recorder.put_of(column.field, device, value),
                None => self.recorder.put(column.field, value),
            }
        }
        Ok(())
    }
}

fn header(recorder: &mut Recorder, section: &str, text: &str) -> Section {
    let mut found = Section::default();
    if section == IN_USE.0 {
        let place = |wanted| text.split(',').position(|name| name.trim() == wanted);
        if let [Some(first), Some(second)] = IN_USE.1.map(place) {
            let source = format!("{section} {} + {}", IN_USE.1[0], IN_USE.1[1]);
            let field = recorder.field(Signal::MemoryShareWithoutCache, &source, Unit::PERCENT);
            found.in_use = Some(([first, second], field));
        }
        return found;
    }
    for (index, name) in text.split(',').map(str::trim).enumerate().skip(2) {
        if name.is_empty() {
            continue;
        }
        let mut add = |signal, source: &str, unit, device: Option<&str>| {
            found.columns.push(Column {
                index,
                name: name.to_owned(),
                field: recorder.field(signal, source, unit),
                device: device.map(str::to_owned),
            });
        };
        match device_section(section) {
            Some("NET") => {
                if let Some(device) = name.strip_suffix("-read-KB/s") {
                    add(Signal::NetworkReceive, "NET read", Unit::KIB_PER_SECOND, Some(device));
                } else if let Some(device) = name.strip_suffix("-write-KB/s") {
                    add(Signal::NetworkTransmit, "NET write", Unit::KIB_PER_SECOND, Some(device));
                }
            }
            Some(section) => {
                let signal = if section == "DISKREAD" { Signal::DiskRead } else { Signal::DiskWrite };
                add(signal, section, Unit::KIB_PER_SECOND, Some(name));
            }
            None => {
                if let Some((_, _, signal, unit)) =
                    NODE.iter().find(|node| node.0 == section && node.1 == name)
                {
                    add(*signal, &format!("{section} {name}"), *unit, None);
                } else if section == "CPU_ALL" && matches!(name, "CPUs" | "PhysicalCPUs" | "CPU#") {
                    found.cpus = Some(index);
                }
            }
        }
    }
    found
}
