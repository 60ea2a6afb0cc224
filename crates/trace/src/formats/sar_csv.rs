//! A CSV with sar's columns side by side: one row a sample with the clock time, CPU, disk, memory, network, and
//! sar's own names (`%user`, `rd_sec/s`, `kbmemused`, …). Scripts make such files from sar's reports.
//!
//! The clock has no date, so that a run over midnight shows as a step back by a day. The first row speaks of one
//! sample's time before it, as sar prints a sample when its time is over.

use std::collections::BTreeMap;

use super::axis::Axis;
use super::table::Table;
use super::{Input, Recognition, clock, ticks};
use crate::grid::median_step;
use crate::trace::{CORES_NOT_SAID, is_plausible_cores};
use crate::{Column, Metric, ReadError, ReadErrorKind, ReadOptions, Resource, Trace};

/// Names of the column with the time.
const TIME: &[&str] = &["timestamp", "time", "Time"];
/// The number of cores that is assumed where nothing tells.
const DEFAULT_CORES: f64 = 2.0;
/// Steal above this many percent on average is worth a warning.
const MAX_STEAL_PERCENT: f64 = 2.0;
/// Bytes in what sar calls kB and kb.
const KILO: f64 = 1024.0;
/// Bytes in a sector and in a block.
const SECTOR: f64 = 512.0;

/// User code; the newer names are of `sar -u ALL`, which counts guests apart.
const USER: &[&str] = &["%user", "%usr", "%nice", "%guest", "%gnice"];
/// The kernel; likewise with interrupts apart.
const SYSTEM: &[&str] = &["%system", "%sys", "%irq", "%soft"];
/// The rest of the CPU time.
const NOT_BUSY: &[&str] = &["%iowait", "%steal", "%idle"];

/// Columns that only need a factor: the metric, the column's name, the factor. The first that is there is taken.
const PLAIN: &[(Metric, &str, f64)] = &[
    (Metric::DiskReadBytesPerSecond, "rd_sec/s", SECTOR),
    (Metric::DiskReadBytesPerSecond, "rkB/s", KILO),
    (Metric::DiskReadBytesPerSecond, "bread/s", SECTOR),
    (Metric::DiskWriteBytesPerSecond, "wr_sec/s", SECTOR),
    (Metric::DiskWriteBytesPerSecond, "wkB/s", KILO),
    (Metric::DiskWriteBytesPerSecond, "bwrtn/s", SECTOR),
    (Metric::ContextSwitchesPerSecond, "cswch/s", 1.0),
];
/// Columns that are worked on together.
const MEMORY: &[&str] = &["kbmemfree", "kbmemused", "%memused", "kbbuffers", "kbcached"];
const NETWORK: &[&str] = &["rxkB/s", "txkB/s"];
const INTERFACE: &str = "IFACE";

pub(crate) fn recognise(head: &str) -> Recognition {
    let header = head.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let names: Vec<&str> = header.split(',').map(|cell| cell.trim().trim_matches('"')).collect();
    let has = |wanted: &[&str]| wanted.iter().any(|name| names.contains(name));
    if has(TIME) && has(&["%user", "%usr"]) && has(&["%system", "%sys"]) {
        Recognition::Yes
    } else {
        Recognition::No("the first line has no columns timestamp, %user and %system")
    }
}

/// Series by the file's column names, `[time]`, the first of each name.
type Raw = BTreeMap<&'static str, Vec<f64>>;

pub(crate) fn read(input: &Input, options: &ReadOptions) -> Result<Trace, ReadError> {
    let mut table = Table::open(input.file, input.text, 1)?;
    let Some(time) = TIME.iter().find_map(|name| table.column(name)) else {
        return Err(ReadError::new(ReadErrorKind::BadHeader, input.file, "no column timestamp")
            .at_line(table.header_line)
            .seeing(&table.header.join(",")));
    };
    let mut trace = Trace::default();
    let (clock, raw, interfaces) = read_rows(input.file, &mut table, time, &mut trace.warnings)?;
    if table.cut_off {
        trace.warnings.push("The last line is cut off; it was left out.".to_owned());
    }
    if clock.len() < 2 {
        return Err(ReadError::new(ReadErrorKind::NoRows, input.file, "fewer than two rows")
            .hinting("At least two are needed to know how long a sample takes."));
    }
    let step = median_step(&clock);
    trace.time_seconds = clock.iter().map(|seconds| seconds - clock[0] + step).collect();
    cpu(&mut trace, &raw, step, options);
    plain(&mut trace, &raw);
    memory(&mut trace, &raw);
    network(&mut trace, &raw, &interfaces);
    if trace.columns.is_empty() {
        return Err(ReadError::new(ReadErrorKind::BadHeader, input.file, "no column that Cotrace can use")
            .at_line(table.header_line)
            .seeing(&table.header.join(",")));
    }
    Ok(trace)
}

/// Clock times in seconds, the series, and whether each row's network figures are of loopback.
fn read_rows(
    file: &str,
    table: &mut Table,
    time: usize,
    warnings: &mut Vec<String>,
) -> Result<(Vec<f64>, Raw, Vec<bool>), ReadError> {
    let names = [USER, SYSTEM, NOT_BUSY, MEMORY, NETWORK].concat();
    let wanted: Vec<(&'static str, usize)> = names
        .into_iter()
        .chain(PLAIN.iter().map(|(_, name, _)| *name))
        .filter_map(|name| Some((name, table.column(name)?)))
        .collect();
    let interface = table.column(INTERFACE);
    let mut raw: Raw = wanted.iter().map(|(name, _)| (*name, Vec::new())).collect();
    let mut loopback = Vec::new();
    let mut axis = Axis::default();
    let mut day = 0.0;
    while table.next_row()? {
        let cell = table.cell(time);
        // Reports put together repeat the header and end with averages.
        if *cell == table.header[time] || cell.starts_with("Average") {
            continue;
        }
        let seconds = clock::seconds(cell).ok_or_else(|| {
            ReadError::new(ReadErrorKind::BadTime, file, "expected a time of day such as 13:05:09")
                .at_line(table.line())
                .in_column(&table.header[time])
                .seeing(cell)
        })?;
        // Back by more than half a day: midnight, for it can't be a clock that was set right.
        if axis.last().is_some_and(|last| last - (seconds + day) > clock::DAY_SECONDS / 2.0) {
            day += clock::DAY_SECONDS;
        }
        let keep = axis.push(table.line(), seconds + day, cell);
        for (name, index) in &wanted {
            let value = table.raw_number(*index)?;
            if keep && let Some(series) = raw.get_mut(name) {
                series.push(value);
            }
        }
        if keep {
            loopback.push(interface.is_some_and(|index| table.cell(index) == "lo"));
        }
    }
    Ok((axis.finish(file, &table.header[time], warnings)?, raw, loopback))
}

/// The sum of those of `names` that the file has, `[time]`, and their names. `None`: it has none.
fn sum(raw: &Raw, names: &[&'static str]) -> Option<(Vec<f64>, String)> {
    let there: Vec<(&str, &Vec<f64>)> =
        names.iter().filter_map(|name| raw.get_key_value(name)).map(|(k, v)| (*k, v)).collect();
    let (_, first) = there.first()?;
    let sums = (0..first.len()).map(|row| there.iter().map(|(_, values)| values[row]).sum()).collect();
    Some((sums, there.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(" + ")))
}

fn put(trace: &mut Trace, metric: Metric, values: Vec<f64>, provenance: String) {
    trace.columns.insert(Column::node(metric), values);
    trace.provenance.insert(Column::node(metric), provenance);
}

fn cpu(trace: &mut Trace, raw: &Raw, step: f64, options: &ReadOptions) {
    let cores = cores(trace, raw, step, options);
    let groups = [
        (Metric::CpuCores, [USER, SYSTEM].concat()),
        (Metric::CpuUserCores, USER.to_vec()),
        (Metric::CpuSystemCores, SYSTEM.to_vec()),
        (Metric::CpuIowaitCores, vec!["%iowait"]),
    ];
    for (metric, names) in groups {
        if let Some((percent, names)) = sum(raw, &names) {
            let values = percent.iter().map(|percent| percent * cores / 100.0).collect();
            put(trace, metric, values, format!("({names}) x {cores} cores / 100"));
        }
    }
    if let Some(steal) = raw.get("%steal").and_then(|steal| mean(steal))
        && steal > MAX_STEAL_PERCENT
    {
        trace.warnings.push(format!(
            "The hypervisor took {steal:.1} % of the CPU time on average: the run was disturbed by other machines."
        ));
    }
}

/// The number of cores: what the caller says, or else what the percentages give away, or else a plain assumption.
fn cores(trace: &mut Trace, raw: &Raw, step: f64, options: &ReadOptions) -> f64 {
    if let Some(cores) = options.capacity.cores.filter(|cores| is_plausible_cores(*cores)) {
        trace.capacity.cores = Some(cores);
        return cores;
    }
    let parts: Vec<&Vec<f64>> =
        [USER, SYSTEM, NOT_BUSY].concat().iter().filter_map(|name| raw.get(name)).collect();
    let samples = (0..trace.time_seconds.len()).map(|row| parts.iter().map(|part| part[row]).collect());
    let found = ticks::cores(samples, step);
    let cores = found.unwrap_or(DEFAULT_CORES);
    trace.capacity.cores = Some(cores);
    trace.assumed.insert(Resource::Cpu);
    trace.warnings.push(match found {
        Some(_) => format!(
            "{CORES_NOT_SAID}. The graininess of its percentages fits {cores}, which is assumed; say so if it is another number."
        ),
        None => format!("{CORES_NOT_SAID}. {cores} are assumed, without evidence: say how many it has."),
    });
    cores
}

fn plain(trace: &mut Trace, raw: &Raw) {
    for (metric, name, factor) in PLAIN {
        if trace.node(*metric).is_none()
            && let Some(values) = raw.get(name)
        {
            let values = values.iter().map(|value| value * factor).collect();
            let provenance =
                if *factor == 1.0 { (*name).to_owned() } else { format!("{name} x {factor} bytes") };
            put(trace, *metric, values, provenance);
        }
    }
}

/// Older sar counts buffers and page cache as used, newer sar doesn't: `%memused` or a constant total shows which.
fn memory(trace: &mut Trace, raw: &Raw) {
    let cache = sum(raw, &["kbbuffers", "kbcached"]);
    if let Some((cache, names)) = &cache {
        let values = cache.iter().map(|kb| kb * KILO).collect();
        put(trace, Metric::PageCacheBytes, values, format!("({names}) x {KILO} bytes"));
    }
    let (Some(free), Some(used)) = (raw.get("kbmemfree"), raw.get("kbmemused")) else {
        return;
    };
    let both: Vec<f64> = free.iter().zip(used).map(|(free, used)| free + used).collect();
    let from_percent = raw.get("%memused").and_then(|percent| {
        median(
            used.iter()
                .zip(percent)
                .filter(|(_, percent)| **percent >= 1.0)
                .map(|(used, percent)| used / percent * 100.0),
        )
    });
    let Some(both_median) = median(both.iter().copied()) else {
        return;
    };
    let used_has_cache = match from_percent {
        Some(total) => (both_median / total - 1.0).abs() < 0.02,
        None => both.iter().all(|kb| !kb.is_finite() || (kb / both_median - 1.0).abs() < 1e-3),
    };
    if used_has_cache {
        trace.capacity.memory_bytes = Some(both_median * KILO).filter(|bytes| *bytes > 0.0);
        let Some((cache, _)) = cache else {
            trace.warnings.push(
                "Memory in use is not known: kbmemused has the page cache in it, and its size isn't in the file.".to_owned(),
            );
            return;
        };
        let values = used.iter().zip(&cache).map(|(used, cache)| (used - cache).max(0.0) * KILO).collect();
        put(trace, Metric::MemoryBytes, values, format!("(kbmemused - kbbuffers - kbcached) x {KILO} bytes"));
    } else {
        trace.capacity.memory_bytes = from_percent.map(|kb| kb * KILO);
        let values = used.iter().map(|used| used * KILO).collect();
        put(trace, Metric::MemoryBytes, values, format!("kbmemused x {KILO} bytes"));
    }
}

fn network(trace: &mut Trace, raw: &Raw, loopback: &[bool]) {
    let pick = |name: &str, wanted: bool| -> Option<Vec<f64>> {
        let of_row = |(value, is_loopback): (&f64, &bool)| {
            if *is_loopback == wanted { value * KILO } else { f64::NAN }
        };
        Some(raw.get(name)?.iter().zip(loopback).map(of_row).collect())
    };
    let (any_loopback, any_other) = (loopback.contains(&true), loopback.contains(&false));
    if any_loopback && let Some(values) = pick("rxkB/s", true) {
        put(trace, Metric::LoopbackBytesPerSecond, values, format!("rxkB/s of lo x {KILO} bytes"));
    }
    if any_other {
        for (metric, name) in [
            (Metric::NetworkReceiveBytesPerSecond, "rxkB/s"),
            (Metric::NetworkTransmitBytesPerSecond, "txkB/s"),
        ] {
            if let Some(values) = pick(name, false) {
                put(trace, metric, values, format!("{name} x {KILO} bytes"));
            }
        }
    } else if any_loopback {
        trace.warnings.push(
            "The only network device in the file is loopback (lo): what went over the wire is not known."
                .to_owned(),
        );
    }
}

fn mean(values: &[f64]) -> Option<f64> {
    let known = values.iter().filter(|value| value.is_finite());
    let (sum, count) = known.fold((0.0, 0_u32), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}

fn median(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut known: Vec<f64> = values.filter(|value| value.is_finite()).collect();
    if known.is_empty() {
        return None;
    }
    let middle = known.len() / 2;
    Some(*known.select_nth_unstable_by(middle, f64::total_cmp).1)
}
