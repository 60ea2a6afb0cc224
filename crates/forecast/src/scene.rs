//! A scene: solo traces on one grid, the node they are to share, and when each starts.

use std::collections::BTreeMap;
use std::fmt;

use cotrace_trace::{Capacity, Metric, Trace};

/// The nine metrics that forecasts speak of, in the order of model channels.
pub const MODELLED: [Metric; 9] = [
    Metric::CpuCores,
    Metric::CpuIowaitCores,
    Metric::MemoryBytes,
    Metric::PageCacheBytes,
    Metric::DiskReadBytesPerSecond,
    Metric::DiskWriteBytesPerSecond,
    Metric::NetworkReceiveBytesPerSecond,
    Metric::NetworkTransmitBytesPerSecond,
    Metric::LoopbackBytesPerSecond,
];

/// What a node shows before any job runs is in every trace taken on it: these metrics carry it.
const WITH_BACKGROUND: [Metric; 2] = [Metric::MemoryBytes, Metric::PageCacheBytes];

/// A solo trace and when its job is to start.
#[derive(Clone, Debug)]
pub struct SoloInput<'a> {
    /// What to call the job.
    pub name: String,
    /// Its solo trace.
    pub trace: &'a Trace,
    /// When it starts, from the first job's start.
    pub offset_seconds: f64,
}

/// A job of a scene: its demands over its own solo time.
#[derive(Clone, Debug)]
pub struct SoloJob {
    /// What it is called.
    pub name: String,
    /// When it starts, from the first job's start.
    pub offset_seconds: f64,
    /// How long it takes alone.
    pub solo_seconds: f64,
    /// What it uses alone beyond the background, `[steps]` per metric, in the metric's unit; `NaN` in gaps.
    /// Metrics that its trace does not know are absent.
    pub demand: BTreeMap<Metric, Vec<f64>>,
    /// Integral of each demand from the start, `[steps + 1]`, with gaps filled by the demand's mean.
    work: BTreeMap<Metric, Vec<f64>>,
    step_seconds: f64,
}

/// Solo traces on one grid, with their node.
#[derive(Clone, Debug)]
pub struct Scene {
    /// Spacing of the grid.
    pub step_seconds: f64,
    /// The node.
    pub node: Capacity,
    /// The jobs, in the order given.
    pub jobs: Vec<SoloJob>,
    /// What the node holds before any job, for memory and page cache: the least that any of the traces shows.
    pub background: BTreeMap<Metric, f64>,
    /// What a person should know: different nodes, missing metrics, ….
    pub warnings: Vec<String>,
}

/// Why traces make no scene.
#[derive(Clone, Debug, PartialEq)]
pub enum SceneError {
    /// No trace given.
    NoJobs,
    /// The trace has no samples, or all of them at time zero.
    Empty {
        /// The job.
        job: String,
    },
    /// The start offset is negative or no number.
    Offset {
        /// The job.
        job: String,
        /// What was given.
        seconds: f64,
    },
    /// No modelled metric in the trace.
    NoMetrics {
        /// The job.
        job: String,
    },
}

impl fmt::Display for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SceneError::NoJobs => write!(f, "no trace was given"),
            SceneError::Empty { job } => write!(f, "{job}: the trace has no samples after its start"),
            SceneError::Offset { job, seconds } => {
                write!(f, "{job}: a start offset must be zero or more seconds, not {seconds}")
            }
            SceneError::NoMetrics { job } => {
                write!(f, "{job}: the trace has none of the metrics that are forecast, such as cpu_cores")
            }
        }
    }
}

impl std::error::Error for SceneError {}

impl Scene {
    /// Puts `inputs` on a grid of at most about `max_steps` for all of them one after the other, but never finer
    /// than their samples. `node` says what the shared node has; what it leaves open is taken from the traces.
    ///
    /// # Errors
    /// See [`SceneError`].
    pub fn new(inputs: &[SoloInput<'_>], node: Capacity, max_steps: usize) -> Result<Scene, SceneError> {
        for input in inputs {
            if solo_seconds(input.trace) <= 0.0 {
                return Err(SceneError::Empty { job: input.name.clone() });
            }
            if !(input.offset_seconds >= 0.0 && input.offset_seconds.is_finite()) {
                return Err(SceneError::Offset { job: input.name.clone(), seconds: input.offset_seconds });
            }
        }
        let finest = inputs.iter().map(|input| sample_step(input.trace)).fold(f64::INFINITY, f64::min);
        let total: f64 = inputs.iter().map(|input| solo_seconds(input.trace)).sum();
        let latest = inputs.iter().map(|input| input.offset_seconds).fold(0.0, f64::max);
        let step = finest.max((total + latest) / max_steps.max(1) as f64);
        Scene::on_grid(inputs, node, step)
    }

    /// [`Scene::new`] with the step given.
    ///
    /// # Errors
    /// See [`SceneError`].
    pub fn on_grid(inputs: &[SoloInput<'_>], node: Capacity, step_seconds: f64) -> Result<Scene, SceneError> {
        if inputs.is_empty() {
            return Err(SceneError::NoJobs);
        }
        let node = inputs.iter().fold(node, |node, input| node.or(input.trace.capacity));
        let background: BTreeMap<Metric, f64> = WITH_BACKGROUND
            .into_iter()
            .filter_map(|metric| {
                let least = inputs.iter().filter_map(|input| input.trace.node(metric)).flatten();
                let least = least.copied().filter(|value| value.is_finite()).fold(f64::INFINITY, f64::min);
                least.is_finite().then_some((metric, least))
            })
            .collect();
        let jobs = inputs
            .iter()
            .map(|input| SoloJob::new(input, step_seconds, &background))
            .collect::<Result<Vec<_>, _>>()?;
        let warnings = warnings(inputs, node, &jobs);
        Ok(Scene { step_seconds, node, jobs, background, warnings })
    }

    /// The metrics that every job's trace knows, in the order of [`MODELLED`].
    pub fn known_metrics(&self) -> Vec<Metric> {
        MODELLED
            .into_iter()
            .filter(|metric| self.jobs.iter().all(|job| job.demand.contains_key(metric)))
            .collect()
    }

    /// When the last job would end if none held another back.
    pub fn naive_makespan_seconds(&self) -> f64 {
        self.jobs.iter().map(|job| job.offset_seconds + job.solo_seconds).fold(0.0, f64::max)
    }

    /// Sum of the solo durations: one after the other.
    pub fn sequential_seconds(&self) -> f64 {
        self.jobs.iter().map(|job| job.solo_seconds).sum()
    }

    /// The solo traces added up, each from its start, on top of the background and clipped at capacity, `[steps]`.
    pub fn naive_sum(&self, metric: Metric, steps: usize) -> Vec<f64> {
        let capacity = metric.capacity(&self.node).unwrap_or(f64::INFINITY);
        let background = self.background.get(&metric).copied().unwrap_or(0.0);
        let mut sum = vec![background; steps];
        for job in &self.jobs {
            for (k, total) in sum.iter_mut().enumerate() {
                let from = k as f64 * self.step_seconds - job.offset_seconds;
                *total += job.work_between(metric, from, from + self.step_seconds) / self.step_seconds;
            }
        }
        sum.into_iter().map(|value| value.min(capacity.max(background))).collect()
    }
}

impl SoloJob {
    fn new(
        input: &SoloInput<'_>,
        step_seconds: f64,
        background: &BTreeMap<Metric, f64>,
    ) -> Result<SoloJob, SceneError> {
        let trace = solo_part(input.trace);
        let solo_seconds = trace.duration_seconds();
        let grid = trace.regrid(step_seconds);
        let mut demand = BTreeMap::new();
        let mut work = BTreeMap::new();
        for metric in MODELLED {
            let Some(values) = grid.node(metric) else { continue };
            let known = values.iter().filter(|value| value.is_finite()).count();
            if known == 0 {
                continue;
            }
            let least = background.get(&metric).copied().unwrap_or(0.0);
            let values: Vec<f64> = values.iter().map(|&value| f64::from(value) - least).collect();
            let mean = values.iter().filter(|value| value.is_finite()).sum::<f64>() / known as f64;
            let mut integral = Vec::with_capacity(values.len() + 1);
            integral.push(0.0);
            for (k, &value) in values.iter().enumerate() {
                let covered = (solo_seconds - k as f64 * step_seconds).clamp(0.0, step_seconds);
                let value = if value.is_finite() { value } else { mean };
                integral.push(integral[k] + value * covered);
            }
            demand.insert(metric, values);
            work.insert(metric, integral);
        }
        if demand.is_empty() {
            return Err(SceneError::NoMetrics { job: input.name.clone() });
        }
        let SoloInput { name, offset_seconds, .. } = input.clone();
        Ok(SoloJob { name, offset_seconds, solo_seconds, demand, work, step_seconds })
    }

    /// Integral of the demand for `metric` between two moments of the job's solo time, in unit x seconds.
    /// Zero outside the solo run and for metrics that the trace does not know.
    pub fn work_between(&self, metric: Metric, from_seconds: f64, to_seconds: f64) -> f64 {
        self.work.get(&metric).map_or(0.0, |work| {
            self.work_until(work, to_seconds.max(from_seconds)) - self.work_until(work, from_seconds)
        })
    }

    /// The mean demand for `metric` between two moments of the job's solo time; at their place if they are one.
    pub fn mean_demand(&self, metric: Metric, from_seconds: f64, to_seconds: f64) -> f64 {
        let from = from_seconds.clamp(0.0, self.solo_seconds);
        let to = to_seconds.clamp(from, self.solo_seconds);
        if to - from > 1e-9 * self.solo_seconds {
            return self.work_between(metric, from, to) / (to - from);
        }
        let width = self.step_seconds.min(self.solo_seconds);
        let from = (from - width / 2.0).clamp(0.0, self.solo_seconds - width);
        self.work_between(metric, from, from + width) / width
    }

    fn work_until(&self, work: &[f64], seconds: f64) -> f64 {
        let seconds = seconds.clamp(0.0, self.solo_seconds);
        let place = seconds / self.step_seconds;
        let k = (place.floor() as usize).min(work.len().saturating_sub(2));
        let start = k as f64 * self.step_seconds;
        let covered = (self.solo_seconds - start).clamp(0.0, self.step_seconds);
        if covered <= 0.0 {
            return work.last().copied().unwrap_or(0.0);
        }
        let share = ((seconds - start) / covered).clamp(0.0, 1.0);
        work[k] + share * (work[k + 1] - work[k])
    }
}

/// The trace between its one job's start and end, where the file says when these were.
fn solo_part(trace: &Trace) -> Trace {
    match trace.jobs.as_slice() {
        [job] => match (job.start_seconds, job.end_seconds) {
            (Some(start), Some(end)) if end > start => trace.crop(start, end),
            _ => trace.clone(),
        },
        _ => trace.clone(),
    }
}

fn solo_seconds(trace: &Trace) -> f64 {
    match trace.jobs.as_slice() {
        [job] => match (job.start_seconds, job.end_seconds) {
            (Some(start), Some(end)) if end > start => end - start,
            _ => trace.duration_seconds(),
        },
        _ => trace.duration_seconds(),
    }
}

fn sample_step(trace: &Trace) -> f64 {
    let step = trace.step_seconds();
    if step > 0.0 { step } else { trace.duration_seconds().max(1e-3) }
}

fn warnings(inputs: &[SoloInput<'_>], node: Capacity, jobs: &[SoloJob]) -> Vec<String> {
    let mut warnings = Vec::new();
    for input in inputs {
        if let (Some(own), Some(shared)) = (input.trace.capacity.cores, node.cores)
            && (own - shared).abs() > 1e-9
        {
            warnings.push(format!(
                "{} was measured alone on {own} cores and is forecast on {shared}: its solo trace says little about a node of another size.",
                input.name
            ));
        }
    }
    for metric in [Metric::CpuCores, Metric::MemoryBytes] {
        for job in jobs.iter().filter(|job| !job.demand.contains_key(&metric)) {
            warnings.push(format!("{} has no {}: the forecast goes without it.", job.name, metric.name()));
        }
    }
    warnings
}
