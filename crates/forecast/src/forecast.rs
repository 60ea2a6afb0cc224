//! The forecast, as saved, linked and printed: version 1 of its JSON.

use std::collections::BTreeMap;

use cotrace_trace::{Metric, Resource};
use serde::{Deserialize, Serialize};

/// The forecast of a co-run. Series are `[time]`, on an even grid; entry `k` is the mean over
/// `time_seconds[k] .. time_seconds[k] + step_seconds`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Forecast {
    /// Version of this form: 1.
    pub cotrace_forecast: u32,
    /// Spacing of the grid.
    pub step_seconds: f64,
    /// Start of each step, from the first job's start.
    pub time_seconds: Vec<f64>,
    /// The footprint, for each metric that every job's trace knows.
    pub metrics: BTreeMap<Metric, MetricForecast>,
    /// The jobs, in the order given.
    pub jobs: Vec<JobForecast>,
    /// First start to last end.
    pub makespan_seconds: f64,
    /// Sum of the solo durations: one after the other.
    pub sequential_seconds: f64,
    /// Whether the jobs' memory fits the node. `None`: memory or its capacity is unknown.
    pub memory_fits: Option<MemoryFits>,
    /// How far the jobs are from what the model was trained on.
    pub distance: Distance,
    /// What made the forecast.
    pub model: ModelName,
    /// What a person should know before relying on it, in words.
    #[serde(default)]
    pub warnings: Vec<String>,
}

/// The footprint of one metric, in the metric's own unit. All series are `[time]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MetricForecast {
    /// The unit of all values.
    pub unit: String,
    /// What the node has. `None`: unknown.
    pub capacity: Option<f64>,
    /// What is there before any job: part of `total` that no job causes. Only memory has it.
    #[serde(default)]
    pub background: f64,
    /// The node's forecast.
    pub total: Vec<f64>,
    /// Lower edge of the 90 % band.
    pub lower: Vec<f64>,
    /// Upper edge of the 90 % band.
    pub upper: Vec<f64>,
    /// Each job's share. Contributions and background add up to `total`.
    pub jobs: Vec<Contribution>,
    /// The solo traces added up, each from its start, clipped at capacity.
    pub naive_sum: Vec<f64>,
}

/// A job's share of the footprint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Contribution {
    /// The job.
    pub name: String,
    /// Its share over time, `[time]`.
    pub contribution: Vec<f64>,
}

/// When a job finishes and how much slower it gets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JobForecast {
    /// The job.
    pub name: String,
    /// When it starts, from the first job's start.
    pub offset_seconds: f64,
    /// How long it takes alone.
    pub solo_seconds: f64,
    /// When it ends, from the first job's start.
    pub finish_seconds: f64,
    /// Co-run duration over solo duration. 1.6 is 60 points slower.
    pub slowdown: f64,
    /// 90 % interval of the slowdown.
    pub slowdown_interval: [f64; 2],
    /// Where resources held it back.
    pub limits: Vec<Limit>,
    /// What it loses time to, most first. Empty: the model doesn't say.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lost: Vec<Lost>,
}

/// Time that a job loses to one cause.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lost {
    /// What to.
    pub cause: Cause,
    /// Seconds beyond those that it takes alone; negative where it gains.
    pub seconds: f64,
}

/// What keeps a job from being as fast as alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Cause {
    /// Cores are short or shared.
    Cpu,
    /// The disk is short or shared.
    Disk,
    /// The network is short.
    Network,
    /// What traces don't show: caches, memory bandwidth, the scheduler.
    Unseen,
    /// What was measured of jobs like these, beyond all that.
    Measured,
}

impl Cause {
    /// The resource that it is about, if it is one that traces show.
    pub fn resource(self) -> Option<Resource> {
        match self {
            Cause::Cpu => Some(Resource::Cpu),
            Cause::Disk => Some(Resource::Disk),
            Cause::Network => Some(Resource::Network),
            Cause::Unseen | Cause::Measured => None,
        }
    }
}

/// A stretch of time in which a resource was short.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Limit {
    /// From.
    pub from_seconds: f64,
    /// To.
    pub to_seconds: f64,
    /// What was short.
    pub resource: Resource,
    /// Forecast use as a share of capacity, the mean over the stretch.
    pub share: f64,
    /// Seconds lost to it for every second of the job's solo run, the mean over the stretch. `None`: the model doesn't say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lost_ratio: Option<f64>,
}

/// Whether memory fits.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MemoryFits {
    /// Probability that the peak stays below the node's memory.
    pub probability: f64,
}

/// How far the input is from the training data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Distance {
    /// 1 is as far as the training jobs are from each other at most; larger is farther.
    pub score: f64,
    /// In a word.
    pub verdict: Verdict,
}

/// The distance in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Among the training jobs.
    Near,
    /// At their edge.
    Edge,
    /// Out of the model's depth.
    Far,
}

/// Which model made a forecast.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelName {
    /// For example `resourcenet`.
    pub name: String,
    /// For example `1`.
    pub version: String,
    /// Its mean absolute slowdown error, in points, on measured co-runs with jobs it had never seen. `None`: not
    /// measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unseen_jobs_slowdown_points: Option<f64>,
}
