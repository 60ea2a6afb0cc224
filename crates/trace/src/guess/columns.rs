//! From names and values to roles: the columns of a table, one by one and then side by side.

use std::collections::BTreeSet;

use super::rules::{Meaning, meaning};
use super::unit::{Context, unit_of};
use super::words::{Said, Words};
use super::{Guess, GuessedColumn, Mapping, Role, STATED, stated};
use crate::formats::clock::DateOrder;
use crate::record::{disks, interfaces};
use crate::{Metric, ReadError, Resource};

/// What is behind the numbers of a column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Suffix {
    #[default]
    None,
    Percent,
    /// A size, which was changed to bytes.
    Bytes,
    /// Likewise, per second.
    BytesPerSecond,
}

/// What a column's cells are like.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cells {
    /// Cells that say something.
    pub(crate) known: usize,
    /// Those of them that are numbers.
    pub(crate) numbers: usize,
    /// Those of them that are times of day or dates.
    pub(crate) stamps: usize,
    /// Those of the stamps that have a time of day.
    pub(crate) clocks: usize,
    /// Those of the stamps that have a date.
    pub(crate) dates: usize,
    pub(crate) least: f64,
    pub(crate) most: f64,
    pub(crate) first: f64,
    pub(crate) last: f64,
    /// How often a number is more than the one before.
    pub(crate) rises: usize,
    /// How often it is less.
    pub(crate) drops: usize,
    /// Whether a cell ends in `%`.
    pub(crate) percent: bool,
    /// The unit behind its numbers, if it is one of bytes.
    pub(crate) size: Suffix,
    /// The order of its dates.
    pub(crate) order: DateOrder,
}

impl Cells {
    /// Takes a number into account.
    pub(crate) fn number(&mut self, value: f64) {
        if self.numbers == 0 {
            (self.least, self.most, self.first, self.last) = (value, value, value, value);
        }
        self.numbers += 1;
        self.rises += usize::from(value > self.last);
        self.drops += usize::from(value < self.last);
        self.least = self.least.min(value);
        self.most = self.most.max(value);
        self.last = value;
    }

    /// Whether it has numbers, but for a cell here and there.
    pub(crate) fn is_numeric(&self) -> bool {
        self.numbers > 0 && self.numbers * 10 >= self.known * 9
    }

    fn is_stamps(&self) -> bool {
        self.stamps > 0 && self.stamps * 10 >= self.known * 9
    }

    /// The mean of its steps.
    fn step(&self) -> f64 {
        (self.last - self.first) / self.numbers.saturating_sub(1).max(1) as f64
    }

    /// Whether each number is more than the one before.
    fn rises(&self) -> bool {
        self.is_numeric() && self.numbers >= 2 && self.rises + 1 == self.numbers
    }
}

/// A column of a table.
pub(crate) struct Seen {
    pub(crate) header: String,
    pub(crate) examples: Vec<String>,
    pub(crate) cells: Cells,
}

/// A column on its way to its role.
struct Candidate {
    meaning: Meaning,
    words: Words,
    role: Option<(Role, String)>,
}

impl Candidate {
    fn ignore(&mut self, reason: impl Into<String>) {
        self.role = Some((Role::Ignored, reason.into()));
    }

    fn time(&mut self, unit: &str, reason: impl Into<String>) {
        self.role = Some((Role::Time { unit: unit.to_owned() }, reason.into()));
    }

    /// The metric it was taken for.
    fn metric(&self) -> Option<(Metric, &str)> {
        match &self.role {
            Some((Role::Metric { metric, unit }, _)) => Some((*metric, unit)),
            _ => None,
        }
    }
}

/// What the columns are: as `mapping` says, and by their names and values where it says nothing.
///
/// # Errors
/// If the mapping speaks of columns or units that aren't there.
pub(crate) fn guess(file: &str, columns: &[Seen], mapping: Option<&Mapping>) -> Result<Guess, ReadError> {
    let of_gpu = is_nvidia_smi(columns);
    let mut found: Vec<Candidate> = columns
        .iter()
        .map(|column| {
            let (mut meaning, mut words) = meaning(&column.header);
            // What is in the cells goes before what the name says.
            match column.cells.size {
                Suffix::Bytes => words.unit = Some(Said::Bytes),
                Suffix::BytesPerSecond => (words.unit, words.is_rate) = (Some(Said::Bytes), true),
                Suffix::None | Suffix::Percent => {}
            }
            if of_gpu && is_of_gpu(&column.header) {
                meaning = Meaning::Nothing("it is a GPU's");
            }
            Candidate { meaning, words, role: None }
        })
        .collect();
    let context = Context::of(columns, found.iter().map(|candidate| &candidate.words));
    if context.is_free {
        take_as_memory(columns, &mut found);
    }
    if let Some(mapping) = mapping {
        for (index, role) in stated(file, columns, mapping)? {
            found[index].role = Some((role, STATED.to_owned()));
        }
    }
    complete_stated(columns, &mut found, &context);
    times(columns, &mut found);
    metrics(columns, &mut found, &context);
    cpu_of_one_scale(columns, &mut found);
    one_of_each(columns, &mut found, &context);
    let columns = columns.iter().zip(found).map(|(column, candidate)| {
        let (role, reason) =
            candidate.role.unwrap_or_else(|| (Role::Ignored, "its name says nothing to Cotrace".to_owned()));
        GuessedColumn { header: column.header.clone(), examples: column.examples.clone(), role, reason }
    });
    Ok(Guess { columns: columns.collect() })
}

/// Whether the columns are those of `nvidia-smi --query-gpu`: its `memory.used` is not the node's.
pub(crate) fn is_nvidia_smi(columns: &[Seen]) -> bool {
    const ITS_OWN: &[&str] = &[
        "utilization.gpu",
        "temperature.gpu",
        "gpu_",
        "fan.speed",
        "pstate",
        "utilization.memory",
        "clocks.",
    ];
    columns.iter().any(|column| ITS_OWN.iter().any(|name| column.header.starts_with(name)))
}

fn is_of_gpu(header: &str) -> bool {
    ["memory.", "utilization.", "power.", "fb_", "bar1"].iter().any(|start| header.starts_with(start))
}

/// `total,used,free,shared,buff/cache,available`, as `free` has them: all of it is memory.
fn take_as_memory(columns: &[Seen], found: &mut [Candidate]) {
    for (column, candidate) in columns.iter().zip(found) {
        candidate.meaning = match column.header.trim() {
            "total" => Meaning::MemoryTotal,
            "used" => Meaning::Metric(Metric::MemoryBytes, ""),
            "available" => Meaning::MemoryAvailable,
            _ => continue,
        };
    }
}

/// Units that a person left open.
fn complete_stated(columns: &[Seen], found: &mut [Candidate], context: &Context) {
    for (column, candidate) in columns.iter().zip(found) {
        match &mut candidate.role {
            Some((Role::Time { unit }, _)) if unit.is_empty() => {
                time_unit(&column.cells, &candidate.words).0.clone_into(unit);
            }
            Some((Role::Metric { metric, unit }, _)) if unit.is_empty() => {
                let said = unit_of(Meaning::Metric(*metric, ""), &candidate.words, &column.cells, context);
                said.map_or(metric.unit(), |(unit, _)| unit).clone_into(unit);
            }
            _ => {}
        }
    }
}

/// The unit of a column of times, and how one can tell.
fn time_unit(cells: &Cells, words: &Words) -> (&'static str, String) {
    let said = match words.unit {
        Some(Said::Milliseconds) => Some("ms"),
        Some(Said::Microseconds) => Some("us"),
        Some(Said::Nanoseconds) => Some("ns"),
        Some(Said::Minutes) => Some("min"),
        Some(Said::Hours) => Some("h"),
        _ => None,
    };
    if !cells.is_numeric() {
        let unit = if cells.clocks == 0 && cells.dates > 0 { "date" } else { "clock" };
        return (unit, "its name and its cells".to_owned());
    }
    if let Some(unit) = said {
        return (unit, "the unit in its name".to_owned());
    }
    let most = cells.most;
    let unit = match () {
        () if most >= 1e17 => "ns",
        () if most >= 1e14 => "us",
        () if most >= 1e11 => "ms",
        // 20240501 isn't seconds, nor is a run so long.
        () if (900.0..=1100.0).contains(&cells.step()) && words.unit.is_none() => "ms",
        () => "s",
    };
    let since = if most >= 1e8 { ", since 1970 by its size" } else { "" };
    (unit, format!("its name; steps of about {}{since}", short(cells.step())))
}

/// Finds the time among columns that nobody stated.
fn times(columns: &[Seen], found: &mut [Candidate]) {
    let is_stated = found.iter().any(|candidate| matches!(candidate.role, Some((Role::Time { .. }, _))));
    if is_stated {
        for candidate in &mut *found {
            if candidate.meaning == Meaning::Time && candidate.role.is_none() {
                candidate.ignore("another column is the time");
            }
        }
        return;
    }
    let fits =
        |cells: &Cells| cells.is_stamps() || (cells.is_numeric() && cells.drops == 0 && cells.rises > 0);
    let mut named: Vec<usize> = (0..columns.len())
        .filter(|&index| found[index].role.is_none() && found[index].meaning == Meaning::Time)
        .collect();
    // A date, and the time of day in another column.
    let only_dates = |index: usize| columns[index].cells.is_stamps() && columns[index].cells.clocks == 0;
    let only_clocks = |index: usize| columns[index].cells.is_stamps() && columns[index].cells.dates == 0;
    let date = named.iter().copied().find(|&index| only_dates(index));
    let clock = named.iter().copied().find(|&index| only_clocks(index));
    if let (Some(date), Some(clock)) = (date, clock) {
        found[date].time("date", "its name and its cells");
        found[clock].time("clock", "its name and its cells");
        named.clear();
    }
    let mut chosen = named.iter().copied().find(|&index| fits(&columns[index].cells)).map(|index| {
        let (unit, reason) = time_unit(&columns[index].cells, &found[index].words);
        (index, unit, reason)
    });
    let has_time = |found: &[Candidate]| found.iter().any(|c| matches!(c.role, Some((Role::Time { .. }, _))));
    if chosen.is_none() && !has_time(found) {
        let free = |index: &usize| {
            found[*index].role.is_none()
                && !matches!(found[*index].meaning, Meaning::Metric(..) | Meaning::CpuIdle)
        };
        chosen = (0..columns.len())
            .filter(free)
            .find(|&index| columns[index].cells.is_stamps() && !columns[index].cells.is_numeric())
            .map(|index| (index, "clock", "its cells are times".to_owned()));
        let rising = |index: &usize| {
            let cells = &columns[*index].cells;
            cells.rises() && found[*index].meaning == Meaning::Unknown
        };
        chosen = chosen.or_else(|| {
            let index = (0..columns.len()).filter(free).find(rising)?;
            let cells = &columns[index].cells;
            if cells.most < 1e8 && (index > 0 || is_row_number(&columns[index])) {
                return None;
            }
            let (unit, _) = time_unit(cells, &found[index].words);
            Some((index, unit, format!("it rises all the way, by about {}", short(cells.step()))))
        });
    }
    if let Some((index, unit, reason)) = chosen {
        found[index].time(unit, reason);
    }
    let time = (0..columns.len()).find(|&index| matches!(found[index].role, Some((Role::Time { .. }, _))));
    for (index, candidate) in found.iter_mut().enumerate() {
        if candidate.role.is_some() {
            continue;
        }
        if candidate.meaning == Meaning::Time {
            match time {
                Some(time) => candidate.ignore(format!("the time is taken from {}", columns[time].header)),
                None => candidate.ignore("its cells are no times that rise"),
            }
        } else if is_row_number(&columns[index]) {
            candidate.ignore("the number of the row");
        }
    }
}

/// A column that counts rows.
fn is_row_number(column: &Seen) -> bool {
    let name = column.header.to_ascii_lowercase();
    let is_named = name.starts_with("column ")
        || name.starts_with("unnamed")
        || matches!(
            name.as_str(),
            "#" | "index"
                | "idx"
                | "n"
                | "no"
                | "no."
                | "nr"
                | "row"
                | "sample"
                | "iteration"
                | "step"
                | "i"
                | "k"
                | "seq"
                | "id"
        );
    is_named && column.cells.rises() && (column.cells.step() - 1.0).abs() < 1e-9
}

/// Finds the metrics among columns that nobody stated, and their units.
fn metrics(columns: &[Seen], found: &mut [Candidate], context: &Context) {
    let stated: BTreeSet<Metric> = found.iter().filter_map(|candidate| Some(candidate.metric()?.0)).collect();
    for (column, candidate) in columns.iter().zip(found) {
        if candidate.role.is_some() {
            continue;
        }
        let metric = match candidate.meaning {
            Meaning::Metric(metric, _) => metric,
            Meaning::CpuIdle => Metric::CpuCores,
            Meaning::MemoryAvailable | Meaning::MemoryTotal => Metric::MemoryBytes,
            Meaning::Nothing(reason) => {
                candidate.ignore(reason);
                continue;
            }
            Meaning::Time | Meaning::Unknown => continue,
        };
        // All that memory follows from can be stated in one column and guessed in another.
        let is_help = candidate.meaning == Meaning::MemoryTotal;
        if stated.contains(&metric) && !is_help {
            candidate.ignore(format!("{} is in another column", metric.title()));
        } else if column.cells.known == 0 {
            candidate.ignore("it is empty");
        } else if !column.cells.is_numeric() {
            candidate.ignore("its cells are no numbers");
        } else if column.cells.least < 0.0 {
            candidate.ignore("it has values below 0");
        } else {
            match unit_of(candidate.meaning, &candidate.words, &column.cells, context) {
                Some((unit, reason)) => {
                    candidate.role = Some((Role::Metric { metric, unit: unit.to_owned() }, reason));
                }
                None => candidate.ignore(format!(
                    "it may be {}, but its name doesn't say the unit, or one of something else",
                    metric.title()
                )),
            }
        }
    }
}

/// Parts of the CPU time are all shares or all percentages: one that stays below 1 beside others that don't is a small
/// percentage, and no share.
fn cpu_of_one_scale(columns: &[Seen], found: &mut [Candidate]) {
    let cpu_unit = |candidate: &Candidate| {
        candidate
            .metric()
            .filter(|(metric, _)| metric.resource() == Some(Resource::Cpu))
            .map(|(_, unit)| unit.to_owned())
    };
    let units: Vec<String> = found.iter().filter_map(cpu_unit).collect();
    let has = |wanted: &[&str]| units.iter().any(|unit| wanted.contains(&unit.as_str()));
    let percent = match () {
        () if has(&["% of the node", "% of the node idle"]) => "% of the node",
        () if has(&["% of a core"]) => "% of a core",
        () => return,
    };
    for (column, candidate) in columns.iter().zip(found) {
        let is_by_value = candidate.words.unit.is_none() && !column.cells.percent;
        if let Some((Role::Metric { unit, .. }, reason)) = &mut candidate.role
            && is_by_value
            && reason != STATED
        {
            let other = match unit.as_str() {
                "share of the node" => percent,
                "share of the node idle" => "% of the node idle",
                _ => continue,
            };
            other.clone_into(unit);
            "other columns of CPU are percentages".clone_into(reason);
        }
    }
}

/// Of several columns that say the same, keeps one; those of devices and parts are added up.
fn one_of_each(columns: &[Seen], found: &mut [Candidate], context: &Context) {
    let mut slots: Vec<(Meaning, Vec<usize>)> = Vec::new();
    for (index, candidate) in found.iter().enumerate() {
        if candidate.metric().is_none() || candidate.role.as_ref().is_some_and(|role| role.1 == STATED) {
            continue;
        }
        match slots.iter_mut().find(|(meaning, _)| *meaning == candidate.meaning) {
            Some((_, members)) => members.push(index),
            None => slots.push((candidate.meaning, vec![index])),
        }
    }
    for (meaning, members) in &slots {
        let best =
            members.iter().copied().max_by_key(|&index| (score(&found[index]), std::cmp::Reverse(index)));
        let Some(best) = best else { continue };
        let in_group = |index: usize| {
            index == best
                || (found[index].words.device.is_some()
                    && found[best].words.device.is_some()
                    && !is_all(&found[best].words)
                    && found[index].words.key == found[best].words.key)
        };
        let group: Vec<usize> = members.iter().copied().filter(|&index| in_group(index)).collect();
        let kept = of_devices(*meaning, &group, found);
        for &index in members {
            if !kept.contains(&index) {
                found[index].ignore(format!("{} has it already", columns[best].header));
            }
        }
        let of_cores = kept.len() > 1
            && kept.iter().all(|index| {
                let device = found[*index].words.device.as_deref().unwrap_or_default().to_ascii_lowercase();
                device.starts_with("cpu") || device.starts_with("core") || context.is_perfmon
            });
        for &index in &kept {
            if of_cores
                && let Some((Role::Metric { unit, .. }, reason)) = &mut found[index].role
                && matches!(unit.as_str(), "% of the node" | "share of the node")
            {
                "% of a core".clone_into(unit);
                "one of several cores by its name".clone_into(reason);
            }
        }
    }
    // Buffers and page cache in one column leave nothing to add.
    let is_both = |c: &Candidate| c.meaning == Meaning::Metric(Metric::PageCacheBytes, "both");
    let has_both = found.iter().any(|candidate| is_both(candidate) && candidate.metric().is_some());
    for candidate in found {
        if has_both
            && candidate.metric().is_some_and(|m| m.0 == Metric::PageCacheBytes)
            && !is_both(candidate)
        {
            candidate.ignore("another column has it already");
        }
    }
}

fn is_all(words: &Words) -> bool {
    words
        .device
        .as_deref()
        .is_some_and(|device| matches!(device.to_ascii_lowercase().as_str(), "_total" | "all"))
}

/// How much a column looks like the one that is meant.
fn score(candidate: &Candidate) -> i32 {
    let words = &candidate.words;
    let mut score = 0;
    score -= 4 * i32::from(words.has("max"));
    score += 2 * i32::from(is_all(words));
    score += 2 * i32::from(words.unit.is_some() && words.unit != Some(Said::Percent));
    score += i32::from(words.unit == Some(Said::Percent));
    score -= i32::try_from(words.unknown.min(3)).unwrap_or_default();
    // Of a process, where the node is there too.
    score -= i32::from(words.has("process"));
    let unit = candidate.metric().map_or("", |metric| metric.1);
    // A share of memory needs to know how much there is.
    score -= 4 * i32::from(unit == "% of all memory");
    score
}

/// The columns of a group that don't count twice.
fn of_devices(meaning: Meaning, group: &[usize], found: &[Candidate]) -> Vec<usize> {
    let names: Vec<&str> =
        group.iter().map(|&index| found[index].words.device.as_deref().unwrap_or_default()).collect();
    if group.len() < 2 {
        return group.to_vec();
    }
    let chosen = match meaning {
        Meaning::Metric(Metric::DiskReadBytesPerSecond | Metric::DiskWriteBytesPerSecond, _) => disks(&names),
        Meaning::Metric(Metric::NetworkReceiveBytesPerSecond | Metric::NetworkTransmitBytesPerSecond, _) => {
            interfaces(&names)
        }
        _ => (0..names.len()).collect(),
    };
    chosen.into_iter().map(|index| group[index]).collect()
}

/// A number for people.
pub(super) fn short(value: f64) -> String {
    let digits = match value.abs() {
        size if size >= 100.0 => 0,
        size if size >= 1.0 => 1,
        _ => 3,
    };
    let text = format!("{value:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}
