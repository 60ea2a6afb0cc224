//! What JavaScript is told of traces and models. `web/src/messages.rs` reads these; a test of each side keeps to
//! `tests/fixtures/trace.json`.

use std::collections::BTreeMap;

use cotrace_model::Forecaster;
use cotrace_trace::{Capacity, Column, Format, Guess, Health, JobSpan, Metric, Trace, check};
use serde::Serialize;
use serde_json::Value;

/// Points of a sparkline.
const SPARKLINE_POINTS: f64 = 96.0;

/// A trace that is held in here.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TraceInfo {
    /// Its number.
    pub handle: u32,
    /// What people call it.
    pub name: String,
    /// The format it was read from.
    pub format: String,
    /// The node it was measured on; what is not known is `null`.
    pub capacity: Capacity,
    /// The number of cores was guessed, because the file does not say it. Read again with `cores` to mend that.
    pub cores_assumed: bool,
    /// The time between samples was assumed, because the file says no times. Read again with `step_seconds` to mend
    /// that.
    pub step_assumed: bool,
    /// What a table's columns were taken for, where no format says it. Read again with a `mapping` to mend that.
    pub guess: Option<Guess>,
    /// When it started by the clock of the file, in seconds since 1970. `null`: the file has no dates.
    pub start_unix_seconds: Option<f64>,
    /// The jobs that ran, where the file says so.
    pub jobs: Vec<JobSpan>,
    /// Its series.
    pub columns: Vec<ColumnInfo>,
    /// CPU in busy cores over the run, in few points; `null` where not known.
    pub sparkline: Vec<Option<f64>>,
    /// What is to be known about its quality.
    pub health: Health,
}

/// A format that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct FormatInfo {
    /// What the options of `readTrace` call it.
    pub name: &'static str,
    /// What a person calls it.
    pub title: &'static str,
}

impl FormatInfo {
    /// Every format, in the order in which they are tried.
    pub fn all() -> Vec<FormatInfo> {
        Format::ALL.iter().map(|format| FormatInfo { name: format.name(), title: format.title() }).collect()
    }
}

/// A series of a trace, in short.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ColumnInfo {
    /// What is measured.
    pub metric: Metric,
    /// `null`: the whole node.
    pub job: Option<String>,
    /// Mean of the known values. `null`: none is known.
    pub mean: Option<f64>,
    /// Largest known value.
    pub peak: Option<f64>,
    /// Share of samples without a value.
    pub missing_ratio: f64,
    /// Where the values came from, in words.
    pub provenance: String,
}

impl TraceInfo {
    /// Describes `trace`.
    pub fn new(handle: u32, trace: &Trace) -> TraceInfo {
        TraceInfo {
            handle,
            name: trace.name.clone(),
            format: trace.format.clone(),
            capacity: trace.capacity,
            cores_assumed: trace.cores_assumed(),
            step_assumed: trace.step_assumed,
            guess: trace.guess.clone(),
            start_unix_seconds: trace.start_unix_seconds,
            jobs: trace.jobs.clone(),
            columns: trace
                .columns
                .iter()
                .map(|(column, values)| column_info(trace, column, values))
                .collect(),
            sparkline: sparkline(trace),
            health: check(trace),
        }
    }
}

fn column_info(trace: &Trace, column: &Column, values: &[f64]) -> ColumnInfo {
    let known: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
    let mean = (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64);
    let missing = values.len() - known.len();
    ColumnInfo {
        metric: column.metric,
        job: column.job.clone(),
        mean,
        peak: known.iter().copied().reduce(f64::max),
        missing_ratio: if values.is_empty() { 0.0 } else { missing as f64 / values.len() as f64 },
        provenance: trace.provenance.get(column).cloned().unwrap_or_default(),
    }
}

fn sparkline(trace: &Trace) -> Vec<Option<f64>> {
    let step = (trace.duration_seconds() / SPARKLINE_POINTS).max(trace.step_seconds());
    let cpu = trace.regrid_columns(step, &[Column::node(Metric::CpuCores)]);
    cpu.into_values().flatten().map(finite).collect()
}

/// `None` for what is not known.
fn finite(value: f32) -> Option<f64> {
    value.is_finite().then_some(f64::from(value))
}

/// A measured run on an even grid, to lay over a forecast. Its time counts from the first job's start.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Measured {
    /// Spacing of the grid.
    pub step_seconds: f64,
    /// The node's metrics, each `[time]`, a mean per step; `null` where not known.
    pub metrics: BTreeMap<Metric, Vec<Option<f64>>>,
    /// The jobs and when they ran.
    pub jobs: Vec<JobSpan>,
}

impl Measured {
    /// Puts the node's metrics of `trace` on a grid of `step_seconds`, from the first job's start to the last one's
    /// end where the trace says when they ran, else over all of it.
    pub fn new(trace: &Trace, step_seconds: f64) -> Measured {
        let starts = trace.jobs.iter().filter_map(|job| job.start_seconds);
        let ends = trace.jobs.iter().filter_map(|job| job.end_seconds);
        let from = starts.reduce(f64::min).unwrap_or(0.0);
        let to = ends.reduce(f64::max).unwrap_or_else(|| trace.duration_seconds());
        let shift = |seconds: Option<f64>| seconds.map(|seconds| seconds - from);
        let jobs = trace.jobs.iter().map(|job| JobSpan {
            name: job.name.clone(),
            start_seconds: shift(job.start_seconds),
            end_seconds: shift(job.end_seconds),
        });
        let jobs = jobs.collect();
        let grid = trace.crop(from, to).regrid(step_seconds);
        let metrics = grid
            .values
            .into_iter()
            .map(|(metric, values)| (metric, values.into_iter().map(finite).collect()));
        Measured { step_seconds: grid.step_seconds, metrics: metrics.collect(), jobs }
    }
}

/// A trace over time in few points, for a plot. Its time counts from the run's start.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Overview {
    /// Spacing of the points.
    pub step_seconds: f64,
    /// How long the trace is; the last point may speak of less than a step.
    pub duration_seconds: f64,
    /// The node's metrics, each `[time]`, a mean per step; `null` where not known.
    pub metrics: BTreeMap<Metric, Vec<Option<f64>>>,
}

impl Overview {
    /// Puts the node's metrics of `trace` on a grid of at most `points` steps, none shorter than the trace's own.
    pub fn new(trace: &Trace, points: f64) -> Overview {
        let step = (trace.duration_seconds() / points).max(trace.step_seconds());
        let grid = trace.regrid(step);
        let metrics = grid
            .values
            .into_iter()
            .map(|(metric, values)| (metric, values.into_iter().map(finite).collect()));
        Overview {
            step_seconds: grid.step_seconds,
            duration_seconds: trace.duration_seconds(),
            metrics: metrics.collect(),
        }
    }
}

/// A loaded model, in short.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ModelInfo {
    /// For example `cotrace`.
    pub name: String,
    /// For example `1`.
    pub version: String,
    /// Mean absolute slowdown error, in points, on measured co-runs with jobs it had never seen. `null`: its card does
    /// not say.
    pub unseen_jobs_slowdown_points: Option<f64>,
    /// The data set it has learned from. `null`: its card does not say.
    pub data: Option<String>,
    /// Pairs of jobs of that set, each in alphabetical order, that it has not learned from.
    pub held_out_pairs: Vec<[String; 2]>,
}

impl ModelInfo {
    /// What a model's header and card say of it.
    pub fn of(forecaster: &Forecaster) -> ModelInfo {
        let model = forecaster.model();
        let card = forecaster.card();
        ModelInfo {
            name: model.name,
            version: model.version,
            unseen_jobs_slowdown_points: model.unseen_jobs_slowdown_points,
            data: card.get("data").and_then(Value::as_str).map(str::to_owned),
            held_out_pairs: card
                .get("held_out_pairs")
                .and_then(|pairs| serde_json::from_value(pairs.clone()).ok())
                .unwrap_or_default(),
        }
    }
}
