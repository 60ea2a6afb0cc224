//! What `docker stats` prints: tables or JSON lines, logged in a loop or as the screen is refreshed, or rows in a format
//! of one's own. `podman stats` prints the same tables, and JSON as a list.
//!
//! 100 % of CPU is one core. Memory is without the page cache that can be dropped at once. Network and block I/O
//! are totals since the container started, rounded to three digits.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde::Deserialize;

use super::docker_rows::Bare;
use super::lines::{LeftOut, lines, number};
use super::log::{self, Blocks};
use super::{Input, Recognition, clock, subjects};
use crate::record::{FieldId, Recorder, Signal, Unit};
use crate::{ReadError, ReadErrorKind, ReadOptions, Trace};

const ROUNDED: Unit = Unit::BYTES.times(1.0, "bytes rounded to three digits");

/// What a cell of a row holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cell {
    Id,
    Name,
    Cpu,
    Memory,
    Network,
    Disk,
    Unused,
}

impl Cell {
    /// The column that a header's cell names. `None`: docker has no such column.
    fn of(name: &str) -> Option<Cell> {
        Some(match name {
            "CONTAINER ID" | "CONTAINER" | "ID" => Cell::Id,
            "NAME" => Cell::Name,
            "CPU %" => Cell::Cpu,
            "MEM USAGE / LIMIT" | "PRIV WORKING SET" => Cell::Memory,
            "NET I/O" | "NET IO" => Cell::Network,
            "BLOCK I/O" | "BLOCK IO" => Cell::Disk,
            "MEM %" | "PIDS" | "CPU TIME" | "AVG CPU %" => Cell::Unused,
            _ => return None,
        })
    }
}

/// A container's figures at one time, as text.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Row<'a> {
    #[serde(borrow, rename = "ID", alias = "id")]
    id: Cow<'a, str>,
    #[serde(borrow, rename = "Container")]
    container: Cow<'a, str>,
    #[serde(borrow, rename = "Name", alias = "name")]
    name: Cow<'a, str>,
    #[serde(borrow, rename = "CPUPerc", alias = "cpu_percent")]
    pub(super) cpu: Cow<'a, str>,
    #[serde(borrow, rename = "MemUsage", alias = "mem_usage")]
    memory: Cow<'a, str>,
    #[serde(borrow, rename = "NetIO", alias = "net_io")]
    network: Cow<'a, str>,
    #[serde(borrow, rename = "BlockIO", alias = "block_io")]
    disk: Cow<'a, str>,
    #[serde(borrow, alias = "time", alias = "Timestamp", alias = "Time", alias = "date")]
    pub(super) timestamp: Cow<'a, str>,
}

impl<'a> Row<'a> {
    /// Puts a cell in its place.
    pub(super) fn set(&mut self, column: Cell, cell: &'a str) {
        let place = match column {
            Cell::Id => &mut self.id,
            Cell::Name => &mut self.name,
            Cell::Cpu => &mut self.cpu,
            Cell::Memory => &mut self.memory,
            Cell::Network => &mut self.network,
            Cell::Disk => &mut self.disk,
            Cell::Unused => return,
        };
        *place = Cow::Borrowed(cell);
    }

    /// What the container is called. A name that isn't known is `--`.
    fn subject(&self) -> &str {
        let known = |text: &&&str| !text.is_empty() && **text != "--";
        [&*self.name, &*self.container, &*self.id].iter().find(known).map_or("container", |text| *text)
    }
}

pub(crate) fn recognise(head: &str) -> Recognition {
    let is_ours = |line: &str| {
        let line = log::without_escapes(line);
        let line = after_time(&line);
        header(line).is_some() || is_json(line) || Bare::of(line).is_some()
    };
    if head.lines().any(is_ours) || is_pretty_json(head) {
        Recognition::Yes
    } else {
        Recognition::No("no header line with CPU % or MEM USAGE / LIMIT, no JSON with CPUPerc, and no rows such as web,1.5%,10MiB / 2GiB")
    }
}

fn after_time(line: &str) -> &str {
    log::leading(line).map_or(line, |(_, rest)| rest).trim()
}

fn is_json(line: &str) -> bool {
    line.starts_with(['{', '[']) && has_json_keys(line)
}

fn has_json_keys(text: &str) -> bool {
    text.contains("\"CPUPerc\"")
        || text.contains("\"MemUsage\"")
        || (text.contains("\"cpu_percent\"") && text.contains("\"mem_usage\""))
}

/// Whether a text holds what podman prints: a list of objects over several lines.
fn is_pretty_json(head: &str) -> bool {
    has_json_keys(head) && head.lines().any(|line| matches!(line.trim(), "[" | "{"))
}

/// The lines of a text with their numbers; a JSON object over several lines is one, and so is each object of a list
/// in one line.
fn pieces(text: &str) -> impl Iterator<Item = (u64, Cow<'_, str>)> {
    let mut lines = lines(text).peekable();
    let mut rest: Option<(u64, &str)> = None;
    let pretty = is_pretty_json(text.get(..text.floor_char_boundary(4096)).unwrap_or(text));
    std::iter::from_fn(move || {
        if let Some((at, line)) = rest.take() {
            let end = line.find('}').map_or(line.len(), |end| end + 1);
            let (piece, after) = line.split_at_checked(end)?;
            rest = after.find('{').and_then(|start| Some((at, after.get(start..)?)));
            return Some((at, Cow::Borrowed(piece)));
        }
        let (at, line) = lines.next()?;
        let plain = line.trim();
        if pretty && plain == "{" {
            let mut object = plain.to_owned();
            while let Some((_, next)) = lines.next_if(|(_, line)| !matches!(line.trim(), "[" | "]" | "{")) {
                object.push_str(next.trim());
                if next.trim_start().starts_with('}') {
                    break;
                }
            }
            return Some((at, Cow::Owned(object.trim_end_matches(',').to_owned())));
        }
        if plain.starts_with('[') && plain.contains('{') && has_json_keys(plain) {
            // The list begins a block, as a header does.
            rest = plain.find('{').and_then(|start| Some((at, plain.get(start..)?)));
            return Some((at, Cow::Borrowed("[")));
        }
        Some((at, Cow::Borrowed(line)))
    })
}

/// The columns that a header names. `None`: the line is no header.
fn header(line: &str) -> Option<Vec<Cell>> {
    // Nearly all lines are something else, which shows at once.
    if !line.contains("CPU %") && !line.contains("MEM USAGE / LIMIT") {
        return None;
    }
    cells(line).map(Cell::of).collect()
}

/// The cells of a row: they are two blanks apart, or a tab.
fn cells(line: &str) -> impl Iterator<Item = &str> {
    line.split("  ").flat_map(|part| part.split('\t')).map(str::trim).filter(|part| !part.is_empty())
}

/// What a line is.
enum Line<'a> {
    Header,
    Row(Row<'a>),
    /// A line that looks like a row, but isn't whole.
    Broken,
    Other,
}

/// Takes lines apart, with the header that was last seen.
#[derive(Default)]
struct Parser {
    columns: Vec<Cell>,
    bare: Option<Bare>,
}

impl Parser {
    fn line<'a>(&mut self, line: &'a str) -> Line<'a> {
        if is_json(line) {
            return serde_json::from_str(line.trim_start_matches('[').trim_end_matches([',', ']'])).map_or(Line::Broken, Line::Row);
        }
        if line == "[" {
            return Line::Header;
        }
        if let Some(columns) = header(line) {
            self.columns = columns;
            return Line::Header;
        }
        if line.is_empty() {
            return Line::Other;
        }
        if self.columns.is_empty() {
            if self.bare.is_none() {
                self.bare = Bare::of(line);
            }
            return match self.bare.as_ref().map(|bare| bare.row(line)) {
                Some(Some(row)) => Line::Row(row),
                Some(None) if line.contains('%') => Line::Broken,
                _ => Line::Other,
            };
        }
        let mut row = Row::default();
        let mut count = 0;
        for cell in cells(line) {
            let Some(column) = self.columns.get(count) else { return Line::Broken };
            count += 1;
            row.set(*column, cell);
        }
        // A container that only starts has `--` for a name, and blanks for an id.
        let names = self.columns.iter().any(|column| matches!(column, Cell::Id | Cell::Name));
        let unnamed = names && row.subject() == "container" || line.starts_with("--");
        // Messages of other programs have no figures.
        if unnamed {
            Line::Other
        } else if count == self.columns.len() {
            Line::Row(row)
        } else if line.contains('%') {
            Line::Broken
        } else {
            Line::Other
        }
    }
}

pub(crate) fn read(input: &Input, options: &ReadOptions) -> Result<Trace, ReadError> {
    let (names, timed) = survey(input.text);
    let names: BTreeSet<&str> = names.iter().map(String::as_str).collect();
    let subject = subjects::choose(input.file, "containers", &names, options.subject.as_deref())?;
    let Some(subject) = subject else {
        return Err(ReadError::new(ReadErrorKind::NoRows, input.file, "no container in it")
            .hinting("Record while the container runs."));
    };
    let mut recorder = Recorder::new(input.file, input.text, options);
    let fields = Fields::new(&mut recorder);
    let mut parser = Parser::default();
    let mut blocks = Blocks::new(timed);
    let mut left_out = LeftOut::default();
    let mut values = Vec::new();
    for (at, line) in pieces(input.text) {
        let line = log::without_escapes(&line);
        let time = log::leading(&line);
        let rest = time.map_or(&*line, |(_, rest)| rest).trim();
        if let (Some((stamp, _)), true) = (time, rest.is_empty()) {
            blocks.time(&mut recorder, stamp, line.trim());
            continue;
        }
        match parser.line(rest) {
            Line::Header => blocks.header(&mut recorder),
            Line::Row(row) if row.subject() == subject => {
                let own = time.map(|(stamp, _)| (stamp, &*line)).or_else(|| {
                    clock::stamp(&row.timestamp).map(|stamp| (stamp, &*row.timestamp))
                });
                fields.values(&row, &mut values, &mut recorder).map_err(|(column, text)| {
                    ReadError::new(ReadErrorKind::BadNumber, input.file, "expected a number with its unit")
                        .at_line(at)
                        .in_column(column)
                        .seeing(&text)
                })?;
                blocks.sample(&mut recorder, at, own, &values);
            }
            Line::Row(_) | Line::Other => blocks.other(),
            Line::Broken => left_out.line(at),
        }
    }
    recorder.warnings.extend(left_out.warning());
    recorder.finish()
}

/// The containers of a log, and whether it has lines that are times.
fn survey(text: &str) -> (BTreeSet<String>, bool) {
    let mut names = BTreeSet::new();
    let mut timed = false;
    let mut parser = Parser::default();
    for (_, line) in pieces(text) {
        let line = log::without_escapes(&line);
        let time = log::leading(&line);
        let rest = time.map_or(&*line, |(_, rest)| rest).trim();
        timed |= time.is_some() && rest.is_empty();
        if let Line::Row(row) = parser.line(rest)
            && !names.contains(row.subject())
        {
            names.insert(row.subject().to_owned());
        }
    }
    (names, timed)
}

struct Fields {
    cpu: FieldId,
    memory: FieldId,
    receive: FieldId,
    transmit: FieldId,
    read: FieldId,
    write: FieldId,
}

impl Fields {
    fn new(recorder: &mut Recorder) -> Fields {
        Fields {
            cpu: recorder.field(Signal::Busy, "CPU %", Unit::PERCENT_OF_CORE),
            memory: recorder.field(Signal::MemoryUsedWithoutCache, "MEM USAGE", Unit::BYTES),
            receive: recorder.counter(Signal::NetworkReceive, "NET I/O", ROUNDED),
            transmit: recorder.counter(Signal::NetworkTransmit, "NET I/O", ROUNDED),
            read: recorder.counter(Signal::DiskRead, "BLOCK I/O", ROUNDED),
            write: recorder.counter(Signal::DiskWrite, "BLOCK I/O", ROUNDED),
        }
    }

    /// The figures of a row; its memory limit becomes the capacity. An error is the column and the text.
    fn values(
        &self,
        row: &Row,
        values: &mut Vec<(FieldId, f64)>,
        recorder: &mut Recorder,
    ) -> Result<(), (&'static str, String)> {
        values.clear();
        if !row.cpu.is_empty() {
            values.push((self.cpu, percent(&row.cpu).ok_or_else(|| ("CPU %", row.cpu.to_string()))?));
        }
        if !row.memory.is_empty() {
            let (used, limit) = pair(&row.memory).ok_or_else(|| ("MEM USAGE", row.memory.to_string()))?;
            values.push((self.memory, used));
            if limit > 0.0 {
                recorder.capacity.memory_bytes = Some(limit);
            }
        }
        for (text, column, first, second) in [
            (&row.network, "NET I/O", self.receive, self.transmit),
            (&row.disk, "BLOCK I/O", self.read, self.write),
        ] {
            if !text.is_empty() {
                let (a, b) = pair(text).ok_or_else(|| (column, text.to_string()))?;
                values.extend([(first, a), (second, b)]);
            }
        }
        Ok(())
    }
}

/// `2.557GiB / 96GiB`. The second one is `NaN` if it isn't there.
fn pair(text: &str) -> Option<(f64, f64)> {
    match text.split_once('/') {
        Some((first, second)) => Some((size(first)?, size(second)?)),
        None => Some((size(text)?, f64::NAN)),
    }
}

/// `12.5%`. `--` isn't known.
pub(super) fn percent(text: &str) -> Option<f64> {
    if is_unknown(text) { Some(f64::NAN) } else { number(text.strip_suffix('%')?.trim_end()) }
}

fn is_unknown(text: &str) -> bool {
    matches!(text, "--" | "-" | "N/A")
}

/// `10.7GB`, `2.557GiB`, `0B` in bytes.
pub(super) fn size(text: &str) -> Option<f64> {
    let text = text.trim();
    if is_unknown(text) {
        return Some(f64::NAN);
    }
    let end = text.find(|c: char| c.is_ascii_alphabetic() && !matches!(c, 'e' | 'E'))?;
    let (digits, unit) = text.split_at_checked(end)?;
    let factor = match unit {
        "B" => 1.0,
        "kB" | "KB" => 1e3,
        "MB" => 1e6,
        "GB" => 1e9,
        "TB" => 1e12,
        "PB" => 1e15,
        "KiB" | "kiB" => 1024.0,
        "MiB" => 1_048_576.0,
        "GiB" => 1_073_741_824.0,
        "TiB" => 1_099_511_627_776.0,
        "PiB" => 1_125_899_906_842_624.0,
        _ => return None,
    };
    let digits = digits.trim();
    if digits.is_empty() { None } else { Some(number(digits)? * factor) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        let cases = [
            ("0B", Some(0.0)),
            ("32.8kB", Some(32_800.0)),
            (" 2.5GiB ", Some(2.5 * 1_073_741_824.0)),
            ("1e+03kB", Some(1e6)),
            ("96 GiB", Some(96.0 * 1_073_741_824.0)),
            ("1.5TB", Some(1.5e12)),
            ("GB", None),
            ("12", None),
            ("1.2.3MB", None),
            ("1XB", None),
        ];
        for (text, wanted) in cases {
            assert_eq!(size(text), wanted, "{text:?}");
        }
        assert!(size("--").is_some_and(f64::is_nan));
        assert!(percent("--").is_some_and(f64::is_nan));
        assert_eq!((percent("1234.56%"), percent("12")), (Some(1234.56), None));
    }
}
