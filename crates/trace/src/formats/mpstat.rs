//! What `mpstat` prints, or writes with `-o JSON`: CPU shares of the node and, with `-P`, of each CPU.
//!
//! The tables of NUMA nodes and of interrupts are not used. Where the line of all CPUs isn't in the file, those that
//! are there are added up.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::banner::{self, Banner};
use super::lines::{LeftOut, is_of_terminal, lines, number};
use super::sysstat_json::{self, Row, Said, Text};
use super::{Input, Recognition, clock, local_times};
use crate::record::{FieldId, Recorder, Signal, Unit};
use crate::{ReadError, ReadErrorKind, ReadOptions, Trace, Warning, WarningKind};

/// The columns that are used.
const NAMES: &[(&str, Signal)] = &[
    ("%usr", Signal::User),
    ("%user", Signal::User),
    ("%nice", Signal::Nice),
    ("%sys", Signal::System),
    ("%system", Signal::System),
    ("%iowait", Signal::Iowait),
    ("%irq", Signal::Irq),
    ("%soft", Signal::SoftIrq),
    ("%steal", Signal::Steal),
    ("%guest", Signal::Guest),
    ("%gnice", Signal::GuestNice),
    ("%idle", Signal::Idle),
];

pub(crate) fn recognise(head: &str) -> Recognition {
    let found = if head.trim_start().starts_with('{') {
        // sadf's JSON has dates of its files, and names its figures otherwise.
        head.contains("\"sysstat\"") && head.contains("\"cpu-load\"") && !head.contains("\"file-date\"")
    } else {
        local_times::plain(head).lines().any(|line| Header::of(line).is_some_and(|header| header.is_of_mpstat()))
    };
    if found { Recognition::Yes } else { Recognition::No("no table CPU %usr … %idle") }
}

/// The header of a table: a time, and names.
struct Header<'a> {
    names: Vec<&'a str>,
    time: &'a str,
}

impl<'a> Header<'a> {
    fn of(line: &'a str) -> Option<Header<'a>> {
        let (time, rest) = clock_before(line)?;
        let names: Vec<&str> = rest.split_ascii_whitespace().collect();
        matches!(names.first(), Some(&("CPU" | "NODE"))).then_some(Header { names, time })
    }

    /// Whether the table is of CPU shares.
    fn is_cpu(&self) -> bool {
        self.names.first() == Some(&"CPU") && self.names.contains(&"%idle")
    }

    /// sar's table of CPU looks alike, but has %steal before %irq, or no %irq.
    fn is_of_mpstat(&self) -> bool {
        let at = |name: &str| self.names.iter().position(|column| *column == name);
        self.is_cpu()
            && match (at("%irq"), at("%steal")) {
                (Some(irq), Some(steal)) => irq < steal,
                (Some(_), None) => true,
                _ => at("intr/s").is_some(),
            }
    }
}

/// A time of day at the start of a line, and what comes after it.
fn clock_before(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_start();
    if !line.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let end = line.find(char::is_whitespace)?;
    let after = line.get(end..)?.trim_start();
    let end = match after.get(..2) {
        Some("AM" | "PM" | "am" | "pm") => line.len() - after.len() + 2,
        _ => end,
    };
    let (time, rest) = line.split_at_checked(end)?;
    clock::stamp(time)?;
    Some((time, rest))
}

/// Puts shares into the open sample: of all CPUs, or of some.
struct Cpus<'a> {
    recorder: Recorder<'a>,
    said: Option<f64>,
    has_all: bool,
    single: BTreeSet<String>,
}

impl Cpus<'_> {
    fn field(&mut self, name: &str, is_all: bool) -> Option<FieldId> {
        let (source, signal) = NAMES.iter().find(|(known, _)| *known == name)?;
        let unit = if is_all { Unit::PERCENT_OF_NODE } else { Unit::PERCENT_OF_CORE };
        Some(self.recorder.field(*signal, source, unit))
    }

    fn finish(mut self) -> Result<Trace, ReadError> {
        if let Some(said) = self.said.filter(|said| !self.has_all && (self.single.len() as f64) < *said) {
            let message = format!("Only {} of the node's {said} CPUs are in the file.", self.single.len());
            let warning = Warning::new(WarningKind::Other, message).hinting("Record all: mpstat -P ALL 1.");
            self.recorder.warnings.push(warning);
        }
        self.recorder.finish()
    }
}

pub(crate) fn read(input: &Input, options: &ReadOptions) -> Result<Trace, ReadError> {
    let recorder = Recorder::new(input.file, input.text, options);
    let mut cpus = Cpus { recorder, said: None, has_all: false, single: BTreeSet::new() };
    if input.text.trim_start().starts_with('{') {
        cpus.has_all = input.text.contains("\"all\"");
        read_json(input, &mut cpus)?;
    } else {
        let text = local_times::plain(input.text);
        let input = &Input { file: input.file, text: &text };
        cpus.has_all = lines(input.text).any(|(_, line)| {
            clock_before(line).is_some_and(|(_, rest)| rest.split_ascii_whitespace().next() == Some("all"))
        });
        read_text(input, &mut cpus)?;
    }
    cpus.finish()
}

fn read_text(input: &Input, cpus: &mut Cpus) -> Result<(), ReadError> {
    /// The place of each column from the end: the line of all CPUs has no cells for topology.
    type Columns<'a> = (Vec<&'a str>, Vec<(usize, FieldId)>);
    let mut table: Option<Columns> = None;
    let mut words: Vec<&str> = Vec::new();
    let mut left_out = LeftOut::default();
    for (number_of_line, line) in lines(input.text) {
        if let Some(banner) = Banner::of(line) {
            cpus.said = banner.cores;
            banner.tell(&mut cpus.recorder);
            table = None;
            continue;
        }
        let Some((time, rest)) = clock_before(line) else {
            // Averages at the end have a word in any language before a colon.
            let is_average = line.split_ascii_whitespace().next().is_none_or(|word| word.ends_with(':'));
            if !is_average && table.is_some() && !is_of_terminal(line) {
                left_out.line(number_of_line);
            }
            continue;
        };
        if let Some(header) = Header::of(line) {
            table = None;
            if header.is_cpu() {
                if let Some(stamp) = clock::stamp(header.time) {
                    cpus.recorder.start(stamp);
                }
                let is_all = cpus.has_all;
                let width = header.names.len();
                let columns = header.names.iter().enumerate();
                let fields = columns
                    .filter_map(|(index, name)| Some((width - index, cpus.field(name, is_all)?)))
                    .collect();
                table = Some((header.names, fields));
            }
            continue;
        }
        let Some((names, fields)) = &table else { continue };
        words.clear();
        words.extend(rest.split_ascii_whitespace());
        let cpu = words.first().copied().unwrap_or_default();
        if (cpu == "all") != cpus.has_all {
            continue;
        }
        let largest = fields.iter().map(|(from_end, _)| *from_end).max().unwrap_or(0);
        if words.len() <= largest {
            left_out.line(number_of_line);
            continue;
        }
        let Some(stamp) = clock::stamp(time) else { continue };
        cpus.recorder.sample(number_of_line, stamp, time);
        if !cpus.has_all && !cpus.single.contains(cpu) {
            cpus.single.insert(cpu.to_owned());
        }
        for &(from_end, field) in fields {
            let word = words.get(words.len() - from_end).copied().unwrap_or_default();
            let value = number(word).ok_or_else(|| {
                ReadError::new(ReadErrorKind::BadNumber, input.file, "expected a number")
                    .at_line(number_of_line)
                    .in_column(names.get(names.len() - from_end).copied().unwrap_or_default())
                    .seeing(word)
            })?;
            if cpus.has_all {
                cpus.recorder.put(field, value);
            } else {
                cpus.recorder.put_of(field, cpu, value);
            }
        }
    }
    cpus.recorder.warnings.extend(left_out.warning());
    Ok(())
}

#[derive(serde::Deserialize)]
struct Element<'a> {
    #[serde(borrow)]
    timestamp: Option<Text<'a>>,
    #[serde(borrow, rename = "cpu-load")]
    load: Option<Vec<Row<'a>>>,
}

fn read_json(input: &Input, cpus: &mut Cpus) -> Result<(), ReadError> {
    let mut bad_time = None;
    let mut hear = |said: Said<Element>| {
        let element = match said {
            Said::Host => return,
            Said::Cores(cores) => {
                cpus.said = Some(cores);
                cpus.recorder.cores(cores);
                return;
            }
            Said::Date(date) => {
                if let Some(days) = clock::date(&date) {
                    cpus.recorder.date(days);
                }
                return;
            }
            Said::Element(element) => element,
        };
        let text = element.timestamp.map_or(Cow::Borrowed(""), |text| text.0);
        let Some(stamp) = banner::report_time(&text) else {
            bad_time.get_or_insert_with(|| text.into_owned());
            return;
        };
        let has_all = cpus.has_all;
        let mut is_open = false;
        for row in element.load.into_iter().flatten().filter(|row| (row.name == "all") == has_all) {
            if !is_open {
                is_open = true;
                cpus.recorder.sample(0, stamp, &text);
            }
            if !has_all && !cpus.single.contains(&*row.name) {
                cpus.single.insert(row.name.clone().into_owned());
            }
            for (name, value) in row.cells {
                let known = NAMES.iter().find(|(known, _)| known.strip_prefix('%') == Some(&name));
                let Some(field) = known.and_then(|(known, _)| cpus.field(known, has_all)) else { continue };
                if has_all {
                    cpus.recorder.put(field, value);
                } else {
                    cpus.recorder.put_of(field, &row.name, value);
                }
            }
        }
    };
    sysstat_json::tell_end(sysstat_json::walk(input.text, &mut hear), input.file, &mut cpus.recorder)?;
    if let Some(text) = bad_time {
        let error = ReadError::new(ReadErrorKind::BadTime, input.file, "expected a time of day");
        return Err(error.seeing(&text));
    }
    Ok(())
}
