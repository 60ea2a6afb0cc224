//! What `kubectl top pod` and `kubectl top node` print, logged in a loop.
//!
//! CPU is in thousandths of a core, memory is the working set: without the page cache that can be dropped at once.
//! The percentages of nodes give their capacity away.

use std::collections::BTreeSet;

use super::lines::{LeftOut, lines};
use super::log::{self, Blocks};
use super::{Input, Recognition, subjects};
use crate::record::{Recorder, Signal, Unit};
use crate::{ReadError, ReadErrorKind, ReadOptions, Trace};

/// A capacity is taken from percentages if they leave it open by less than this share of it.
const MAX_OPEN: f64 = 0.05;

pub(crate) fn recognise(head: &str) -> Recognition {
    let is_ours = |line: &str| {
        let line = log::leading(line).map_or(line, |(_, rest)| rest);
        header(line).is_some() || bare(line).is_some()
    };
    if head.lines().any(is_ours) {
        Recognition::Yes
    } else {
        Recognition::No("no header line with CPU(cores) and MEMORY(bytes), and no rows such as web-0 250m 120Mi")
    }
}

/// Where the columns of a table are.
#[derive(Clone, Debug, Default)]
struct Columns {
    /// Those that name the subject: namespace, pod, name.
    names: Vec<usize>,
    cpu: usize,
    memory: usize,
    cpu_percent: Option<usize>,
    memory_percent: Option<usize>,
    count: usize,
}

fn header(line: &str) -> Option<Columns> {
    if !line.contains("CPU(cores)") {
        return None;
    }
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let find = |names: &[&str]| words.iter().position(|word| names.contains(word));
    Some(Columns {
        names: ["NAMESPACE", "POD", "NAME"].iter().filter_map(|name| find(&[name])).collect(),
        cpu: find(&["CPU(cores)"])?,
        memory: find(&["MEMORY(bytes)"])?,
        cpu_percent: find(&["CPU%", "CPU(%)"]),
        memory_percent: find(&["MEMORY%", "MEMORY(%)"]),
        count: words.len(),
    })
}

/// The columns of a row that was printed without a header: `web-0 250m 120Mi`, `node1 250m 6% 1200Mi 31%`.
fn bare(line: &str) -> Option<Columns> {
    if !line.trim_end().ends_with(['i', '%']) || line.len() > 1000 {
        return None;
    }
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let is = |index: usize, unit: &str| {
        words.get(index).and_then(|word| word.strip_suffix(unit)).is_some_and(|digits| {
            !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
        })
    };
    let cpu = (1..words.len().min(4)).find(|&index| is(index, "m"))?;
    let has_percent = is(cpu + 1, "%");
    let memory = if has_percent { cpu + 2 } else { cpu + 1 };
    let count = if has_percent { memory + 2 } else { memory + 1 };
    let fits = words.len() == count && is(memory, "Mi") && (!has_percent || is(memory + 1, "%"));
    fits.then(|| Columns {
        names: (0..cpu).collect(),
        cpu,
        memory,
        cpu_percent: has_percent.then_some(cpu + 1),
        memory_percent: has_percent.then_some(memory + 1),
        count,
    })
}

/// What a line is.
enum Line {
    Header(Columns),
    Row { name: String, cpu: f64, memory: f64, cpu_percent: f64, memory_percent: f64 },
    /// A line that isn't a row, though it should be.
    Broken,
    Other,
}

fn parse(line: &str, columns: &Columns) -> Line {
    if let Some(columns) = header(line) {
        return Line::Header(columns);
    }
    if line.is_empty() {
        return Line::Other;
    }
    if columns.count == 0 {
        return match bare(line) {
            Some(columns) => parse(line, &columns),
            None => Line::Other,
        };
    }
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    // `--sum` ends a table with a rule and a row that has no name.
    if words.len() < columns.count && words.iter().all(|word| word.starts_with('_') || quantity(word).is_some()) {
        return if words.len() + columns.names.len() == columns.count || words.iter().all(|w| w.starts_with('_')) {
            Line::Other
        } else {
            Line::Broken
        };
    }
    let word = |index: usize| words.get(index).copied().unwrap_or_default();
    let percent = |index: Option<usize>| {
        index.map_or(Some(f64::NAN), |index| match word(index) {
            "<unknown>" => Some(f64::NAN),
            text => text.strip_suffix('%')?.parse().ok(),
        })
    };
    let row = || {
        (words.len() == columns.count).then_some(())?;
        Some(Line::Row {
            name: columns.names.iter().map(|index| word(*index)).collect::<Vec<_>>().join("/"),
            cpu: quantity(word(columns.cpu))?,
            memory: quantity(word(columns.memory))?,
            cpu_percent: percent(columns.cpu_percent)?,
            memory_percent: percent(columns.memory_percent)?,
        })
    };
    // Messages such as `error: metrics not available yet` and a shell's prompt have no figures.
    let is_figure = |word: &str| word.starts_with(|c: char| c.is_ascii_digit()) && quantity(word).is_some();
    row().unwrap_or(if words.iter().any(|word| is_figure(word)) { Line::Broken } else { Line::Other })
}

/// A quantity of Kubernetes: `250m`, `120Mi`, `1`, `1500000n`. `<unknown>` isn't known.
fn quantity(text: &str) -> Option<f64> {
    if text == "<unknown>" {
        return Some(f64::NAN);
    }
    let end = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (digits, unit) = text.split_at_checked(end)?;
    let factor = match unit {
        "" => 1.0,
        "n" => 1e-9,
        "u" => 1e-6,
        "m" => 1e-3,
        "k" => 1e3,
        "M" => 1e6,
        "G" => 1e9,
        "T" => 1e12,
        "Ki" => 1024.0,
        "Mi" => 1_048_576.0,
        "Gi" => 1_073_741_824.0,
        "Ti" => 1_099_511_627_776.0,
        _ => return None,
    };
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let value: f64 = digits.parse().ok().filter(|_| plain)?;
    Some(value * factor)
}

/// What a whole is, from parts in some unit and the whole percentages below which they were cut.
struct Whole {
    least: f64,
    most: f64,
}

impl Whole {
    fn new() -> Whole {
        Whole { least: 0.0, most: f64::INFINITY }
    }

    /// `part` was rounded by up to `grain`.
    fn part(&mut self, part: f64, grain: f64, percent: f64) {
        if part > 0.0 && percent >= 1.0 {
            self.least = self.least.max((part - grain) * 100.0 / (percent + 1.0));
            self.most = self.most.min((part + grain) * 100.0 / percent);
        }
    }

    /// The middle of what is left, if that is narrow; a whole number of `unit`s if it is one.
    fn found(&self, unit: f64) -> Option<f64> {
        let open = self.most / self.least - 1.0;
        if !(-0.001..MAX_OPEN).contains(&open) {
            return None;
        }
        let whole = (self.most / unit).floor() * unit;
        Some(if whole >= self.least && whole > 0.0 { whole } else { f64::midpoint(self.least, self.most) })
    }
}

pub(crate) fn read(input: &Input, options: &ReadOptions) -> Result<Trace, ReadError> {
    let (names, timed) = survey(input.text);
    let names: BTreeSet<&str> = names.iter().map(String::as_str).collect();
    let Some(subject) = subjects::choose(input.file, "pods or nodes", &names, options.subject.as_deref())? else {
        return Err(ReadError::new(ReadErrorKind::NoRows, input.file, "no pod or node in it")
            .hinting("Record while it runs."));
    };
    let mut recorder = Recorder::new(input.file, input.text, options);
    let cpu_field = recorder.field(Signal::Busy, "CPU(cores)", Unit::CORES);
    let memory_field = recorder.field(Signal::MemoryUsedWithoutCache, "MEMORY(bytes)", Unit::BYTES);
    let mut blocks = Blocks::new(timed);
    let mut columns = Columns::default();
    let (mut cores, mut bytes) = (Whole::new(), Whole::new());
    let mut left_out = LeftOut::default();
    for (at, line) in lines(input.text) {
        let time = log::leading(line);
        let rest = time.map_or(line, |(_, rest)| rest).trim();
        if let (Some((stamp, _)), true) = (time, rest.is_empty()) {
            blocks.time(&mut recorder, stamp, line.trim());
            continue;
        }
        match parse(rest, &columns) {
            Line::Header(found) => {
                columns = found;
                blocks.header(&mut recorder);
            }
            Line::Row { name, cpu, memory, cpu_percent, memory_percent } if name == subject => {
                cores.part(cpu, 0.001, cpu_percent);
                bytes.part(memory, 1_048_576.0, memory_percent);
                let values = [(cpu_field, cpu), (memory_field, memory)];
                blocks.sample(&mut recorder, at, time.map(|(stamp, _)| (stamp, line)), &values);
            }
            Line::Row { .. } | Line::Other => blocks.other(),
            Line::Broken => left_out.line(at),
        }
    }
    recorder.warnings.extend(left_out.warning());
    let mut trace = recorder.finish()?;
    // Cores are counted in thousandths, most often a whole number of them.
    trace.capacity.cores = cores.found(1.0);
    trace.capacity.memory_bytes = bytes.found(1_048_576.0);
    Ok(trace)
}

/// The pods or nodes of a log, and whether it has lines that are times.
fn survey(text: &str) -> (BTreeSet<String>, bool) {
    let mut names = BTreeSet::new();
    let mut timed = false;
    let mut columns = Columns::default();
    for (_, line) in lines(text) {
        let time = log::leading(line);
        let rest = time.map_or(line, |(_, rest)| rest).trim();
        timed |= time.is_some() && rest.is_empty();
        match parse(rest, &columns) {
            Line::Header(found) => columns = found,
            Line::Row { name, .. } => {
                names.insert(name);
            }
            Line::Broken | Line::Other => {}
        }
    }
    (names, timed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_have_units() {
        for (text, wanted) in [
            ("250m", Some(0.25)),
            ("2", Some(2.0)),
            ("120Mi", Some(120.0 * 1_048_576.0)),
            ("1500000n", Some(0.0015)),
            ("1G", Some(1e9)),
            ("m", None),
            ("1e3m", None),
            ("12X", None),
            ("web-0", None),
        ] {
            assert_eq!(quantity(text), wanted, "{text}");
        }
    }

    #[test]
    fn percentages_give_the_whole_away() {
        let mut cores = Whole::new();
        for (part, percent) in [(0.25, 6.0), (3.9, 97.0), (2.0, 50.0)] {
            cores.part(part, 0.001, percent);
        }
        assert_eq!(cores.found(1.0), Some(4.0));
        let mut wide = Whole::new();
        wide.part(0.25, 0.001, 6.0);
        assert_eq!(wide.found(1.0), None);
    }
}
