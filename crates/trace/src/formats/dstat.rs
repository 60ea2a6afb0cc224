//! The CSV that `dstat --output`, `dool --output` and `pcp dstat --output` write: lines about the run, a line of
//! groups, a line of names, and rows.
//!
//! The first row is an average since boot and left out. A tool started again writes all of it again below. Sizes
//! and rates are in bytes, but dool writes disks and network in bits unless it was told `--bytes`: its command line
//! in the file says so. That of PCP writes its metrics in their own units, KiB for memory and disks, and has no
//! average since boot: where rates aren't known yet its first row has no figures, or fewer cells.

use std::collections::HashSet;

use csv::StringRecord;

use super::clock::{self, Stamp, Yearless};
use super::lines::number;
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
    ("buf", Signal::Buffers),
    ("cach", Signal::Cached),
    ("recl", Signal::Reclaimable),
];
/// The names of the column with the time: those with fractions of a second first.
const TIMES: &[&str] = &["epoch-adv", "time-adv", "epoch", "time", "date/time"];
/// The groups of all CPUs, and of memory: the one that says more comes first.
const ALL_CPUS: &[&str] = &["total cpu usage", "total usage"];
const ALL_MEMORY: &[&str] = &["advanced memory usage", "memory usage"];
/// Options that have a value after them.
const WITH_VALUE: &[char] = &['C', 'D', 'I', 'L', 'M', 'N', 'P', 'S', 'o'];

pub(crate) fn recognise(head: &str) -> Recognition {
    let mut before = "";
    for line in head.lines() {
        let first = line.trim_start_matches('"').to_ascii_lowercase();
        let is_of = ["dstat ", "dool ", "pcp-dstat "].iter().any(|tool| first.starts_with(tool));
        if is_of && first.contains("csv output") {
            return Recognition::Yes;
        }
        let has_cpus = before.split([',', ';']).any(|cell| is_cpus(cell.trim_matches('"')));
        if has_cpus && line.contains("usr") && line.contains("idl") {
            return Recognition::Yes;
        }
        before = line;
    }
    Recognition::No("no line \"Dstat … CSV output\" or \"total cpu usage\"")
}

/// Whether a group is one of figures of CPUs.
fn is_cpus(group: &str) -> bool {
    ALL_CPUS.contains(&group) || one_cpu(group).is_some()
}

/// The CPU that a group is about: `cpu0` of `cpu0 usage`.
fn one_cpu(group: &str) -> Option<&str> {
    group.strip_suffix(" usage").filter(|cpu| cpu.starts_with("cpu"))
}

/// Whether a row is the line of groups.
fn is_groups(row: &StringRecord) -> bool {
    row.iter().any(|cell| {
        is_cpus(cell) || ALL_MEMORY.contains(&cell) || cell.starts_with("dsk/") || cell.starts_with("net/")
    })
}

/// What is between cells: spreadsheets of some countries write semicolons.
fn delimiter(text: &str) -> u8 {
    let count = |wanted: u8| text.bytes().take(1000).filter(|byte| *byte == wanted).count();
    if count(b';') > count(b',') { b';' } else { b',' }
}

/// What the lines about the run say.
#[derive(Default)]
#[allow(clippy::struct_excessive_bools)]
struct About {
    is_dool: bool,
    is_pcp: bool,
    in_bits: bool,
    /// Every CPU has its figures.
    is_full: bool,
    /// Seconds between rows.
    delay: Option<f64>,
}

impl About {
    /// `false`: the row isn't about the run.
    fn tell(&mut self, row: &StringRecord, yearless: &mut Yearless) -> bool {
        let first = row.get(0).unwrap_or_default().to_ascii_lowercase();
        if first.contains("csv output") {
            *self = About {
                is_dool: first.starts_with("dool"),
                is_pcp: first.starts_with("pcp-dstat"),
                ..About::default()
            };
        } else if first == "cmdline:" {
            self.command(row.get(1).unwrap_or_default());
        } else if !matches!(&*first, "author:" | "host:") {
            return false;
        }
        let date = row.iter().skip_while(|cell| *cell != "Date:").nth(1).unwrap_or_default();
        if let Some(year) = date.split_ascii_whitespace().nth(2).and_then(|year| year.parse().ok()) {
            yearless.start(year);
        }
        true
    }

    fn command(&mut self, command: &str) {
        let words: Vec<&str> = command.split_ascii_whitespace().collect();
        let has = |option| words.contains(&option);
        let is_short = |word: &str| word.starts_with('-') && !word.starts_with("--");
        let has_short = |option| words.iter().any(|word| is_short(word) && word.contains(option));
        let all_cpus = |pair: &[&str]| {
            is_short(pair[0]) && pair[0].ends_with('C') && pair[1].split(',').any(|cpu| cpu == "all")
        };
        self.is_dool |= command.contains("/dool");
        self.is_pcp |= command.starts_with("pcp");
        self.in_bits = self.is_dool && !has("--bytes") && !has("--dstat");
        self.is_full =
            words.windows(2).any(all_cpus) || ((has("--full") || has_short('f')) && !has_short('C'));
        // The last words are the delay and the count, unless they are an option's.
        let numbers =
            words.iter().rev().take_while(|word| parse_number(word).is_some_and(|value| value > 0.0)).count();
        let (before, mut numbers) = words.split_at(words.len() - numbers);
        let option = before.last().copied().unwrap_or_default();
        if option == "--output" || (is_short(option) && option.ends_with(WITH_VALUE)) {
            numbers = numbers.get(1..).unwrap_or_default();
        }
        self.delay = Some(numbers.first().and_then(|word| parse_number(word)).unwrap_or(1.0));
    }
}

/// Where the figures of a row go.
struct Columns {
    time: Option<usize>,
    fields: Vec<(usize, FieldId, Option<String>)>,
    /// The columns of rates.
    rates: Vec<usize>,
    names: Vec<String>,
    /// The columns that a row must have.
    width: usize,
    is_pcp: bool,
}

impl Columns {
    fn of(groups: &StringRecord, names: &StringRecord, about: &About, recorder: &mut Recorder) -> Columns {
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
        let there: HashSet<&str> = full.iter().map(|(group, _)| *group).collect();
        let first_of = |groups: &[&'static str]| groups.iter().copied().find(|group| there.contains(group));
        let (cpus, memory) = (first_of(ALL_CPUS), first_of(ALL_MEMORY));
        let (all_disks, all_net) = (there.contains("dsk/total"), there.contains("net/total"));
        let is_pcp = about.is_pcp || full.contains(&("memory usage", "buf"));
        let of_memory = if is_pcp { Unit::KIB } else { Unit::BYTES };
        let of_net = if about.in_bits { Unit::BITS_PER_SECOND } else { Unit::BYTES_PER_SECOND };
        let of_disks = if is_pcp { Unit::KIB_PER_SECOND } else { of_net };
        // That of PCP counts switches from row to row.
        let is_each_second = !is_pcp || about.delay == Some(1.0);
        let find = |names: &[(&str, Signal)], name: &str| {
            names.iter().find(|(known, _)| *known == name).map(|(_, signal)| *signal)
        };
        let (mut fields, mut rates, mut seen) = (Vec::new(), Vec::new(), HashSet::new());
        for (index, &(group, name)) in full.iter().enumerate() {
            let (signal, unit, device) = if ALL_CPUS.contains(&group) {
                (find(CPU, name).filter(|_| cpus == Some(group)), Unit::PERCENT_OF_NODE, None)
            } else if let Some(cpu) = one_cpu(group) {
                (find(CPU, name).filter(|_| cpus.is_none()), Unit::PERCENT_OF_CORE, Some(cpu))
            } else if ALL_MEMORY.contains(&group) {
                (find(MEMORY, name).filter(|_| memory == Some(group)), of_memory, None)
            } else if group == "system" && name == "csw" {
                (Some(Signal::ContextSwitches).filter(|_| is_each_second), Unit::PER_SECOND, None)
            } else if let Some(disk) = group.strip_prefix("dsk/") {
                let signal = find(&[("read", Signal::DiskRead), ("writ", Signal::DiskWrite)], name);
                let disk = Some(disk).filter(|disk| *disk != "total");
                (signal.filter(|_| disk.is_none() == all_disks), of_disks, disk)
            } else if let Some(interface) = group.strip_prefix("net/") {
                let names = [("recv", Signal::NetworkReceive), ("send", Signal::NetworkTransmit)];
                let signal = find(&names, name);
                match interface {
                    "total" => (signal, of_net, None),
                    "lo" if all_net && name == "recv" => (Some(Signal::Loopback), of_net, None),
                    _ => (signal.filter(|_| !all_net), of_net, Some(interface)),
                }
            } else {
                (None, Unit::ONE, None)
            };
            // Disks and partitions both have a total: the first is taken.
            if let Some(signal) = signal.filter(|_| seen.insert((group, name))) {
                let kind = group.split('/').next().unwrap_or_default();
                let is_total = device.is_none() && (kind == "dsk" || kind == "net");
                let source = if is_total { format!("{group}:{name}") } else { name.to_owned() };
                fields.push((index, recorder.field(signal, &source, unit), device.map(str::to_owned)));
                if !ALL_MEMORY.contains(&group) {
                    rates.push(index);
                }
            }
        }
        if is_pcp {
            recorder.grainless();
        }
        let single_cpus = there.iter().filter(|group| one_cpu(group).is_some()).count();
        if about.is_full && single_cpus > 0 {
            recorder.cores(single_cpus as f64);
        }
        let time = TIMES.iter().find_map(|time| full.iter().position(|(_, name)| name == time));
        // A group of PCP's without figures has a single cell: what comes after it is not where it should be.
        let used = fields.iter().map(|(index, ..)| index + 1).chain(time.map(|time| time + 1)).max();
        let width = if is_pcp { full.len() } else { used.unwrap_or(0) };
        let names = full.iter().map(|(group, name)| format!("{group}:{name}")).collect();
        Columns { time, fields, rates, names, width, is_pcp }
    }
}

/// The times of PCP's rows are rounded to seconds, which makes two of some: those that fit the delay follow it.
#[derive(Default)]
struct Nominal(Option<f64>);

impl Nominal {
    fn stamp(&mut self, stamp: Stamp, delay: f64) -> Stamp {
        let next = self.0.map(|last| last + delay).filter(|next| (stamp.seconds - next).abs() <= 1.0);
        let seconds = next.filter(|_| stamp.seconds.fract() == 0.0).unwrap_or(stamp.seconds);
        self.0 = Some(seconds);
        Stamp { seconds, ..stamp }
    }
}

pub(crate) fn read(input: &Input, options: &ReadOptions) -> Result<Trace, ReadError> {
    let mut recorder = Recorder::new(input.file, input.text, options);
    let mut csv = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter(input.text))
        .trim(csv::Trim::All)
        .from_reader(input.text.as_bytes());
    let (mut row, mut groups) = (StringRecord::new(), None::<StringRecord>);
    let (mut about, mut yearless, mut nominal) = (About::default(), Yearless::default(), Nominal::default());
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
                let message = if about.is_pcp {
                    "The tool was started anew."
                } else {
                    "The tool was started anew: its first row is an average since boot and was left out."
                };
                recorder.warnings.push(Warning::new(WarningKind::Restart, message).at_line(line));
            }
            columns = Some(Columns::of(&groups, &row, &about, &mut recorder));
            if let Some(delay) = about.delay {
                recorder.said_step(delay);
            }
            (is_first, nominal) = (true, Nominal::default());
            continue;
        }
        if about.tell(&row, &mut yearless) {
            continue;
        }
        if is_groups(&row) {
            groups = Some(row.clone());
            continue;
        }
        let Some(columns) = columns.as_ref() else {
            left_out = Some(left_out.map_or((1, line), |(count, first)| (count + 1, first)));
            is_cut_off = true;
            continue;
        };
        if row.len() != columns.names.len() {
            // A tick was missed, or this row is left out.
            nominal = Nominal::default();
        }
        // Without rates yet, a row of PCP's only says when the run began.
        let is_short = row.len() < columns.width;
        let has_no_rates = columns.rates.iter().any(|index| row.get(*index).is_none_or(str::is_empty));
        let is_start = is_first && (!columns.is_pcp || is_short || has_no_rates);
        if is_short && !(is_start && columns.is_pcp) {
            left_out = Some(left_out.map_or((1, line), |(count, first)| (count + 1, first)));
            is_cut_off = true;
            continue;
        }
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
        let stamp = match stamp {
            Some(stamp) if columns.is_pcp => Some(nominal.stamp(stamp, about.delay.unwrap_or(1.0))),
            stamp => stamp,
        };
        is_first = false;
        if is_start {
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
            let value = number(cell).ok_or_else(|| {
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
    if recorder.samples() == 0 {
        let mut error = ReadError::new(ReadErrorKind::NoRows, input.file, "no samples in it");
        if is_first && columns.is_some() && !about.is_pcp && !about.is_dool {
            let hint =
                "The dstat of some distributions stops before its first row: record with dool or pcp dstat.";
            error = error.hinting(hint);
        }
        return Err(error);
    }
    recorder.finish()
}
