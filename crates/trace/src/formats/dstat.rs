//! The CSV that `dstat --output` and `dool --output` write: lines about the run, a line of groups, a line of names,
//! and rows.
//!
//! The first row is an average since boot and left out. A tool started again writes all of it again below. Sizes
//! and rates are in bytes, but dool writes disks and network in bits unless it was told `--bytes`: its command line
//! in the file says so.

use csv::StringRecord;

use super::clock::{self, Yearless};
use super::table::{line_of, parse_number};
use super::{Input, Recognition};
use crate::record::{FieldId, Recorder, Signal, Unit};
use crate::{ReadError, ReadErrorKind, ReadOptions, Trace, Warning, WarningKind};

const CPU: &[(&str, Signal)] = &[
    ("usr", Signal::User),
    ("sys", Signal::System),
    ("idl", Signal::Idle),
    ("wai", Signal::Iowait),
    ("hiq", Signal::Irq),
    ("siq", Signal::SoftIrq),
    ("stl", Signal::Steal),
];
const MEMORY: &[(&str, Signal)] = &[
    ("total", Signal::MemoryTotal),
    ("used", Signal::MemoryUsedWithoutCache),
    ("free", Signal::MemoryFree),
    ("buff", Signal::Buffers),
    ("cach", Signal::Cached),
];
/// The names of the column with the time.
const TIMES: &[&str] = &["time", "date/time", "epoch"];
/// What looks alike, but has units of its own that it doesn't write.
const PCP: &str = "pcp-dstat ";

pub(crate) fn recognise(head: &str) -> Recognition {
    let mut before = "";
    for line in head.lines() {
        let first = line.trim_start_matches('"').to_ascii_lowercase();
        let is_of = ["dstat ", "dool ", PCP].iter().any(|tool| first.starts_with(tool));
        if is_of && first.contains("csv output") {
            return Recognition::Yes;
        }
        if before.contains("total cpu usage") && line.contains("usr") && line.contains("idl") {
            return Recognition::Yes;
        }
        before = line;
    }
    Recognition::No("no line \"Dstat … CSV output\" or \"total cpu usage\"")
}

/// Whether a row is the line of groups.
fn is_groups(row: &StringRecord) -> bool {
    row.iter().any(|cell| {
        cell.ends_with("cpu usage")
            || cell == "memory usage"
            || cell.starts_with("dsk/")
            || cell.starts_with("net/")
            || (cell.starts_with("cpu") && cell.ends_with(" usage"))
    })
}

/// What the lines about the run say.
#[derive(Default)]
struct About {
    is_dool: bool,
    in_bits: bool,
}

impl About {
    /// `false`: the row isn't about the run.
    fn tell(&mut self, row: &StringRecord, yearless: &mut Yearless) -> bool {
        let first = row.get(0).unwrap_or_default().to_ascii_lowercase();
        if first.contains("csv output") {
            self.is_dool = first.starts_with("dool");
        } else if first == "cmdline:" {
            let command = row.get(1).unwrap_or_default();
            let has = |option| command.split_ascii_whitespace().any(|word| word == option);
            self.is_dool |= command.contains("/dool");
            self.in_bits = self.is_dool && !has("--bytes") && !has("--dstat");
        } else if !matches!(&*first, "author:" | "host:") {
            return false;
        }
        let date = row.iter().skip_while(|cell| *cell != "Date:").nth(1).unwrap_or_default();
        if let Some(year) = date.split_ascii_whitespace().nth(2).and_then(|year| year.parse().ok()) {
            yearless.start(year);
        }
        true
    }
}

/// Where the figures of a row go.
struct Columns {
    time: Option<usize>,
    fields: Vec<(usize, FieldId, Option<String>)>,
    names: Vec<String>,
    /// The columns that a row must have.
    width: usize,
}

impl Columns {
    fn of(groups: &StringRecord, names: &StringRecord, in_bits: bool, recorder: &mut Recorder) -> Columns {
        let mut group = "";
        let full: Vec<(&str, &str)> = names
            .iter()
            .enumerate()
            .map(|(index, name)| {
                group = groups.get(index).filter(|cell| !cell.is_empty()).unwrap_or(group);
                // Where a kind of figure has several groups, names carry them.
                let name = name.strip_prefix(group).and_then(|rest| rest.strip_prefix(':')).unwrap_or(name);
                (group, name)
            })
            .collect();
        let has_group = |wanted: &str| full.iter().any(|(group, _)| *group == wanted);
        let (all_cpus, all_disks, all_net) =
            (has_group("total cpu usage"), has_group("dsk/total"), has_group("net/total"));
        let of_bytes = if in_bits { Unit::BITS_PER_SECOND } else { Unit::BYTES_PER_SECOND };
        let find = |names: &[(&str, Signal)], name: &str| {
            names.iter().find(|(known, _)| *known == name).map(|(_, signal)| *signal)
        };
        let mut fields = Vec::new();
        for (index, &(group, name)) in full.iter().enumerate() {
            let (signal, unit, device) = if group == "total cpu usage" {
                (find(CPU, name), Unit::PERCENT_OF_NODE, None)
            } else if let Some(cpu) = group.strip_suffix(" usage").filter(|cpu| cpu.starts_with("cpu")) {
                (find(CPU, name).filter(|_| !all_cpus), Unit::PERCENT_OF_CORE, Some(cpu))
            } else if group == "memory usage" {
                (find(MEMORY, name), Unit::BYTES, None)
            } else if group == "system" && name == "csw" {
                (Some(Signal::ContextSwitches), Unit::PER_SECOND, None)
            } else if let Some(disk) = group.strip_prefix("dsk/") {
                let signal = find(&[("read", Signal::DiskRead), ("writ", Signal::DiskWrite)], name);
                let disk = Some(disk).filter(|disk| *disk != "total");
                (signal.filter(|_| disk.is_none() == all_disks), of_bytes, disk)
            } else if let Some(interface) = group.strip_prefix("net/") {
                let names = [("recv", Signal::NetworkReceive), ("send", Signal::NetworkTransmit)];
                let signal = find(&names, name);
                match interface {
                    "total" => (signal, of_bytes, None),
                    "lo" if all_net && name == "recv" => (Some(Signal::Loopback), of_bytes, None),
                    _ => (signal.filter(|_| !all_net), of_bytes, Some(interface)),
                }
            } else {
                (None, Unit::ONE, None)
            };
            if let Some(signal) = signal {
                let kind = group.split('/').next().unwrap_or_default();
                let is_total = device.is_none() && (kind == "dsk" || kind == "net");
                let source = if is_total { format!("{group}:{name}") } else { name.to_owned() };
                fields.push((index, recorder.field(signal, &source, unit), device.map(str::to_owned)));
            }
        }
        let time = full.iter().position(|(_, name)| TIMES.contains(name));
        let width = fields.iter().map(|(index, ..)| index + 1).chain(time.map(|time| time + 1)).max();
        let names = full.iter().map(|(group, name)| format!("{group}:{name}")).collect();
        Columns { time, fields, names, width: width.unwrap_or(0) }
    }
}

pub(crate) fn read(input: &Input, options: &ReadOptions) -> Result<Trace, ReadError> {
    let mut recorder = Recorder::new(input.file, input.text, options);
    let mut csv = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .trim(csv::Trim::All)
        .from_reader(input.text.as_bytes());
    let (mut row, mut groups) = (StringRecord::new(), None::<StringRecord>);
    let (mut about, mut yearless) = (About::default(), Yearless::default());
    let mut columns: Option<Columns> = None;
    let mut is_first = true;
    let mut left_out: Option<(usize, u64)> = None;
    let mut is_cut_off = false;
    loop {
        let more = csv.read_record(&mut row).map_err(|error| {
            let problem = format!("not a table of cells ({error})");
            ReadError::new(ReadErrorKind::BadHeader, input.file, problem)
        })?;
        if !more {
            break;
        }
        let line = line_of(input.text, &row);
        if row.iter().all(str::is_empty) {
            continue;
        }
        if let Some(groups) = groups.take() {
            if columns.is_some() && recorder.samples() > 0 {
                let message = "The tool was started anew: its first row is an average since boot and was left out.";
                recorder.warnings.push(Warning::new(WarningKind::Restart, message).at_line(line));
            }
            columns = Some(Columns::of(&groups, &row, about.in_bits, &mut recorder));
            is_first = true;
            continue;
        }
        if row.get(0).is_some_and(|cell| cell.starts_with(PCP)) {
            let problem = "the CSV of pcp-dstat doesn't say its units";
            return Err(ReadError::new(ReadErrorKind::BadHeader, input.file, problem)
                .at_line(line)
                .hinting("Record with pmrep, which writes them, or with dool."));
        }
        if about.tell(&row, &mut yearless) {
            continue;
        }
        if is_groups(&row) {
            groups = Some(row.clone());
            continue;
        }
        let Some(columns) = columns.as_ref().filter(|columns| row.len() >= columns.width) else {
            left_out = Some(left_out.map_or((1, line), |(count, first)| (count + 1, first)));
            is_cut_off = true;
            continue;
        };
        is_cut_off = false;
        let time = columns.time.and_then(|time| row.get(time));
        let stamp = match time {
            Some(time) => Some(clock::stamp(time).or_else(|| yearless.stamp(time)).ok_or_else(|| {
                ReadError::new(ReadErrorKind::BadTime, input.file, "expected a date and time")
                    .at_line(line)
                    .in_column("time")
                    .seeing(time)
                    .hinting("Record with -t or -T, and without DSTAT_TIMEFMT.")
            })?),
            None => None,
        };
        if is_first {
            is_first = false;
            if let Some(stamp) = stamp {
                recorder.start(stamp);
            }
            continue;
        }
        match stamp {
            Some(stamp) => {
                recorder.sample(line, stamp, time.unwrap_or_default());
            }
            None => recorder.step(line),
        }
        for (index, field, device) in &columns.fields {
            let cell = row.get(*index).unwrap_or_default();
            let value = parse_number(cell).ok_or_else(|| {
                ReadError::new(ReadErrorKind::BadNumber, input.file, "expected a number")
                    .at_line(line)
                    .in_column(columns.names.get(*index).map_or("", String::as_str))
                    .seeing(cell)
            })?;
            match device {
                Some(device) => recorder.put_of(*field, device, value),
                None => recorder.put(*field, value),
            }
        }
    }
    if let Some((count, line)) = left_out {
        let warning = if count == 1 && is_cut_off {
            Warning::new(WarningKind::CutOff, "The last line is cut off; it was left out.")
        } else {
            let rows = if count == 1 { "1 row".to_owned() } else { format!("{count} rows") };
            let message = format!("Left out {rows} with fewer cells than the header has.");
            Warning::new(WarningKind::RowsLeftOut, message).at_line(line)
        };
        recorder.warnings.push(warning);
    }
    recorder.finish()
}
