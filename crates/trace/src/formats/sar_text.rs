//! What sar prints: for each activity a block of its own, with a header that begins with the time from which the
//! first sample speaks, rows, and averages at the end. Live output has all activities for one sample, then for the
//! next; a report from a file has one activity for all samples, then the next, which goes over time again.
//!
//! Times, dates, the decimal point and the word for averages are those of the locale.

use std::collections::BTreeSet;

use super::clock::{Stamp, days};
use super::lines::lines;
use super::sar_report::{Activity, Cores, LeftOut, choose_host, cores_in, explain, is_device};
use super::{Input, Recognition, clock};
use crate::record::Recorder;
use crate::{ReadError, ReadErrorKind, ReadOptions, Trace, Warning, WarningKind};

/// Headers that are remembered.
const MAX_ACTIVITIES: usize = 64;
/// First columns of activities, and those that only sar has.
const COLUMNS: &[&str] = &[
    "proc/s", "tps", "DEV", "IFACE", "INTR", "TTY", "FAN", "TEMP", "BUS", "IN", "kbmemfree", "kbswpfree",
    "kbhugfree", "pswpin/s", "pgpgin/s", "runq-sz", "dentunusd", "totsck", "active/s", "idgm/s", "irec/s",
    "%scpu-10", "%sio-10", "%smem-10", "cswch/s", "MBfsfree", "FILESYSTEM", "call/s", "scall/s", "FCHOST",
];
/// How locales call the halves of the day.
const HALVES: &[(&str, f64)] = &[
    ("AM", 0.0), ("PM", 12.0), ("am", 0.0), ("pm", 12.0), ("a.m.", 0.0), ("p.m.", 12.0), ("πμ", 0.0),
    ("μμ", 12.0), ("पूर्वाह्न", 0.0), ("अपराह्न", 12.0), ("上午", 0.0), ("下午", 12.0), ("오전", 0.0), ("오후", 12.0),
    ("午前", 0.0), ("午後", 12.0),
];

/// What comes after the hour, the minute and the second.
const MARKS: [&[char]; 3] = [&[':', '.', '時', '时', '시'], &[':', '.', '分', '분'], &['秒', '초']];

pub(crate) fn recognise(head: &str) -> Recognition {
    if head.lines().any(|line| clock_of(line).is_some_and(|(_, rest)| is_sar_header(rest))) {
        Recognition::Yes
    } else {
        Recognition::No("no header line with the time and then sar's columns")
    }
}

/// Whether a header, without its time, is one of sar's and of no other tool of the family.
fn is_sar_header(rest: &str) -> bool {
    let names: Vec<&str> = rest.split_ascii_whitespace().collect();
    let names = names.get(prefix_words(&names)..).unwrap_or_default();
    let Some(&first) = names.first() else { return false };
    if !is_header(rest) || names.iter().any(|name| matches!(*name, "PID" | "UID" | "TGID" | "TID" | "intr/s")) {
        return false;
    }
    if first != "CPU" {
        return names.len() > 1 && (COLUMNS.contains(&first) || names.iter().any(|name| is_device(name)));
    }
    // mpstat has the same columns in another order.
    let after = names.iter().position(|name| *name == "%iowait").and_then(|index| names.get(index + 1));
    match names.get(1) {
        Some(&("%user" | "%usr")) => after != Some(&"%irq"),
        Some(&("MHz" | "total/s")) => true,
        _ => false,
    }
}

pub(crate) fn read(input: &Input, options: &ReadOptions) -> Result<Trace, ReadError> {
    let mut hosts = BTreeSet::new();
    let mut day_first = false;
    for line in input.text.lines().filter(|line| line.starts_with("Linux ")) {
        let (host, date) = host_and_date(line);
        hosts.extend(host);
        day_first |= date.is_some_and(is_day_first);
    }
    let host = choose_host(input.file, &hosts, options.subject.as_deref())?;
    let mut reader = Reader {
        file: input.file,
        recorder: Recorder::new(input.file, input.text, options),
        host,
        is_other_host: false,
        day_first,
        activities: Vec::new(),
        activity: None,
        prefix: 0,
        header: None,
        last: None,
        row_activity: None,
        averaged: false,
        words: Vec::new(),
        cores: Cores::new(input.text, is_row_of_all),
        node_cores: None,
        restarted: None,
        left_out: LeftOut::default(),
    };
    let mut last_line = 0;
    for (number, line) in lines(input.text) {
        if !line.is_empty() {
            last_line = number;
            reader.line(number, line)?;
        }
    }
    reader.finish(last_line)
}

struct Reader<'t, 'o> {
    file: &'t str,
    recorder: Recorder<'o>,
    /// The host to read, if there are several.
    host: Option<&'t str>,
    is_other_host: bool,
    /// Whether dates with slashes have the day first.
    day_first: bool,
    activities: Vec<Activity<'t>>,
    /// The one whose rows follow.
    activity: Option<usize>,
    /// Words between the time and the first column: half of the day, time zone.
    prefix: usize,
    /// The time in a header whose first row is still to come.
    header: Option<f64>,
    /// The time of the last row.
    last: Option<f64>,
    row_activity: Option<usize>,
    /// Whether averages came after it.
    averaged: bool,
    words: Vec<&'t str>,
    cores: Cores<'t>,
    node_cores: Option<f64>,
    restarted: Option<u64>,
    left_out: LeftOut,
}

impl<'t> Reader<'t, '_> {
    fn line(&mut self, number: u64, line: &'t str) -> Result<(), ReadError> {
        let Some((seconds, rest)) = clock_of(line) else {
            return self.line_without_time(number, line);
        };
        if self.is_other_host {
            return Ok(());
        }
        if is_header(rest) {
            self.words.clear();
            self.words.extend(rest.split_ascii_whitespace());
            if self.words.iter().take(4).any(|word| *word == "RESTART") {
                self.restart(number, line);
                return Ok(());
            }
            let prefix = prefix_words(&self.words);
            if self.words.get(prefix) == Some(&"COM") {
                return Ok(());
            }
            self.prefix = prefix;
            self.header = Some(seconds + half(&self.words[..prefix], seconds));
            self.start_activity();
            return Ok(());
        }
        let Some(activity) = self.activity.and_then(|index| self.activities.get(index)) else { return Ok(()) };
        if !activity.is_used() {
            return Ok(());
        }
        self.words.clear();
        self.words.extend(rest.split_ascii_whitespace());
        let Some((prefix, cells)) = self.words.split_at_checked(self.prefix) else {
            self.left_out.row(number);
            return Ok(());
        };
        if cells.first() == Some(&"COM") {
            return Ok(());
        }
        if cells.len() != activity.names.len() {
            self.left_out.row(number);
            return Ok(());
        }
        let seconds = seconds + half(prefix, seconds);
        if let Some(header) = self.header.take() {
            let goes_on = self.last == Some(seconds) || self.last == Some(header);
            let is_other = self.activity != self.row_activity;
            // The same activity earlier in the day without averages in between: midnight, where it is far earlier.
            let is_back = |last: f64| seconds < last && last - seconds <= clock::DAY_SECONDS / 2.0;
            if self.averaged || (!goes_on && self.last.is_some_and(|last| is_other || is_back(last))) {
                self.recorder.pass();
            }
            self.averaged = false;
            self.recorder.start(Stamp { seconds: header, dated: false });
        }
        (self.last, self.row_activity) = (Some(seconds), self.activity);
        let time = line.get(..line.len() - rest.len()).unwrap_or_default().trim_end();
        if self.recorder.sample(number, Stamp { seconds, dated: false }, time) {
            activity
                .put(cells, &mut self.recorder, &mut self.cores)
                .map_err(|column| activity.not_a_number(self.file, number, column, cells))?;
        }
        Ok(())
    }

    /// A line that doesn't begin with a time: the head of a report, an average, or something else.
    fn line_without_time(&mut self, number: u64, line: &'t str) -> Result<(), ReadError> {
        if line.starts_with("Linux ") {
            let (host, date) = host_and_date(line);
            self.is_other_host = self.host.is_some() && host.is_some() && host != self.host;
            if self.is_other_host {
                return Ok(());
            }
            if let Some(date) = date.and_then(|date| date_of(date, self.day_first)) {
                self.recorder.date(date);
            }
            self.last = None;
            if let Some(cores) = cores_in(line) {
                self.node_cores = Some(cores);
                self.recorder.cores(cores);
            }
            return Ok(());
        }
        let mut words = line.split_ascii_whitespace();
        let (first, second) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        if first.ends_with([':', '：']) || matches!(second, ":" | "：") {
            self.averaged = true;
            return Ok(());
        }
        let activity = self.activity.and_then(|index| self.activities.get(index));
        if self.is_other_host || !activity.is_some_and(Activity::is_used) {
            return Ok(());
        }
        let columns = activity.map_or(0, |activity| activity.names.len());
        if line.split_ascii_whitespace().count() != columns + self.prefix + 1 {
            // Not a row: a shell's prompt, say. One that is cut off at the end counts.
            if first.starts_with(|c: char| c.is_ascii_digit()) {
                self.left_out.row(number);
            }
            return Ok(());
        }
        let error = ReadError::new(ReadErrorKind::BadTime, self.file, "expected a time of day such as 13:05:09");
        Err(error.at_line(number).seeing(first).hinting("Correct the line or remove it."))
    }

    /// Makes the words of a header the activity.
    fn start_activity(&mut self) {
        let Some(names) = self.words.get(self.prefix..) else { return };
        if self.activity.and_then(|index| self.activities.get(index)).is_some_and(|now| now.names == names) {
            return;
        }
        let known = self.activities.iter().position(|activity| activity.names == names);
        let index = known.unwrap_or_else(|| {
            if self.activities.len() >= MAX_ACTIVITIES {
                self.activities.pop();
            }
            self.activities.push(Activity::new(names, &mut self.recorder));
            self.activities.len() - 1
        });
        self.activity = Some(index);
    }

    fn restart(&mut self, number: u64, line: &str) {
        if let Some(cores) = cores_in(line) {
            self.node_cores = Some(cores);
            self.recorder.cores(cores);
        }
        if self.recorder.samples() > 0 {
            self.restarted.get_or_insert(number);
        }
    }

    fn finish(mut self, last_line: u64) -> Result<Trace, ReadError> {
        if let Some(line) = self.restarted {
            let message = "The node started anew in the middle: it did something else than before then.";
            self.recorder.warnings.push(Warning::new(WarningKind::Restart, message).at_line(line));
        }
        self.left_out.warn(last_line, &mut self.recorder);
        self.cores.check(self.node_cores, &mut self.recorder);
        let columns: Vec<&str> = self.activities.iter().flat_map(|activity| activity.names.clone()).collect();
        let is_used = self.activities.iter().any(Activity::is_used);
        self.recorder.finish().map_err(|error| explain(error, is_used, &columns))
    }
}

/// Whether the words after a time are a header or a remark: there is no figure among them.
fn is_header(rest: &str) -> bool {
    !rest.is_empty()
        && !rest.split_ascii_whitespace().any(|word| {
            word.starts_with(|c: char| c.is_ascii_digit() || c == '-')
                || word.eq_ignore_ascii_case("nan")
        })
}

/// Whether a line is the row of all processors.
fn is_row_of_all(line: &str) -> bool {
    let Some((_, rest)) = clock_of(line) else { return false };
    let mut words = rest.split_ascii_whitespace().skip_while(|word| *word != "all");
    words.next().is_some() && words.next().is_some_and(|word| word.starts_with(|c: char| c.is_ascii_digit()))
}

/// How many words at the start of a header belong to its time: half of the day, time zone.
pub(crate) fn prefix_words(words: &[&str]) -> usize {
    let halves = words.first().map_or(0, |word| usize::from(HALVES.iter().any(|(name, _)| name == word)));
    let is_zone = |word: &&str| {
        (3..=5).contains(&word.len())
            && word.bytes().all(|byte| byte.is_ascii_uppercase())
            && !is_device(word)
            && !COLUMNS.contains(word)
            && !matches!(*word, "COM" | "PID" | "UID" | "USER" | "TGID" | "TID" | "CORE" | "NODE")
    };
    halves + usize::from(words.len() > halves + 1 && words.get(halves).is_some_and(is_zone))
}

/// What to add to a time for the half of the day that is among the words after it.
pub(crate) fn half(words: &[&str], seconds: f64) -> f64 {
    let name = words.first().and_then(|word| HALVES.iter().find(|(name, _)| name == word));
    name.map_or(0.0, |(_, hours)| to_add(*hours, seconds))
}

/// What to add to a time of 12 hours for the half of the day that begins at `hours`. 12 itself is the first hour.
fn to_add(hours: f64, seconds: f64) -> f64 {
    (hours - if (12.0..13.0).contains(&(seconds / 3600.0)) { 12.0 } else { 0.0 }) * 3600.0
}

/// The time of day at the start of a line, in seconds, and what comes after it.
pub(crate) fn clock_of(line: &str) -> Option<(f64, &str)> {
    let mut rest = line;
    let mut half = None;
    if !line.as_bytes().first()?.is_ascii_digit() {
        let (name, hours) = HALVES.iter().find(|(name, _)| !name.is_ascii() && line.starts_with(name))?;
        rest = line[name.len()..].trim_start();
        half = Some(*hours);
    }
    let mut of_day = [0_u32; 3];
    for (index, part) in of_day.iter_mut().enumerate() {
        let digits = rest.bytes().take(2).take_while(u8::is_ascii_digit).count();
        *part = rest[..digits].parse().ok()?;
        rest = &rest[digits..];
        match rest.strip_prefix(MARKS[index]) {
            Some(after) if index < 2 => rest = after.trim_start_matches(' '),
            Some(after) => rest = after,
            None if index < 2 => return None,
            None => {}
        }
    }
    let [hour, minute, second] = of_day;
    if hour > 23 || minute > 59 || second > 60 || !rest.is_empty() && !rest.starts_with([' ', '\t']) {
        return None;
    }
    let seconds = f64::from(hour * 3600 + minute * 60 + second);
    let seconds = seconds + half.map_or(0.0, |hours| to_add(hours, seconds));
    Some((seconds, rest.trim_start()))
}

/// The host and the date in the first line of a report: `Linux 6.1.0 (node)  05/01/24  _x86_64_  (4 CPU)`.
pub(crate) fn host_and_date(line: &str) -> (Option<&str>, Option<&str>) {
    let Some((before, after)) = line.split_once(')') else { return (None, None) };
    let host = before.rsplit_once('(').map(|(_, host)| host);
    // With blanks in it in some languages; then comes the processor's type, after a tab.
    let date = after.trim_start().split(['\t', '_']).next().map(str::trim).filter(|date| !date.is_empty());
    (host, date)
}

/// The numbers in a date, and whether it has slashes.
fn parts(date: &str) -> Option<[(u32, usize); 3]> {
    let mut numbers = date.split(|c: char| !c.is_ascii_digit()).filter(|part| !part.is_empty());
    let mut next = || numbers.next().and_then(|part| Some((part.parse::<u32>().ok()?, part.len())));
    let parts = [next()?, next()?, next()?];
    numbers.next().is_none().then_some(parts)
}

fn is_day_first(date: &str) -> bool {
    parts(date).is_some_and(|[first, second, _]| first.1 <= 2 && first.0 > 12 && second.0 <= 12)
}

/// The date in days since 1970. `day_first`: other dates in the file show that its dates begin with the day.
pub(crate) fn date_of(date: &str, day_first: bool) -> Option<f64> {
    let is_plain = date.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'/' | b'.' | b'-'));
    match parts(date)? {
        [first, second, third] if first.1 == 4 => days(first.0, second.0, third.0),
        [day, month, year] if day_first => {
            days(if year.1 <= 2 { 2000 + year.0 } else { year.0 }, month.0, day.0)
        }
        _ if is_plain => clock::date(date),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_any_locale() {
        let at = |hour: u32, minute: u32, second: u32| f64::from(hour * 3600 + minute * 60 + second);
        let cases = [
            ("21:18:07        CPU", Some((at(21, 18, 7), "CPU"))),
            ("9:18:07 PM CPU", Some((at(9, 18, 7), "PM CPU"))),
            ("21.18.07 all", Some((at(21, 18, 7), "all"))),
            ("21時18分07秒     CPU", Some((at(21, 18, 7), "CPU"))),
            ("21시 18분 07초     CPU", Some((at(21, 18, 7), "CPU"))),
            ("下午 09:18:07 CPU", Some((at(21, 18, 7), "CPU"))),
            ("下午 12:18:07 CPU", Some((at(12, 18, 7), "CPU"))),
            ("上午 12:18:07 CPU", Some((at(0, 18, 7), "CPU"))),
            ("上午 09:18:07 CPU", Some((at(9, 18, 7), "CPU"))),
            ("21:18:07", Some((at(21, 18, 7), ""))),
            ("24:18:07 x", None),
            ("21:18:61 x", None),
            ("21:18:077 x", None),
            ("21:18 x", None),
            ("Average: x", None),
            ("é", None),
            ("", None),
        ];
        for (line, wanted) in cases {
            assert_eq!(clock_of(line), wanted, "{line}");
        }
        for (words, seconds, wanted) in [
            (&["PM"][..], at(9, 0, 0), at(12, 0, 0)),
            (&["PM"], at(12, 30, 0), 0.0),
            (&["AM"], at(12, 30, 0), -at(12, 0, 0)),
            (&["μμ", "UTC"], at(1, 0, 0), at(12, 0, 0)),
            (&["UTC"], at(1, 0, 0), 0.0),
            (&[], at(1, 0, 0), 0.0),
        ] {
            assert_eq!(half(words, seconds), wanted, "{words:?} {seconds}");
        }
    }

    #[test]
    fn dates_of_any_locale() {
        let may_1 = days(2024, 5, 1);
        for (date, day_first, wanted) in [
            ("05/01/24", false, may_1),
            ("01/05/24", true, may_1),
            ("01/05/2024", true, may_1),
            ("01.05.2024", false, may_1),
            ("2024-05-01", true, may_1),
            ("2024年05月01日", false, may_1),
            ("2024년 05월 01일", false, may_1),
            ("31/01/24", false, days(2024, 1, 31)),
            ("soon", false, None),
            ("1/2", false, None),
        ] {
            assert_eq!(date_of(date, day_first), wanted, "{date}");
        }
        let line = "Linux 6.1.0 (node) \t2024년 05월 01일 \t_x86_64_\t(2 CPU)";
        assert_eq!(host_and_date(line), (Some("node"), Some("2024년 05월 01일")));
    }
}
