//! The traces, and solo runs made of others.

use std::collections::BTreeMap;
use std::path::Path;

use cotrace_trace::{Capacity, Column, JobSpan, Metric, Trace};

use super::super::ImportError;
use super::super::table::{Row, Table};
use super::{CORES, MEMORY_BYTES, STEP_SECONDS};
use crate::{Job, JobRun, Manifest, Run, RunKind};

const GIB: f64 = 1024.0 * 1024.0 * 1024.0;

/// A metric, the columns that are added up, and what their unit is of the metric's.
type Source = (Metric, &'static [&'static str], f64);

const NODE: [Source; 4] = [
    (Metric::CpuCores, &["node_cpu_frac"], CORES),
    (Metric::MemoryBandwidthBytesPerSecond, &["node_mem_rd_gbs", "node_mem_wr_gbs"], 1e9),
    (Metric::PowerWatts, &["node_power_w"], 1.0),
    (Metric::CacheOccupancyBytes, &["node_l3_occ_mb"], 1e6),
];
/// The same of a job, behind `a_` or `b_`.
const JOB: [Source; 4] = [
    (Metric::CpuCores, &["cpu_cores"], 1.0),
    (Metric::MemoryBytes, &["mem_gib"], GIB),
    (Metric::DiskReadBytesPerSecond, &["blk_rd_mbs"], 1e6),
    (Metric::DiskWriteBytesPerSecond, &["blk_wr_mbs"], 1e6),
];

/// Reads the trace of a run.
pub(super) fn read(path: &Path, run: &Run) -> Result<Trace, ImportError> {
    let table = Table::read(path)?;
    let end = run.jobs.iter().map(|job| job.end_seconds).fold(0.0, f64::max);
    let mut sources: Vec<(Column, Vec<String>, f64)> = NODE
        .iter()
        .map(|(metric, columns, unit)| {
            (Column::node(*metric), columns.iter().map(|name| (*name).to_owned()).collect(), *unit)
        })
        .collect();
    for (job, slot) in run.jobs.iter().zip(["a", "b"]) {
        sources.extend(JOB.iter().map(|(metric, columns, unit)| {
            let columns = columns.iter().map(|name| format!("{slot}_{name}")).collect();
            (Column::job(&job.label, *metric), columns, *unit)
        }));
    }
    let mut trace = Trace { jobs: spans(run), capacity: capacity(), ..Trace::default() };
    let mut last = f64::NEG_INFINITY;
    for row in table.rows() {
        // The table says when a step begins, a trace when it ends.
        let from = row.known("time_s")?;
        if from < 0.0 || from <= last {
            return Err(row.wrong("time_s", "a time after the one before"));
        }
        if from >= end {
            break;
        }
        last = from;
        trace.time_seconds.push((from + STEP_SECONDS).min(end));
        for (column, names, unit) in &sources {
            let value = sum(&row, names)? * unit;
            if value < 0.0 {
                return Err(row.wrong(&names[0], "a number not below zero"));
            }
            trace.columns.entry(column.clone()).or_default().push(rounded(value));
        }
    }
    if trace.time_seconds.is_empty() && !table.has("time_s") {
        return Err(ImportError::Column { path: path.to_owned(), column: "time_s".to_owned() });
    }
    Ok(trace)
}

fn sum(row: &Row<'_>, columns: &[String]) -> Result<f64, ImportError> {
    columns.iter().try_fold(0.0, |sum, column| Ok(sum + row.number(column)?))
}

/// Without what multiplying adds behind the digits that were measured.
fn rounded(value: f64) -> f64 {
    if value.abs() < 1e4 { (value * 1e6).round() / 1e6 } else { value.round() }
}

fn capacity() -> Capacity {
    Capacity { cores: Some(CORES), memory_bytes: Some(MEMORY_BYTES), ..Capacity::default() }
}

fn spans(run: &Run) -> Vec<JobSpan> {
    let span = |job: &JobRun| JobSpan {
        name: job.label.clone(),
        start_seconds: Some(job.start_seconds),
        end_seconds: Some(job.end_seconds),
    };
    run.jobs.iter().map(span).collect()
}

/// Solo runs of jobs with another number of rounds than was measured alone: the measured run, repeated. `alone` has the
/// number of rounds of each measured one, by job.
pub(super) fn repeated(
    manifest: &Manifest,
    traces: &BTreeMap<String, Trace>,
    alone: &BTreeMap<String, usize>,
) -> Vec<(Run, Trace)> {
    let make = |job: &Job| {
        let base = job.size_of.as_deref()?;
        let rounds: f64 = job.name.strip_prefix(base)?.strip_prefix('-')?.parse().ok()?;
        let is_solo = |run: &&Run| run.kind == RunKind::Solo && run.jobs[0].name == base;
        let solo = manifest.runs.iter().find(is_solo)?;
        Some(repeat(solo, traces.get(&solo.id)?, &job.name, rounds / *alone.get(base)? as f64))
    };
    manifest.jobs.iter().filter_map(make).collect()
}

/// A solo run repeated `times`, which need not be whole, under another name.
fn repeat(solo: &Run, trace: &Trace, name: &str, times: f64) -> (Run, Trace) {
    let id = format!("made_{name}");
    let job = &solo.jobs[0];
    let once = trace.crop(job.start_seconds, job.end_seconds);
    let (rows, period) = (once.time_seconds.len(), job.seconds());
    let total = times * period;
    let run = Run {
        file: format!("runs/{id}.csv"),
        id,
        jobs: vec![JobRun {
            name: name.to_owned(),
            label: name.to_owned(),
            start_seconds: 0.0,
            end_seconds: total,
            ..job.clone()
        }],
        ..solo.clone()
    };
    let mut made = Trace { jobs: spans(&run), capacity: trace.capacity, ..Trace::default() };
    let mut start = 0.0;
    let mut kept = Vec::new();
    for copy in 0..times.ceil() as usize {
        for row in 0..rows {
            if start >= total {
                break;
            }
            let end = if row + 1 == rows { period } else { once.time_seconds[row] };
            start = (copy as f64 * period + end).min(total);
            made.time_seconds.push(rounded(start));
            kept.push(row);
        }
    }
    for (column, values) in &once.columns {
        let column = Column { job: column.job.as_ref().map(|_| name.to_owned()), metric: column.metric };
        made.columns.insert(column, kept.iter().map(|row| values[*row]).collect());
    }
    (run, made)
}
