//! What `vmstat` prints: one line a sample, headers repeated, with `-t` a date and time at the end; or with a time
//! before each line, as `ts` and shell loops put it.
//!
//! The first line is an average since boot and only says when the run began. Memory and I/O are in KiB unless the
//! tool was told otherwise by `-S`, which the output doesn't show. `-w` only widens columns; with `-a` buffers and
//! page cache are not in the file.

use super::lines::{LeftOut, is_of_terminal, lines, number};
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
    // Not in us, where this column is there.
    ("gu", Signal::Guest, Unit::PERCENT_OF_NODE),
];

/// All columns in their order, which is the same in every language. The last ones are not in older versions.
const COLUMNS: &[&str] = &[
    "r", "b", "swpd", "free", "buff", "cache", "si", "so", "bi", "bo", "in", "cs", "us", "sy", "id", "wa", "st", "gu",
];
/// How many of them every version has that speaks other languages.
const LEAST_COLUMNS: usize = 16;
/// The first three columns in other languages.
const FIRST: [&[&str]; 3] = [&["r", "dz", "k"], &["b", "bl"], &["swpd", "swap", "växl", "스왑", "交换"]];
/// How the name of the column begins that `-a` has in the place of `buff`.
const INACTIVE: &[&str] = &["inac", "inak", "inat", "nieakt", "비활", "不活"];

/// Those of memory, whose unit `-S` changes.
const MEMORY: &[&str] = &["free", "buff", "cache"];

/// The lines after which the header comes again where the output is no terminal.
const HEADER_REPEATS: u64 = 21;
/// A terminal has at least so many lines.
const SMALL_TERMINAL: u64 = 15;
/// Free and cached memory of a node, in the file's own unit, that is more likely in MiB than in KiB.
const FEW_KIB: f64 = 512.0 * 1024.0;

pub(crate) fn recognise(head: &str) -> Recognition {
    if head.lines().any(|line| header_start(line).is_some()) {
        Recognition::Yes
    } else {
        Recognition::No("no header line r b swpd free …")
    }
}

/// The number of words before the header's own, if the line is one.
fn header_start(line: &str) -> Option<usize> {
    // At most a date of three words and a time of two are before it.
    let mut words = line.split_ascii_whitespace();
    for start in 0..6 {
        if FIRST[0].contains(&words.next()?) {
            let is_b = FIRST[1].contains(&words.next()?);
            // Very old versions count swapped processes in w.
            let third = words.next().filter(|word| *word != "w").or_else(|| words.next());
            return (is_b && FIRST[2].contains(&third?)).then_some(start);
        }
    }
    None
}

/// The names of the columns in a header, in English, without that of the time zone.
fn names_of(line: &str, before: usize) -> Vec<&str> {
    let mut names: Vec<&str> = line.split_ascii_whitespace().skip(before).collect();
    // The header of the time is the name of the time zone.
    let is_zone = |name: &&str| name.starts_with(|c: char| c.is_uppercase() || !c.is_alphabetic());
    if names.last().is_some_and(is_zone) {
        names.pop();
    }
    if (LEAST_COLUMNS..=COLUMNS.len()).contains(&names.len()) && names.get(2) != Some(&"w") {
        let is_of_activity = names.get(4).is_some_and(|name| INACTIVE.iter().any(|start| name.starts_with(start)));
        for (index, (name, column)) in names.iter_mut().zip(COLUMNS).enumerate() {
            *name = if is_of_activity && matches!(index, 4 | 5) { "active or not" } else { column };
        }
    }
    names
}

/// What a header says about the lines below it.
struct Header<'a> {
    names: Vec<&'a str>,
    /// The words before the figures of each line: a time.
    before: usize,
    fields: Vec<(usize, FieldId)>,
}

impl<'a> Header<'a> {
    fn new(line: &'a str, before: usize, memory: Unit, recorder: &mut Recorder) -> Header<'a> {
        let names = names_of(line, before);
        let fields = NAMES
            .iter()
            .filter_map(|(name, signal, unit)| {
                let index = names.iter().position(|column| column == name)?;
                let unit = if MEMORY.contains(name) { memory } else { *unit };
                Some((before + index, recorder.field(*signal, name, unit)))
            })
            .collect();
        Header { names, before, fields }
    }
}

pub(crate) fn read(input: &Input, options: &ReadOptions) -> Result<Trace, ReadError> {
    let mut recorder = Recorder::new(input.file, input.text, options);
    let mut header: Option<Header> = None;
    let mut headers = Headers::of(input.text);
    let memory_unit = memory_unit(input.text, &mut recorder.warnings);
    let mut since_boot = true;
    let mut left_out = LeftOut::default();
    let mut largest_memory = 0.0_f64;
    let mut words: Vec<&str> = Vec::new();
    let mut yearless = clock::Yearless::default();
    for (line_number, line) in lines(input.text) {
        if let Some(before) = header_start(line) {
            header = Some(Header::new(line, before, memory_unit, &mut recorder));
            if headers.is_start() && !since_boot && recorder.samples() > 0 {
                since_boot = true;
                let message = "vmstat was started anew: its first line is an average since boot and was left out.";
                recorder.warnings.push(Warning::new(WarningKind::Restart, message).at_line(line_number));
            }
            continue;
        }
        if is_group_line(line) {
            continue;
        }
        words.clear();
        words.extend(line.split_ascii_whitespace());
        let end = header.as_ref().map_or(0, |header| header.before + header.names.len());
        let Some(header) = header.as_ref().filter(|_| words.len() >= end && is_row(&words)) else {
            // What comes before the first header is no part of it.
            if header.is_some() && !is_of_terminal(line) {
                left_out.line(line_number);
            }
            continue;
        };
        let time = if header.before > 0 { words[..header.before].join(" ") } else { words[end..].join(" ") };
        let stamp = clock::stamp(&time).or_else(|| yearless.stamp(&time));
        if stamp.is_none() && !time.is_empty() {
            let error = ReadError::new(ReadErrorKind::BadTime, input.file, "expected a date and time");
            return Err(error.at_line(line_number).seeing(&time));
        }
        if since_boot {
            since_boot = false;
            if let Some(stamp) = stamp {
                recorder.start(stamp);
            }
            continue;
        }
        match stamp {
            Some(stamp) => {
                recorder.sample(line_number, stamp, &time);
            }
            None => recorder.step(line_number),
        }
        let mut memory = 0.0;
        for &(index, field) in &header.fields {
            let word = words.get(index).copied().unwrap_or_default();
            let value = number(word).ok_or_else(|| {
                ReadError::new(ReadErrorKind::BadNumber, input.file, "expected a number")
                    .at_line(line_number)
                    .in_column(header.names.get(index - header.before).copied().unwrap_or_default())
                    .seeing(word)
            })?;
            recorder.put(field, value);
            if header.names.get(index - header.before).is_some_and(|name| MEMORY.contains(name)) {
                memory += value;
            }
        }
        largest_memory = largest_memory.max(memory);
    }
    recorder.warnings.extend(left_out.warning());
    if recorder.samples() == 0 && header.is_some() {
        return Err(ReadError::new(
            ReadErrorKind::NoRows,
            input.file,
            "no samples in it: the first line of vmstat is an average since boot",
        )
        .hinting("Record with an interval: vmstat -t 1."));
    }
    if memory_unit == Unit::KIB && largest_memory > 0.0 && largest_memory < FEW_KIB {
        let message = "Free memory and page cache are under 512 MiB, if they are in KiB as is assumed.";
        recorder.warnings.push(
            Warning::new(WarningKind::Other, message).hinting("Record without -S: its unit isn't in the output."),
        );
    }
    recorder.finish()
}

/// The unit of memory. Memory comes in pages of 4 KiB or more, so that figures in KiB are multiples of 4; if they
/// aren't, `-S` has changed the unit, and their size shows to which.
fn memory_unit(text: &str, warnings: &mut Vec<Warning>) -> Unit {
    let (mut places, mut width, mut largest) = ([None; 3], 0, 0.0_f64);
    let (mut rows, mut odd_rows) = (0_u32, 0_u32);
    for line in text.lines() {
        if let Some(before) = header_start(line) {
            let names = names_of(line, before);
            let place = |name: &str| Some(before + names.iter().position(|column| *column == name)?);
            places = [place("free"), place("buff"), place("cache")];
            width = before + names.len();
        } else if line.split_ascii_whitespace().count() >= width {
            // A time before the header's names has as many words as one before the figures.
            let word = |place: &Option<usize>| line.split_ascii_whitespace().nth((*place)?)?.parse::<u64>().ok();
            let figures: Vec<u64> = places.iter().filter_map(word).collect();
            rows += 1;
            odd_rows += u32::from(figures.iter().any(|figure| figure % 4 != 0));
            largest = largest.max(figures.iter().map(|figure| *figure as f64).sum());
        }
    }
    // A cell that is broken is no evidence.
    if odd_rows * 2 <= rows {
        return Unit::KIB;
    }
    let (unit, option) = if largest < FEW_KIB { (Unit::MIB, "M") } else { (Unit::KB, "k") };
    let message = format!(
        "Memory can't be in KiB, for its figures aren't whole pages: taken for {}, as of vmstat -S {option}.",
        unit.name
    );
    let hint = "Record without -S: its unit isn't in the output.";
    warnings.push(Warning::new(WarningKind::Other, message).hinting(hint));
    unit
}

/// The line above the header, and blank ones.
fn is_group_line(line: &str) -> bool {
    line.trim().is_empty() || line.contains("--") || line.trim_start().starts_with("procs")
}

/// Whether a line has figures, whatever may be wrong with one of them.
fn is_row(words: &[&str]) -> bool {
    let digits = words.iter().filter(|word| word.bytes().all(|byte| byte.is_ascii_digit())).count();
    digits * 2 > words.len()
}

/// Which headers begin a run: the tool also repeats its header so that it stays on the screen.
struct Headers {
    /// The lines of figures between one header and the next.
    distances: Vec<u64>,
    same: bool,
    next: usize,
}

impl Headers {
    fn of(text: &str) -> Headers {
        let mut distances = Vec::new();
        let mut rows = 0;
        for line in text.lines() {
            if header_start(line).is_some() {
                distances.push(rows);
                rows = 0;
            } else if !is_group_line(line) {
                rows += 1;
            }
        }
        let between = distances.get(1..).unwrap_or_default();
        let same = between.windows(2).all(|pair| pair[0] == pair[1]);
        Headers { distances, same, next: 0 }
    }

    /// Whether the next header begins a run.
    fn is_start(&mut self) -> bool {
        let distance = self.distances.get(self.next).copied().unwrap_or(0);
        self.next += 1;
        distance != HEADER_REPEATS && !(self.same && distance >= SMALL_TERMINAL)
    }
}
