//! What `sadf -j` writes: for each host the samples, each with its time and its activities as objects, and at the end
//! the times at which the node started anew.
//!
//! Real versions of sadf write JSON that isn't: commas for decimals in some locales, brackets that are missing, commas
//! too many. So the text is read token by token, and commas, which tell nothing that brackets don't, are passed over.

use std::collections::{BTreeSet, VecDeque};

use super::clock::{self, Stamp};
use super::lines::number;
use super::sar_report::{Cores, choose_host, explain};
use super::{Input, Recognition};
use crate::record::{FieldId, Recorder, Signal, Unit};
use crate::{ReadError, ReadErrorKind, ReadOptions, Trace, Warning, WarningKind};

/// Brackets in brackets; sadf has 7.
const MAX_DEPTH: usize = 32;

/// The object, the figure in it, what it is.
const NAMES: &[(&str, &str, Signal, Unit)] = &[
    ("cpu-load", "user", Signal::User, Unit::PERCENT_OF_NODE),
    ("cpu-load", "usr", Signal::User, Unit::PERCENT_OF_NODE),
    ("cpu-load", "nice", Signal::Nice, Unit::PERCENT_OF_NODE),
    ("cpu-load", "guest", Signal::Guest, Unit::PERCENT_OF_NODE),
    ("cpu-load", "gnice", Signal::GuestNice, Unit::PERCENT_OF_NODE),
    ("cpu-load", "system", Signal::System, Unit::PERCENT_OF_NODE),
    ("cpu-load", "sys", Signal::System, Unit::PERCENT_OF_NODE),
    ("cpu-load", "irq", Signal::Irq, Unit::PERCENT_OF_NODE),
    ("cpu-load", "soft", Signal::SoftIrq, Unit::PERCENT_OF_NODE),
    ("cpu-load", "iowait", Signal::Iowait, Unit::PERCENT_OF_NODE),
    ("cpu-load", "steal", Signal::Steal, Unit::PERCENT_OF_NODE),
    ("cpu-load", "idle", Signal::Idle, Unit::PERCENT_OF_NODE),
    ("process-and-context-switch", "cswch", Signal::ContextSwitches, Unit::PER_SECOND),
    ("io-reads", "bread", Signal::DiskRead, Unit::SECTORS_PER_SECOND),
    ("io-writes", "bwrtn", Signal::DiskWrite, Unit::SECTORS_PER_SECOND),
    ("disk", "rkB", Signal::DiskRead, Unit::KIB_PER_SECOND),
    ("disk", "wkB", Signal::DiskWrite, Unit::KIB_PER_SECOND),
    ("disk", "rd_sec", Signal::DiskRead, Unit::SECTORS_PER_SECOND),
    ("disk", "wr_sec", Signal::DiskWrite, Unit::SECTORS_PER_SECOND),
    ("net-dev", "rxkB", Signal::NetworkReceive, Unit::KIB_PER_SECOND),
    ("net-dev", "txkB", Signal::NetworkTransmit, Unit::KIB_PER_SECOND),
    ("memory", "memfree", Signal::MemoryFree, Unit::KIB),
    ("memory", "avail", Signal::MemoryAvailable, Unit::KIB),
    ("memory", "memused", Signal::MemoryUsed, Unit::KIB),
    ("memory", "memused-percent", Signal::MemoryUsedShare, Unit::PERCENT),
    ("memory", "buffers", Signal::Buffers, Unit::KIB),
    ("memory", "cached", Signal::Cached, Unit::KIB),
    ("psi-cpu", "some_avg", Signal::CpuPressure, Unit::PERCENT),
    ("psi-io", "some_avg", Signal::IoPressure, Unit::PERCENT),
    ("psi-mem", "some_avg", Signal::MemoryPressure, Unit::PERCENT),
];

pub(crate) fn recognise(head: &str) -> Recognition {
    // mpstat and iostat have "date" there.
    if head.trim_start().starts_with('{') && head.contains("\"sysstat\"") && head.contains("\"file-date\"") {
        Recognition::Yes
    } else {
        Recognition::No("is no JSON with \"sysstat\" and \"file-date\"")
    }
}

/// A piece of the text.
#[derive(Clone, Copy)]
enum Token<'t> {
    Open(u8),
    Close(u8),
    /// What comes after it is its value.
    Key(&'t str),
    Text(&'t str),
    /// A number, `true`, `null`.
    Bare(&'t str),
}

struct Tokens<'t> {
    text: &'t str,
    at: usize,
    has_decimal_commas: bool,
}

impl<'t> Tokens<'t> {
    /// The next piece. `None`: the end.
    fn next(&mut self) -> Option<Token<'t>> {
        let bytes = self.text.as_bytes();
        let is_blank = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b',' | b':');
        self.at += bytes.get(self.at..)?.iter().take_while(|byte| is_blank(byte)).count();
        let (start, first) = (self.at, *bytes.get(self.at)?);
        self.at += 1;
        match first {
            b'{' | b'[' => return Some(Token::Open(first)),
            b'}' | b']' => return Some(Token::Close(first)),
            b'"' => {
                while let Some(byte) = bytes.get(self.at).filter(|byte| **byte != b'"') {
                    self.at += if *byte == b'\\' { 2 } else { 1 };
                }
                let text = self.text.get(start + 1..self.at).unwrap_or_default();
                self.at = (self.at + 1).min(bytes.len());
                let after = bytes.get(self.at..).unwrap_or_default();
                let is_key = after.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b':');
                return Some(if is_key { Token::Key(text) } else { Token::Text(text) });
            }
            _ => {}
        }
        // A comma with a digit right after it is one of decimals: what follows a value begins with a quote.
        while let Some(byte) = bytes.get(self.at) {
            let is_decimal = *byte == b',' && bytes.get(self.at + 1).is_some_and(u8::is_ascii_digit);
            if !is_decimal && (is_blank(byte) || matches!(byte, b'{' | b'}' | b'[' | b']' | b'"')) {
                break;
            }
            self.has_decimal_commas |= is_decimal;
            self.at += 1;
        }
        Some(Token::Bare(self.text.get(start..self.at).unwrap_or_default()))
    }
}

/// The time in the object that is open.
#[derive(Clone, Copy, Default)]
struct Time<'t> {
    date: &'t str,
    clock: &'t str,
    interval: Option<f64>,
    cores: Option<f64>,
}

impl Time<'_> {
    fn stamp(&self) -> Option<Stamp> {
        let days = clock::date(self.date)?;
        let of_day = clock::stamp(self.clock).filter(|stamp| !stamp.dated)?;
        Stamp::unix(days * clock::DAY_SECONDS + of_day.seconds)
    }
}

pub(crate) fn read(input: &Input, options: &ReadOptions) -> Result<Trace, ReadError> {
    let hosts: BTreeSet<&str> = texts(input.text, "nodename");
    let mut reader = Reader {
        file: input.file,
        text: input.text,
        host: choose_host(input.file, &hosts, options.subject.as_deref())?,
        recorder: Recorder::new(input.file, input.text, options),
        fields: vec![None; NAMES.len()],
        of_core: vec![None; NAMES.len()],
        path: Vec::new(),
        key: "",
        is_other_host: false,
        is_open: false,
        device: "",
        time: Time::default(),
        restarts: restarts(input.text).into(),
        cores: Cores::new(input.text, |line| {
            ["{\"cpu\": \"all\"", "{\"cpu\":\"all\"", "{\"cpu\": \"-1\""].iter().any(|start| line.contains(start))
        }),
        node_cores: None,
        restarted: false,
        objects: Vec::new(),
        lines: 0,
        counted: 0,
    };
    let mut tokens = Tokens { text: input.text, at: 0, has_decimal_commas: false };
    let mut is_mended = false;
    while let Some(token) = tokens.next() {
        is_mended |= !reader.token(token, tokens.at)?;
    }
    if !reader.path.is_empty() {
        let message = "The file ends too early: its last brackets are missing.";
        reader.recorder.warnings.push(Warning::new(WarningKind::CutOff, message));
    }
    if is_mended {
        let message = "Its brackets don't match: the JSON is broken, and was read all the same.";
        reader.recorder.warnings.push(Warning::new(WarningKind::Mended, message));
    }
    if tokens.has_decimal_commas {
        let message = "Its numbers have commas for decimals, which JSON doesn't know; they were read so.";
        let hint = "LC_ALL=C sadf -j writes points.";
        reader.recorder.warnings.push(Warning::new(WarningKind::Mended, message).hinting(hint));
    }
    reader.cores.check(reader.node_cores, &mut reader.recorder);
    let objects = std::mem::take(&mut reader.objects);
    reader.recorder.finish().map_err(|error| explain(error, true, &objects))
}

struct Reader<'t, 'o> {
    file: &'t str,
    text: &'t str,
    /// The host to read, if there are several.
    host: Option<&'t str>,
    recorder: Recorder<'o>,
    /// The fields of [`NAMES`] that were met.
    fields: Vec<Option<FieldId>>,
    of_core: Vec<Option<FieldId>>,
    /// The brackets that are open, and the keys that they are the values of.
    path: Vec<(u8, &'t str)>,
    key: &'t str,
    is_other_host: bool,
    /// Whether the sample has a time.
    is_open: bool,
    device: &'t str,
    time: Time<'t>,
    /// When the node started anew, and its cores from then on.
    restarts: VecDeque<(f64, Option<f64>)>,
    cores: Cores<'t>,
    node_cores: Option<f64>,
    restarted: bool,
    /// What the samples have, to say so if nothing is of use.
    objects: Vec<&'t str>,
    /// Lines up to a byte.
    lines: u64,
    counted: usize,
}

impl<'t> Reader<'t, '_> {
    /// `false`: a bracket closes none that is open.
    fn token(&mut self, token: Token<'t>, at: usize) -> Result<bool, ReadError> {
        match token {
            Token::Key(key) => self.key = key,
            Token::Open(bracket) => {
                if self.path.len() >= MAX_DEPTH {
                    return Err(self.broken(at, "brackets in too many brackets", ""));
                }
                let in_list = self.path.last().filter(|(bracket, _)| *bracket == b'[');
                let key = in_list.map_or(self.key, |(_, key)| *key);
                self.path.push((bracket, key));
                if bracket == b'{' {
                    self.device = "";
                    if matches!(key, "statistics" | "restarts") {
                        self.is_open = false;
                    } else if key == "timestamp" {
                        self.time = Time::default();
                    } else if self.is_open && self.objects.len() < 100 && !self.objects.contains(&key) {
                        self.objects.push(key);
                    }
                }
                self.key = "";
            }
            Token::Close(bracket) => {
                let open = if bracket == b'}' { b'{' } else { b'[' };
                let Some(index) = self.path.iter().rposition(|(bracket, _)| *bracket == open) else {
                    return Ok(false);
                };
                let matches = index + 1 == self.path.len();
                let key = self.path.get(index).map_or("", |(_, key)| key);
                self.path.truncate(index);
                if key == "timestamp" && open == b'{' {
                    self.sample(at)?;
                }
                self.key = "";
                return Ok(matches);
            }
            Token::Text(text) => self.text_value(text),
            Token::Bare(text) => self.number_value(text, at)?,
        }
        Ok(true)
    }

    fn text_value(&mut self, text: &'t str) {
        let key = std::mem::take(&mut self.key);
        match key {
            "nodename" => self.is_other_host = self.host.is_some_and(|host| host != text),
            "date" => self.time.date = text,
            "time" => self.time.clock = text,
            "cpu" | "disk-device" | "iface" => self.device = text,
            _ => {}
        }
    }

    fn number_value(&mut self, text: &'t str, at: usize) -> Result<(), ReadError> {
        let key = std::mem::take(&mut self.key);
        if key.is_empty() {
            let broken = "something that JSON doesn't have there";
            return if number(text).is_some() { Ok(()) } else { Err(self.broken(at, broken, text)) };
        }
        let Some((_, object)) = self.path.last() else { return Ok(()) };
        match key {
            "interval" if *object == "timestamp" => self.time.interval = number(text),
            "number-of-cpus" if !self.is_other_host => {
                if let Some(cores) = number(text) {
                    self.node_cores = Some(cores);
                    self.recorder.cores(cores);
                }
            }
            "cpu" => self.device = text,
            _ if self.is_open && !self.is_other_host => {
                let object = if *object == "cpu-load-all" { "cpu-load" } else { object };
                let Some(index) = NAMES.iter().position(|name| name.0 == object && name.1 == key) else {
                    return Ok(());
                };
                let Some(value) = number(text).or((text == "null").then_some(f64::NAN)) else {
                    let line = self.line(at);
                    return Err(ReadError::new(ReadErrorKind::BadNumber, self.file, "expected a number")
                        .at_line(line)
                        .in_column(key)
                        .seeing(text));
                };
                self.put(index, value);
            }
            _ => {}
        }
        Ok(())
    }

    fn put(&mut self, index: usize, value: f64) {
        let Some((object, name, signal, unit)) = NAMES.get(index) else { return };
        let recorder = &mut self.recorder;
        let is_cpu = *object == "cpu-load";
        let is_all = is_cpu && matches!(self.device, "all" | "-1");
        if is_all {
            self.cores.has_all();
        } else if is_cpu && !self.cores.count(self.device) {
            return;
        }
        let (fields, unit) =
            if is_cpu && !is_all { (&mut self.of_core, Unit::PERCENT_OF_CORE) } else { (&mut self.fields, *unit) };
        let Some(field) = fields.get_mut(index) else { return };
        let field = *field.get_or_insert_with(|| recorder.field(*signal, name, unit));
        if is_all || self.device.is_empty() {
            recorder.put(field, value);
        } else {
            recorder.put_of(field, self.device, value);
        }
    }

    /// Opens the sample whose time is there.
    fn sample(&mut self, at: usize) -> Result<(), ReadError> {
        if self.is_other_host {
            return Ok(());
        }
        let seen = format!("{} {}", self.time.date, self.time.clock);
        let line = self.line(at);
        let stamp = self.time.stamp().ok_or_else(|| {
            ReadError::new(ReadErrorKind::BadTime, self.file, "expected a date and a time")
                .at_line(line)
                .in_column("timestamp")
                .seeing(&seen)
        })?;
        if self.recorder.samples() == 0
            && let Some(interval) = self.time.interval.filter(|seconds| *seconds > 0.0 && *seconds < stamp.seconds)
        {
            self.recorder.start(Stamp { seconds: stamp.seconds - interval, ..stamp });
        }
        while let Some((_, cores)) = self.restarts.pop_front_if(|(seconds, _)| *seconds <= stamp.seconds) {
            if let Some(cores) = cores {
                self.recorder.cores(cores);
            }
            if self.recorder.samples() > 0 && !self.restarted {
                self.restarted = true;
                let message = "The node started anew in the middle: it did something else than before then.";
                self.recorder.warnings.push(Warning::new(WarningKind::Restart, message).at_line(line));
            }
        }
        self.is_open = self.recorder.sample(line, stamp, &seen);
        Ok(())
    }

    fn broken(&mut self, at: usize, problem: &str, seen: &str) -> ReadError {
        let line = self.line(at);
        ReadError::new(ReadErrorKind::BadJson, self.file, problem).at_line(line).seeing(seen)
    }

    /// The line of a byte. Bytes are asked for in rising order.
    fn line(&mut self, at: usize) -> u64 {
        let since = self.text.as_bytes().get(self.counted..at).unwrap_or_default();
        self.lines += since.split(|byte| *byte == b'\n').skip(1).count() as u64;
        self.counted = at.max(self.counted);
        self.lines + 1
    }
}

/// The values of a key anywhere in the text.
fn texts<'t>(text: &'t str, key: &str) -> BTreeSet<&'t str> {
    let quoted = format!("\"{key}\"");
    let values = text.match_indices(quoted.as_str()).filter_map(|(at, found)| {
        let after = text.get(at + found.len()..)?.trim_start().strip_prefix(':')?.trim_start();
        after.strip_prefix('"')?.split('"').next()
    });
    values.collect()
}

/// When the node started anew, and its cores from then on.
fn restarts(text: &str) -> Vec<(f64, Option<f64>)> {
    let Some(at) = text.rfind("\"restarts\"") else { return Vec::new() };
    let mut tokens = Tokens { text, at, has_decimal_commas: false };
    let (mut found, mut time, mut key) = (Vec::new(), Time::default(), "");
    while let Some(token) = tokens.next() {
        match token {
            Token::Key(name) => key = name,
            Token::Text(value) if key == "date" => time.date = value,
            Token::Text(value) if key == "time" => time.clock = value,
            Token::Bare(value) if key == "cpu_count" => time.cores = number(value),
            Token::Close(b'}') => {
                let time = std::mem::take(&mut time);
                found.extend(time.stamp().map(|stamp| (stamp.seconds, time.cores)));
            }
            _ => {}
        }
    }
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    found
}
