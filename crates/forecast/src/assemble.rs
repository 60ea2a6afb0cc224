//! From the course of a co-run to the forecast that people and programs read.

use std::collections::BTreeMap;

use cotrace_trace::{Metric, Resource};
use serde::{Deserialize, Serialize};

use crate::{
    Contribution, Distance, Forecast, JobForecast, Limit, Lost, MemoryFits, MetricForecast, ModelName,
    Outcome, Scene,
};

/// A resource forecast above this share of its capacity is short.
const SHORT: f64 = 0.95;

/// A stretch of shortage under this many steps is noise.
const LEAST_STEPS: usize = 2;

/// A job that loses less than this to a resource, for every second of its solo run, is not held back by it.
const HELD_BACK: f64 = 0.05;

/// A job using less than this share of a resource's capacity is not held back by it.
const USES: f64 = 0.05;

/// Standard deviations from the middle to the edge of a 90 % band of a normal distribution.
const NORMAL_90: f64 = 1.645;

/// Half-widths of the 90 % bands, measured on co-runs that the model had not seen.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Bands {
    /// Per metric, in shares of capacity (of the reference scale where there is no capacity).
    pub metrics: BTreeMap<Metric, f64>,
    /// For slowdowns: the interval is slowdown / ratio to slowdown x ratio. `None`: not measured so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slowdown_ratio: Option<f64>,
    /// For slowdowns: the half-width in units of [`Outcome::slowdown_scale`]. `None`: not measured so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slowdown: Option<f64>,
    /// What the distance that the model reckons means. `None`: not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distance: Option<DistanceScale>,
}

/// What the distance that a model reckons means, by errors on co-runs that it had not seen.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct DistanceScale {
    /// What it reckons for pairs of jobs that it had seen with others, the geometric mean.
    pub usual: f64,
    /// The power of it that errors grow with.
    pub growth: f64,
}

impl DistanceScale {
    /// How many times as far off as for pairs of jobs seen with others: 2 where errors were twice as large.
    pub fn score(&self, reckoned: f64) -> f64 {
        (reckoned / self.usual).powf(self.growth)
    }
}

impl Bands {
    /// The 90 % interval of a slowdown in whose scale errors are measured; the slowdown itself where nothing was measured.
    pub fn slowdown_interval(&self, slowdown: f64, scale: f64) -> [f64; 2] {
        match (self.slowdown, self.slowdown_ratio) {
            (Some(width), _) => {
                let half = width * scale;
                [(slowdown - half).max(0.0), slowdown + half]
            }
            (None, Some(ratio)) => [slowdown / ratio, slowdown * ratio],
            (None, None) => [slowdown; 2],
        }
    }
}

/// What made a forecast and how far out it is.
#[derive(Clone, Debug)]
pub struct Provenance {
    /// The model.
    pub model: ModelName,
    /// How far the scene is from what it was trained on.
    pub distance: Distance,
    /// Its bands.
    pub bands: Bands,
    /// More to tell the person.
    pub warnings: Vec<String>,
}

impl Forecast {
    /// Puts a forecast together. `scale` gives what one share of a metric is in the metric's unit, for the bands.
    pub fn assemble(
        scene: &Scene,
        outcome: &Outcome,
        provenance: Provenance,
        scale: impl Fn(Metric) -> f64,
    ) -> Forecast {
        let steps = outcome.steps();
        let Provenance { model, distance, bands, warnings } = provenance;
        let metrics: BTreeMap<Metric, MetricForecast> = outcome
            .totals
            .iter()
            .map(|(&metric, total)| {
                let half = bands.metrics.get(&metric).copied().unwrap_or(0.0) * scale(metric);
                (metric, metric_forecast(scene, outcome, metric, total, half))
            })
            .collect();
        let jobs = (0..scene.jobs.len()).map(|j| job_forecast(scene, outcome, &metrics, &bands, j)).collect();
        let memory_fits = metrics.get(&Metric::MemoryBytes).and_then(memory_fits);
        Forecast {
            cotrace_forecast: 1,
            step_seconds: scene.step_seconds,
            time_seconds: (0..steps).map(|k| k as f64 * scene.step_seconds).collect(),
            metrics,
            jobs,
            makespan_seconds: outcome.makespan_seconds(),
            sequential_seconds: scene.sequential_seconds(),
            memory_fits,
            distance,
            model,
            warnings: scene.warnings.iter().cloned().chain(warnings).collect(),
        }
    }
}

fn metric_forecast(
    scene: &Scene,
    outcome: &Outcome,
    metric: Metric,
    total: &[f64],
    half_width: f64,
) -> MetricForecast {
    let background = scene.background.get(&metric).copied().unwrap_or(0.0);
    let capacity = metric.capacity(&scene.node);
    let ceiling = capacity.unwrap_or(f64::INFINITY);
    MetricForecast {
        unit: metric.unit().to_owned(),
        capacity,
        background,
        total: total.to_vec(),
        lower: total.iter().map(|value| (value - half_width).max(0.0)).collect(),
        upper: total.iter().map(|value| (value + half_width).min(ceiling.max(*value))).collect(),
        jobs: contributions(scene, outcome, metric, total, background),
        naive_sum: scene.naive_sum(metric, total.len()),
    }
}

/// Splits the total beyond the background among the jobs: in proportion to what the outcome says that each contributes, or
/// else to what each would use where it stands in its own solo run. Where none would use anything, the rest is shared by
/// those that run.
fn contributions(
    scene: &Scene,
    outcome: &Outcome,
    metric: Metric,
    total: &[f64],
    background: f64,
) -> Vec<Contribution> {
    let asked: Vec<Vec<f64>> = (0..scene.jobs.len())
        .map(|j| match outcome.contributions.get(&metric) {
            Some(contributions) => contributions[j].clone(),
            None => outcome.demand_at_progress(scene, j, metric),
        })
        .map(|values| values.into_iter().map(|value| value.max(0.0)).collect())
        .collect();
    let shares: Vec<Vec<f64>> = (0..scene.jobs.len())
        .map(|j| {
            (0..total.len())
                .map(|k| {
                    let sum: f64 = asked.iter().map(|demand| demand[k]).sum();
                    let share = if sum > 0.0 { asked[j][k] / sum } else { presence(scene, outcome, j, k) };
                    share * (total[k] - background)
                })
                .collect()
        })
        .collect();
    scene
        .jobs
        .iter()
        .zip(shares)
        .map(|(job, contribution)| Contribution { name: job.name.clone(), contribution })
        .collect()
}

/// The share of job `j` among those that run in step `k`; equal shares if none does.
fn presence(scene: &Scene, outcome: &Outcome, j: usize, k: usize) -> f64 {
    let runs = |j: usize| {
        let start = k as f64 * scene.step_seconds;
        scene.jobs[j].offset_seconds < start + scene.step_seconds && outcome.finish_seconds[j] > start
    };
    let running = (0..scene.jobs.len()).filter(|&j| runs(j)).count();
    match running {
        0 => 1.0 / scene.jobs.len() as f64,
        n if runs(j) => 1.0 / n as f64,
        _ => 0.0,
    }
}

fn job_forecast(
    scene: &Scene,
    outcome: &Outcome,
    metrics: &BTreeMap<Metric, MetricForecast>,
    bands: &Bands,
    j: usize,
) -> JobForecast {
    let job = &scene.jobs[j];
    let finish_seconds = outcome.finish_seconds[j];
    let slowdown = (finish_seconds - job.offset_seconds) / job.solo_seconds;
    JobForecast {
        name: job.name.clone(),
        offset_seconds: job.offset_seconds,
        solo_seconds: job.solo_seconds,
        finish_seconds,
        slowdown,
        slowdown_interval: bands.slowdown_interval(slowdown, outcome.slowdown_scale(j, slowdown)),
        limits: limits(scene, outcome, metrics, j),
        lost: lost(outcome, j),
    }
}

/// What a job loses time to, most first; causes that cost less than anyone could see are left out.
fn lost(outcome: &Outcome, j: usize) -> Vec<Lost> {
    const SEEN_SECONDS: f64 = 0.05;
    let sums =
        outcome.seconds_lost(j).into_iter().map(|(cause, steps)| Lost { cause, seconds: steps.iter().sum() });
    let mut lost: Vec<Lost> = sums.filter(|lost| lost.seconds.abs() >= SEEN_SECONDS).collect();
    lost.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    lost
}

/// Where a resource held the job back: by the model's own word where it has one, or else where it is forecast short while
/// this job and another use it.
fn limits(
    scene: &Scene,
    outcome: &Outcome,
    metrics: &BTreeMap<Metric, MetricForecast>,
    j: usize,
) -> Vec<Limit> {
    let finish = outcome.finish_seconds[j];
    let mut limits = Vec::new();
    for (resource, group) in [
        (Resource::Cpu, &[Metric::CpuCores][..]),
        (Resource::Disk, &[Metric::DiskReadBytesPerSecond, Metric::DiskWriteBytesPerSecond][..]),
        (Resource::Network, &[Metric::NetworkReceiveBytesPerSecond][..]),
        (Resource::Network, &[Metric::NetworkTransmitBytesPerSecond][..]),
    ] {
        let parts: Vec<&MetricForecast> = group.iter().filter_map(|metric| metrics.get(metric)).collect();
        let Some(capacity) = parts.first().and_then(|part| part.capacity).filter(|&c| c > 0.0) else {
            continue;
        };
        let steps = parts[0].total.len();
        let share = |k: usize| parts.iter().map(|part| part.total[k]).sum::<f64>() / capacity;
        let own = |k: usize| parts.iter().map(|part| part.jobs[j].contribution[k]).sum::<f64>() / capacity;
        let runs = |k: usize| {
            let start = k as f64 * scene.step_seconds;
            start + scene.step_seconds > scene.jobs[j].offset_seconds && start < finish
        };
        let said = outcome.causes.iter().find(|(cause, _)| cause.resource() == Some(resource));
        let said = said.map(|(_, causes)| &causes[j]);
        let short = |k: usize| match said {
            Some(lost) => runs(k) && own(k) > 0.0 && lost[k] >= HELD_BACK,
            None => runs(k) && share(k) >= SHORT && own(k) >= USES && share(k) - own(k) >= USES,
        };
        let mut k = 0;
        while k < steps {
            let from = k;
            while k < steps && short(k) {
                k += 1;
            }
            if k - from >= LEAST_STEPS {
                let mean = |of: &dyn Fn(usize) -> f64| (from..k).map(of).sum::<f64>() / (k - from) as f64;
                limits.push(Limit {
                    from_seconds: from as f64 * scene.step_seconds,
                    to_seconds: (k as f64 * scene.step_seconds).min(finish),
                    resource,
                    share: mean(&share),
                    lost_ratio: said.map(|lost| mean(&|k| lost[k])),
                });
            }
            k = k.max(from + 1);
        }
    }
    limits
}

/// The chance that the peak stays below capacity, taking the band as that of a normal distribution.
fn memory_fits(memory: &MetricForecast) -> Option<MemoryFits> {
    let capacity = memory.capacity?;
    let (peak, k) = memory.total.iter().zip(0..).map(|(&v, k)| (v, k)).max_by(|a, b| a.0.total_cmp(&b.0))?;
    let sigma = (peak - memory.lower[k]) / NORMAL_90;
    let probability = if sigma > 0.0 {
        normal_cdf((capacity - peak) / sigma)
    } else if peak <= capacity {
        1.0
    } else {
        0.0
    };
    Some(MemoryFits { probability })
}

/// Standard normal distribution function by a logistic approximation, within 0.0002 of the true one everywhere
/// (Bowling, Khasawneh, Kaewkuekool, Cho, Journal of Industrial Engineering and Management 2(1), 2009).
fn normal_cdf(z: f64) -> f64 {
    1.0 / (1.0 + (-(0.07056 * z.powi(3) + 1.5976 * z)).exp())
}
