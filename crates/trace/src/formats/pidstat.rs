//! What `pidstat` prints of processes: with `-h` all of a process in one line, else a table for each kind of figure.
//!
//! The processes of a command are added up. Without `-p` the tool leaves out processes that did nothing: between two
//! of its lines such a process holds the memory it held, for it took none. Lines of threads repeat what their
//! process did. `%CPU` is not used: `-I` changes what it is a share of, and the output doesn't show it.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

use super::banner::Banner;
use super::clock::{self, Stamp};
use super::iostat::figure;
use super::lines::{LeftOut, is_of_terminal, lines};
use super::{Input, Recognition, local_times};
use crate::record::{FieldId, Recorder, Signal, Unit};
use crate::{ReadError, ReadErrorKind, ReadOptions, Trace};

/// The columns that are used, but for RSS.
const RATES: &[(&str, Signal, Unit)] = &[
    ("%usr", Signal::User, Unit::PERCENT_OF_CORE),
    ("%user", Signal::User, Unit::PERCENT_OF_CORE),
    ("%system", Signal::System, Unit::PERCENT_OF_CORE),
    ("%guest", Signal::Guest, Unit::PERCENT_OF_CORE),
    ("kB_rd/s", Signal::DiskRead, Unit::KIB_PER_SECOND),
    ("kB_wr/s", Signal::DiskWrite, Unit::KIB_PER_SECOND),
    ("cswch/s", Signal::ContextSwitches, Unit::PER_SECOND),
    ("nvcswch/s", Signal::ContextSwitches, Unit::PER_SECOND),
];
/// What both kinds of context switches are called together.
const SWITCHES: &str = "cswch/s + nvcswch/s";
/// The choice of all processes.
const ALL: &str = "all";

pub(crate) fn recognise(head: &str) -> Recognition {
    if local_times::plain(head).lines().any(|line| Header::of(line).is_some()) {
        Recognition::Yes
    } else {
        Recognition::No("no table UID PID … Command")
    }
}

/// The header of a table.
struct Header<'a> {
    names: Vec<&'a str>,
    pid: usize,
    has_threads: bool,
    /// Where each of [`RATES`] is.
    rates: Vec<(usize, usize)>,
    rss: Option<usize>,
    /// The time before the interval, where it says one.
    time: Option<Stamp>,
}

impl<'a> Header<'a> {
    fn of(line: &'a str) -> Option<Header<'a>> {
        if !line.trim_end().ends_with("Command") {
            return None;
        }
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let start = words.iter().position(|word| matches!(*word, "UID" | "USER" | "PID" | "TGID"))?;
        if !(1..=2).contains(&start) {
            return None;
        }
        let names = words.get(start..)?.to_vec();
        let time = clock::stamp(&words.get(..start)?.join(" "));
        if time.is_none() && words.first() != Some(&"#") {
            return None;
        }
        let threads = names.iter().position(|name| *name == "TGID");
        let pid = threads.or_else(|| names.iter().position(|name| *name == "PID"))?;
        let rates = RATES
            .iter()
            .enumerate()
            .filter_map(|(rate, (name, ..))| Some((names.iter().position(|column| column == name)?, rate)))
            .collect();
        let rss = names.iter().position(|name| *name == "RSS");
        Some(Header { names, pid, has_threads: threads.is_some(), rates, rss, time })
    }
}

/// A line of a process.
struct Row<'a> {
    line: u64,
    stamp: Stamp,
    time: &'a str,
    pid: &'a str,
    command: Cow<'a, str>,
    cells: &'a [&'a str],
    header: &'a Header<'a>,
}

/// Hands on the lines of processes. Returns the lines that are none.
fn rows<'a>(
    text: &'a str,
    hear: &mut dyn FnMut(&Row<'_>) -> Result<(), ReadError>,
) -> Result<LeftOut, ReadError> {
    let mut header: Option<Header<'a>> = None;
    let mut words: Vec<&str> = Vec::new();
    let mut left_out = LeftOut::default();
    for (line_number, line) in lines(text) {
        words.clear();
        words.extend(line.split_ascii_whitespace());
        // Averages at the end have a word in any language before a colon.
        if words.first().is_none_or(|word| word.ends_with(':')) {
            continue;
        }
        if let Some(found) = Header::of(line) {
            header = Some(found);
            continue;
        }
        if Banner::of(line).is_some() {
            continue;
        }
        // What comes before the first table is no part of it.
        let Some(header) = header.as_ref().filter(|_| !is_of_terminal(line)) else { continue };
        let is_half = matches!(words.get(1), Some(&("AM" | "PM" | "am" | "pm")));
        let time = if is_half { line.trim_start().get(..11) } else { words.first().copied() };
        let cells = words.get(if is_half { 2 } else { 1 }..).unwrap_or_default();
        let Some((time, stamp)) = time.and_then(|time| Some((time, clock::stamp(time)?))) else {
            left_out.line(line_number);
            continue;
        };
        let Some(last) = cells.get(header.names.len() - 1..).filter(|last| !last.is_empty()) else {
            left_out.line(line_number);
            continue;
        };
        let command = match last {
            [one] => Cow::Borrowed(*one),
            several => Cow::Owned(several.join(" ")),
        };
        let pid = cells.get(header.pid).copied().unwrap_or_default();
        if header.has_threads && pid == "-" {
            continue;
        }
        hear(&Row { line: line_number, stamp, time, pid, command, cells, header })?;
    }
    Ok(left_out)
}

/// Which processes to add up.
enum Subject {
    All,
    Command(String),
    Pid(String),
}

impl Subject {
    fn has(&self, row: &Row) -> bool {
        match self {
            Subject::All => true,
            Subject::Command(command) => row.command == **command,
            Subject::Pid(pid) => row.pid == pid,
        }
    }
}

fn subject(input: &Input, options: &ReadOptions) -> Result<Subject, ReadError> {
    let mut commands: BTreeSet<String> = BTreeSet::new();
    let mut is_pid = false;
    rows(input.text, &mut |row| {
        is_pid |= options.subject.as_deref() == Some(row.pid);
        if !commands.contains(&*row.command) {
            commands.insert(row.command.clone().into_owned());
        }
        Ok(())
    })?;
    let count = commands.len();
    let problem = match options.subject.as_deref() {
        Some(wanted) if commands.contains(wanted) => return Ok(Subject::Command(wanted.to_owned())),
        Some(ALL) => return Ok(Subject::All),
        Some(wanted) if is_pid => return Ok(Subject::Pid(wanted.to_owned())),
        Some(wanted) if count > 0 => {
            format!("no command {} in the file", crate::error::excerpt(wanted, 80))
        }
        None if count > 1 => format!("{count} commands in one file"),
        _ => return Ok(Subject::All),
    };
    commands.insert(ALL.to_owned());
    let mut error = ReadError::new(ReadErrorKind::Several, input.file, problem).hinting("Say which one.");
    error.choices = commands.into_iter().collect();
    Err(error)
}

/// Adds processes up, sample by sample.
struct Sums<'a> {
    recorder: Recorder<'a>,
    /// By [`RATES`]; both kinds of context switches are one field.
    fields: Vec<Option<FieldId>>,
    rss_field: Option<FieldId>,
    /// The last sample in which each process is, by line.
    last_lines: HashMap<String, u64>,
    /// The lines between which the processes ran.
    window: (u64, u64),
    open: Option<(Stamp, u64, String)>,
    open_last_line: u64,
    before: Option<Stamp>,
    rates: Vec<Option<f64>>,
    /// The rates that were known at least once: figures of other users' processes may be hidden.
    known: Vec<bool>,
    rss: HashMap<String, f64>,
    rss_sum: f64,
    rss_unknown: usize,
    ending: Vec<String>,
}

impl Sums<'_> {
    fn add(&mut self, row: &Row, is_subject: bool, file: &str) -> Result<(), ReadError> {
        if self.open.as_ref().is_none_or(|(stamp, ..)| *stamp != row.stamp) {
            self.close(false);
            self.open = Some((row.stamp, row.line, row.time.to_owned()));
            self.before = row.header.time;
        }
        self.open_last_line = row.line;
        if !is_subject {
            return Ok(());
        }
        let cell = |index: usize, unit: Unit| {
            let word = row.cells.get(index).copied().unwrap_or_default();
            let value = figure(word, unit).ok_or_else(|| {
                ReadError::new(ReadErrorKind::BadNumber, file, "expected a number")
                    .at_line(row.line)
                    .in_column(row.header.names.get(index).copied().unwrap_or_default())
                    .seeing(word)
            })?;
            // Less than nothing: it may not be known.
            Ok(if value < 0.0 { f64::NAN } else { value })
        };
        for &(index, rate) in &row.header.rates {
            let value = cell(index, RATES.get(rate).map_or(Unit::ONE, |(_, _, unit)| *unit))?;
            if let (Some(sum), Some(known)) = (self.rates.get_mut(rate), self.known.get_mut(rate)) {
                *sum = Some(sum.unwrap_or(0.0) + value);
                *known |= !value.is_nan();
            }
        }
        if let Some(index) = row.header.rss {
            let value = cell(index, Unit::KIB)?;
            let before = self.rss.insert(row.pid.to_owned(), value);
            self.forget(before);
            if value.is_nan() {
                self.rss_unknown += 1;
            } else {
                self.rss_sum += value;
            }
        }
        if self.last_lines.get(row.pid) == Some(&row.line) {
            self.ending.push(row.pid.to_owned());
        }
        Ok(())
    }

    fn forget(&mut self, rss: Option<f64>) {
        match rss {
            Some(value) if value.is_nan() => self.rss_unknown -= 1,
            Some(value) => self.rss_sum -= value,
            None => {}
        }
    }

    /// Writes the open sample. A process that has no line in it did nothing, unless the file ends here.
    fn close(&mut self, is_last: bool) {
        let Some((stamp, line, time)) = self.open.take() else { return };
        if self.open_last_line >= self.window.0 && line <= self.window.1 {
            if let Some(before) = self.before {
                self.recorder.start(before);
            }
            self.recorder.sample(line, stamp, &time);
            let mut switches: Option<(FieldId, f64)> = None;
            for (index, field) in self.fields.iter().enumerate() {
                let Some(field) = *field else { continue };
                let is_known = !is_last && self.known.get(index) == Some(&true);
                let absent = if is_known { 0.0 } else { f64::NAN };
                let value = self.rates.get(index).copied().flatten().unwrap_or(absent);
                if RATES.get(index).is_some_and(|(_, signal, _)| *signal == Signal::ContextSwitches) {
                    switches = Some((field, switches.map_or(0.0, |(_, sum)| sum) + value));
                } else {
                    self.recorder.put(field, value);
                }
            }
            if let Some((field, value)) = switches {
                self.recorder.put(field, value);
            }
            if let Some(field) = self.rss_field.filter(|_| !self.rss.is_empty()) {
                let value = if self.rss_unknown > 0 { f64::NAN } else { self.rss_sum };
                self.recorder.put(field, value);
            }
        }
        self.rates.fill(None);
        for pid in std::mem::take(&mut self.ending) {
            let rss = self.rss.remove(&pid);
            self.forget(rss);
        }
    }
}

pub(crate) fn read(input: &Input, options: &ReadOptions) -> Result<Trace, ReadError> {
    let text = local_times::plain(input.text);
    let input = &Input { file: input.file, text: &text };
    let subject = subject(input, options)?;
    let mut recorder = Recorder::new(input.file, input.text, options);
    let mut last_lines: HashMap<String, u64> = HashMap::new();
    let mut window = (u64::MAX, 0);
    let (mut fields, mut rss_field) = (vec![None; RATES.len()], None);
    rows(input.text, &mut |row| {
        if !subject.has(row) {
            return Ok(());
        }
        window = (window.0.min(row.line), row.line);
        match last_lines.get_mut(row.pid) {
            Some(line) => *line = row.line,
            None => {
                last_lines.insert(row.pid.to_owned(), row.line);
            }
        }
        for &(_, rate) in &row.header.rates {
            if let (Some(field @ None), Some((name, signal, unit))) = (fields.get_mut(rate), RATES.get(rate)) {
                let name = if *signal == Signal::ContextSwitches { SWITCHES } else { name };
                *field = Some(recorder.field(*signal, name, *unit));
            }
        }
        if row.header.rss.is_some() && rss_field.is_none() {
            rss_field = Some(recorder.field(Signal::MemoryUsedWithoutCache, "RSS", Unit::KIB));
        }
        Ok(())
    })?;
    let mut sums = Sums {
        recorder,
        fields,
        rss_field,
        last_lines,
        window,
        open: None,
        open_last_line: 0,
        before: None,
        rates: vec![None; RATES.len()],
        known: vec![false; RATES.len()],
        rss: HashMap::new(),
        rss_sum: 0.0,
        rss_unknown: 0,
        ending: Vec::new(),
    };
    // The first line comes before all others.
    if let Some(banner) = lines(input.text).find_map(|(_, line)| Banner::of(line)) {
        banner.tell(&mut sums.recorder);
    }
    let left_out = rows(input.text, &mut |row| sums.add(row, subject.has(row), input.file))?;
    sums.close(true);
    sums.recorder.warnings.extend(left_out.warning());
    sums.recorder.finish()
}
