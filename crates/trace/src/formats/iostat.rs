//! What `iostat` prints, or writes with `-o JSON`: reports of CPU and disks, with `-t` each with its time.
//!
//! The first report, and the first after the tool was started anew, is an average since boot and left out. A report
//! without a time begins where a table comes again.

use super::banner::{self, Banner};
use super::lines::{LeftOut, is_of_terminal, lines, number};
use super::sysstat_json::{self, Row, Said, Text};
use super::{Input, Recognition, local_times};
use crate::formats::clock::Stamp;
use crate::record::{FieldId, Recorder, Signal, Unit};
use crate::{ReadError, ReadErrorKind, ReadOptions, Trace, Warning, WarningKind};

/// The columns of the table of CPU.
const CPU: &[(&str, Signal)] = &[
    ("%user", Signal::User),
    ("%nice", Signal::Nice),
    ("%system", Signal::System),
    ("%sys", Signal::System),
    ("%iowait", Signal::Iowait),
    ("%steal", Signal::Steal),
    ("%idle", Signal::Idle),
];

/// The columns of the tables of disks.
const DISKS: &[(&str, Signal, Unit)] = &[
    ("kB_read/s", Signal::DiskRead, Unit::KIB_PER_SECOND),
    ("MB_read/s", Signal::DiskRead, Unit::MIB_PER_SECOND),
    ("Blk_read/s", Signal::DiskRead, Unit::SECTORS_PER_SECOND),
    ("rkB/s", Signal::DiskRead, Unit::KIB_PER_SECOND),
    ("rMB/s", Signal::DiskRead, Unit::MIB_PER_SECOND),
    ("rsec/s", Signal::DiskRead, Unit::SECTORS_PER_SECOND),
    ("kB_wrtn/s", Signal::DiskWrite, Unit::KIB_PER_SECOND),
    ("MB_wrtn/s", Signal::DiskWrite, Unit::MIB_PER_SECOND),
    ("Blk_wrtn/s", Signal::DiskWrite, Unit::SECTORS_PER_SECOND),
    ("wkB/s", Signal::DiskWrite, Unit::KIB_PER_SECOND),
    ("wMB/s", Signal::DiskWrite, Unit::MIB_PER_SECOND),
    ("wsec/s", Signal::DiskWrite, Unit::SECTORS_PER_SECOND),
];

/// Columns that a table of disks has even where none of those above is in it.
const OF_DISKS: &[&str] = &["tps", "r/s", "w/s", "d/s", "f/s"];
/// The most tables of a report.
const MOST_TABLES: usize = 64;

pub(crate) fn recognise(head: &str) -> Recognition {
    let is_json = head.trim_start().starts_with('{') && head.contains("\"sysstat\"");
    let found = if is_json {
        head.contains("\"avg-cpu\"") || head.contains("\"disk_device\"")
    } else {
        let mut words = Vec::new();
        head.lines().any(|line| {
            words.clear();
            words.extend(line.split_ascii_whitespace());
            is_cpu_header(&words) || is_disk_header(&words)
        })
    };
    if found { Recognition::Yes } else { Recognition::No("no table avg-cpu: or Device") }
}

fn is_cpu_header(words: &[&str]) -> bool {
    words.first().is_some_and(|word| word.ends_with("cpu:"))
        && words.get(1).is_some_and(|word| word.starts_with('%'))
}

fn is_disk_header(words: &[&str]) -> bool {
    let is_known = |word: &&&str| OF_DISKS.contains(*word) || DISKS.iter().any(|(name, ..)| name == *word);
    // A table of sar has a time first.
    let has_name = |word: &&str| !word.starts_with(|c: char| c.is_ascii_digit());
    words.len() > 2
        && words.first().is_some_and(has_name)
        && if words[0].starts_with("Device") {
            words.iter().filter(is_known).count() >= 2
        } else {
            // Made for people, a report has several tables, some of them of one known column.
            words.last() == Some(&"Device") && words.iter().take(1).any(|word| is_known(&word))
        }
}

pub(crate) fn read(input: &Input, options: &ReadOptions) -> Result<Trace, ReadError> {
    let mut reports = Reports::new(Recorder::new(input.file, input.text, options));
    if input.text.trim_start().starts_with('{') {
        read_json(input, &mut reports)?;
    } else {
        let text = local_times::plain(input.text);
        read_text(&Input { file: input.file, text: &text }, &mut reports)?;
    }
    if reports.count > 0 && reports.recorder.samples() == 0 {
        let problem = "its only report is the average since boot";
        return Err(ReadError::new(ReadErrorKind::NoRows, input.file, problem)
            .hinting("Record with an interval: iostat -xt 1."));
    }
    reports.recorder.finish()
}

/// Tells the reports apart.
struct Reports<'a> {
    recorder: Recorder<'a>,
    count: usize,
    /// The next report is an average since boot.
    is_first: bool,
    /// This one is.
    left_out: bool,
}

impl<'a> Reports<'a> {
    fn new(recorder: Recorder<'a>) -> Reports<'a> {
        Reports { recorder, count: 0, is_first: true, left_out: true }
    }

    fn begin(&mut self, line: u64, stamp: Option<Stamp>, seen: &str) {
        self.count += 1;
        self.left_out = self.is_first;
        self.is_first = false;
        match (self.left_out, stamp) {
            (true, Some(stamp)) => self.recorder.start(stamp),
            (true, None) => {}
            (false, Some(stamp)) => self.left_out = !self.recorder.sample(line, stamp, seen),
            (false, None) => self.recorder.step(line),
        }
    }

    /// The tool was started, for the first time or again.
    fn restart(&mut self, line: u64) {
        if self.count > 0 && !self.is_first {
            let message = "iostat was started anew: its first report is an average since boot and was left out.";
            self.recorder.warnings.push(Warning::new(WarningKind::Restart, message).at_line(line));
        }
        self.is_first = true;
        self.left_out = true;
    }
}

/// A table that is being read.
enum Table<'t> {
    None,
    Cpu { header: Vec<&'t str>, fields: Vec<(usize, FieldId, Unit)> },
    Disks { header: Vec<&'t str>, fields: Vec<(usize, FieldId, Unit)>, name_last: bool },
}

impl<'t> Table<'t> {
    fn cpu(header: &[&'t str], recorder: &mut Recorder) -> Table<'t> {
        let header = header.get(1..).unwrap_or_default().to_vec();
        let unit = Unit::PERCENT_OF_NODE;
        let fields = CPU.iter().filter_map(|(name, signal)| {
            let index = header.iter().position(|column| column == name)?;
            Some((index, recorder.field(*signal, name, unit), unit))
        });
        Table::Cpu { fields: fields.collect(), header }
    }

    fn disks(header: &[&'t str], recorder: &mut Recorder) -> Table<'t> {
        let name_last = !header.first().is_some_and(|word| word.starts_with("Device"));
        let fields = DISKS.iter().filter_map(|(name, signal, unit)| {
            let index = header.iter().position(|column| column == name)?;
            Some((index, recorder.field(*signal, name, *unit), *unit))
        });
        Table::Disks { fields: fields.collect(), header: header.to_vec(), name_last }
    }
}

fn read_text(input: &Input, reports: &mut Reports) -> Result<(), ReadError> {
    let mut table = Table::None;
    let mut seen_tables: Vec<&str> = Vec::new();
    let mut is_timed = false;
    let mut words: Vec<&str> = Vec::new();
    let mut alone: Option<&str> = None;
    let mut left_out = LeftOut::default();
    for (number_of_line, line) in lines(input.text) {
        words.clear();
        words.extend(line.split_ascii_whitespace());
        let Some(&first) = words.first() else {
            table = Table::None;
            continue;
        };
        if let Some(banner) = Banner::of(line) {
            reports.restart(number_of_line);
            banner.tell(&mut reports.recorder);
            (table, is_timed) = (Table::None, false);
            seen_tables.clear();
            continue;
        }
        let is_cpu = is_cpu_header(&words);
        if is_cpu || is_disk_header(&words) {
            // Without a time, a table that comes again is the next report's.
            let is_again = seen_tables.contains(&line) || seen_tables.len() >= MOST_TABLES;
            if !is_timed && (seen_tables.is_empty() || is_again) {
                seen_tables.clear();
                reports.begin(number_of_line, None, "");
            }
            seen_tables.push(line);
            let recorder = &mut reports.recorder;
            table = if is_cpu { Table::cpu(&words, recorder) } else { Table::disks(&words, recorder) };
            alone = None;
            continue;
        }
        if let Some(stamp) = banner::report_time(line.trim().strip_prefix("Time: ").unwrap_or(line.trim())) {
            is_timed = true;
            seen_tables.clear();
            reports.begin(number_of_line, Some(stamp), line);
            table = Table::None;
            continue;
        }
        let (header, fields, device, offset) = match &table {
            Table::None => {
                // What comes before the first report is no part of it.
                if reports.count > 0 && !is_of_terminal(line) {
                    left_out.line(number_of_line);
                }
                continue;
            }
            Table::Cpu { header, fields } => (header, fields, None, 0),
            Table::Disks { header, fields, name_last: true } => {
                (header, fields, words.get(header.len() - 1).copied(), 0)
            }
            Table::Disks { header, fields, name_last: false } => match alone.take() {
                // A long name is in a line of its own.
                Some(name) => (header, fields, Some(name), 1),
                None if words.len() == 1 && header.len() > 1 && first != "^C" => {
                    alone = Some(first);
                    continue;
                }
                None => (header, fields, Some(first), 0),
            },
        };
        if words.len() + offset < header.len() {
            if !is_of_terminal(line) {
                left_out.line(number_of_line);
            }
            continue;
        }
        for &(index, field, unit) in fields {
            let word = words.get(index - offset).copied().unwrap_or_default();
            let value = figure(word, unit).ok_or_else(|| {
                ReadError::new(ReadErrorKind::BadNumber, input.file, "expected a number")
                    .at_line(number_of_line)
                    .in_column(header.get(index).copied().unwrap_or_default())
                    .seeing(word)
            })?;
            match device {
                _ if reports.left_out => {}
                Some(device) => reports.recorder.put_of(field, device, value),
                None => reports.recorder.put(field, value),
            }
        }
    }
    reports.recorder.warnings.extend(left_out.warning());
    Ok(())
}

/// A figure in the unit of its column: `12.5`, `12,5`, `12.5%`, or with a letter of its own, `2.9M` for MiB.
pub(crate) fn figure(word: &str, unit: Unit) -> Option<f64> {
    if let Some(value) = number(word.strip_suffix('%').unwrap_or(word)) {
        return Some(value);
    }
    let letter = word.chars().last()?;
    let bytes = 1024_f64.powi(i32::try_from("BkMGTP".find(letter)?).ok()?);
    Some(number(word.get(..word.len() - letter.len_utf8())?)? * bytes / unit.factor)
}

#[derive(serde::Deserialize)]
struct Element<'a> {
    #[serde(borrow)]
    timestamp: Option<Text<'a>>,
    #[serde(borrow, rename = "avg-cpu")]
    cpu: Option<Row<'a>>,
    #[serde(borrow)]
    disk: Option<Vec<Row<'a>>>,
}

fn read_json(input: &Input, reports: &mut Reports) -> Result<(), ReadError> {
    let mut bad_time = None;
    let mut hear = |said: Said<Element>| {
        let element = match said {
            Said::Host => {
                reports.restart(0);
                return;
            }
            Said::Cores(cores) => return reports.recorder.cores(cores),
            Said::Date(date) => {
                if let Some(days) = super::clock::date(&date) {
                    reports.recorder.date(days);
                }
                return;
            }
            Said::Element(element) => element,
        };
        let text = element.timestamp.map_or_else(Default::default, |text| text.0);
        let stamp = banner::report_time(&text);
        if stamp.is_none() && !text.is_empty() {
            bad_time.get_or_insert_with(|| text.into_owned());
            return;
        }
        reports.begin(0, stamp, &text);
        if reports.left_out {
            return;
        }
        let recorder = &mut reports.recorder;
        for (name, value) in element.cpu.into_iter().flat_map(|row| row.cells) {
            if let Some((source, signal)) = CPU.iter().find(|(column, _)| column.strip_prefix('%') == Some(&name))
            {
                let field = recorder.field(*signal, source, Unit::PERCENT_OF_NODE);
                recorder.put(field, value);
            }
        }
        for row in element.disk.into_iter().flatten() {
            for (name, value) in row.cells {
                if let Some((source, signal, unit)) = DISKS.iter().find(|(column, ..)| **column == name) {
                    let field = recorder.field(*signal, source, *unit);
                    recorder.put_of(field, &row.name, value);
                }
            }
        }
    };
    sysstat_json::tell_end(sysstat_json::walk(input.text, &mut hear), input.file, &mut reports.recorder)?;
    match bad_time {
        Some(text) => {
            Err(ReadError::new(ReadErrorKind::BadTime, input.file, "expected a date and time").seeing(&text))
        }
        None => Ok(()),
    }
}
