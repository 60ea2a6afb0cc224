//! Forecasts that need no training: what any model has to beat.

use std::collections::BTreeMap;

use cotrace_trace::Metric;

use crate::{Outcome, Scene};

/// No job is slowed beyond this by a baseline: a job that gets nothing would never end.
const LEAST_RATE: f64 = 0.02;

/// A job holding less than this share of a resource is not held back by it.
const USES: f64 = 0.01;

/// A forecast by rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Baseline {
    /// The solo traces added up and clipped at capacity; nobody is slowed.
    ClippedSum,
    /// The sum with time stretched so that clipped work is conserved: while a resource is asked for more than it
    /// has, every job that uses it advances at capacity over demand; a job's rate is that of its scarcest resource.
    ConservedSum,
}

impl Baseline {
    /// The name in reports and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Baseline::ClippedSum => "clipped-sum",
            Baseline::ConservedSum => "conserved-sum",
        }
    }

    /// Runs the rule.
    pub fn run(self, scene: &Scene) -> Outcome {
        match self {
            Baseline::ClippedSum => run(scene, |_, _| 1.0),
            Baseline::ConservedSum => run(scene, rate),
        }
    }
}

/// Shares of a resource's capacity that each job asks for.
struct Shares {
    jobs: Vec<f64>,
}

/// Metrics that share one capacity. Network directions do not: each has its own.
const CONTENDED: [&[Metric]; 4] = [
    &[Metric::CpuCores],
    &[Metric::DiskReadBytesPerSecond, Metric::DiskWriteBytesPerSecond],
    &[Metric::NetworkReceiveBytesPerSecond],
    &[Metric::NetworkTransmitBytesPerSecond],
];

fn rate(shares: &[Shares], job: usize) -> f64 {
    shares
        .iter()
        .filter(|shares| shares.jobs[job] > USES)
        .map(|shares| shares.jobs.iter().sum::<f64>())
        .filter(|&sum| sum > 1.0)
        .map(|sum| 1.0 / sum)
        .fold(1.0, f64::min)
        .max(LEAST_RATE)
}

/// Advances every job by its rate until all have ended.
fn run(scene: &Scene, rate: impl Fn(&[Shares], usize) -> f64) -> Outcome {
    let step = scene.step_seconds;
    let mut progress: Vec<Vec<f64>> = scene.jobs.iter().map(|_| vec![0.0]).collect();
    let mut finish: Vec<Option<f64>> = vec![None; scene.jobs.len()];
    let mut k = 0;
    while finish.iter().any(Option::is_none) {
        let start = k as f64 * step;
        let shares = shares(scene, &progress, start);
        for (j, job) in scene.jobs.iter().enumerate() {
            let at = progress[j][k];
            let runs_for = (start + step - job.offset_seconds).clamp(0.0, step);
            let rate = rate(&shares, j);
            let next = at + runs_for * rate;
            if next >= job.solo_seconds - 1e-9 && finish[j].is_none() {
                finish[j] = Some(start + (step - runs_for) + (job.solo_seconds - at) / rate);
            }
            progress[j].push(next.min(job.solo_seconds));
        }
        k += 1;
    }
    let finish_seconds = finish.into_iter().flatten().collect();
    let mut outcome = Outcome { progress_seconds: progress, finish_seconds, totals: BTreeMap::new() };
    for metric in scene.known_metrics() {
        let background = scene.background.get(&metric).copied().unwrap_or(0.0);
        let capacity = metric.capacity(&scene.node).unwrap_or(f64::INFINITY).max(background);
        let mut total = vec![background; outcome.steps()];
        for job in 0..scene.jobs.len() {
            for (sum, value) in total.iter_mut().zip(outcome.demand_at_progress(scene, job, metric)) {
                *sum += value;
            }
        }
        outcome.totals.insert(metric, total.into_iter().map(|value| value.min(capacity)).collect());
    }
    outcome
}

fn shares(scene: &Scene, progress: &[Vec<f64>], start: f64) -> Vec<Shares> {
    let step = scene.step_seconds;
    CONTENDED
        .iter()
        .filter_map(|metrics| {
            let capacity = metrics[0].capacity(&scene.node).filter(|&capacity| capacity > 0.0)?;
            let jobs = scene
                .jobs
                .iter()
                .zip(progress)
                .map(|(job, progress)| {
                    let at = progress.last().copied().unwrap_or(0.0);
                    let runs = job.offset_seconds < start + step && at < job.solo_seconds;
                    let demand: f64 =
                        metrics.iter().map(|&metric| job.mean_demand(metric, at, at + step)).sum();
                    if runs { demand.max(0.0) / capacity } else { 0.0 }
                })
                .collect();
            Some(Shares { jobs })
        })
        .collect()
}
