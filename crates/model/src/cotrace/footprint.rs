//! What the node shows while jobs move along their solo traces.

use burn::tensor::Tensor;
use cotrace_forecast::{MODELLED, Outcome, Scene, share_unit};
use cotrace_trace::{Metric, MetricKind, Resource};

use super::Ablation;
use super::features::MOST_SHARE;
use super::network::CotraceNet;
use crate::features::METRICS;

/// Exponents of the rate, by metric: a job that gets on at a rate `r` uses `r ^ exponent` of what its solo trace has.
#[derive(Clone, Debug, PartialEq)]
pub struct Exponents {
    /// Before the sigmoid.
    base: [f32; METRICS],
    /// Growth with saturation.
    saturated: [f32; METRICS],
    without: Ablation,
}

impl Exponents {
    /// Those of a network.
    pub fn of(network: &CotraceNet, without: Ablation) -> Exponents {
        Exponents { without, base: values(network.exponents()), saturated: values(network.saturated.val()) }
    }

    /// The exponent of a metric, 0 (level) to 1 (flow), where its resource is so far beyond its capacity.
    pub fn at(&self, m: usize, saturation: f64) -> f64 {
        if self.without == Ablation::Exponents {
            return if MODELLED[m].kind() == MetricKind::Flow { 1.0 } else { 0.0 };
        }
        let logit = f64::from(self.base[m]) + f64::from(self.saturated[m]) * saturation;
        1.0 / (1.0 + (-logit).exp())
    }

    /// What a job contributes to each step, in the metric's unit, `[steps]`.
    pub fn contribution(&self, scene: &Scene, outcome: &Outcome, job: usize, metric: Metric) -> Vec<f64> {
        let Some(m) = MODELLED.iter().position(|&other| other == metric) else { return Vec::new() };
        let solo = &scene.jobs[job];
        let step = scene.step_seconds;
        let most = MOST_SHARE * share_unit(metric, &scene.node);
        (0..outcome.steps())
            .map(|k| {
                let (from, to) = (outcome.progress_seconds[job][k], outcome.progress_seconds[job][k + 1]);
                let present = present(scene, outcome, job, k);
                if present <= 0.0 {
                    return 0.0;
                }
                let rate = ((to - from) / (present * step)).max(1e-6);
                let exponent = self.at(m, saturation(scene, outcome, metric, k));
                solo.mean_demand(metric, from, to).clamp(0.0, most) * rate.powf(exponent) * present
            })
            .collect()
    }
}

/// The share of step `k` in which a job runs.
pub fn present(scene: &Scene, outcome: &Outcome, job: usize, k: usize) -> f64 {
    let step = scene.step_seconds;
    let (start, end) = (k as f64 * step, (k + 1) as f64 * step);
    let (from, to) = (scene.jobs[job].offset_seconds.max(start), outcome.finish_seconds[job].min(end));
    ((to - from) / step).clamp(0.0, 1.0)
}

/// How far what the jobs ask for in step `k`, each at full speed where it stands, goes beyond the capacity of the metric's
/// resource, in shares of it; 0 where it doesn't, or the metric has none.
pub fn saturation(scene: &Scene, outcome: &Outcome, metric: Metric, k: usize) -> f64 {
    let group: &[Metric] = match metric.resource() {
        Some(Resource::Cpu) => &[Metric::CpuCores],
        Some(Resource::Disk) => &[Metric::DiskReadBytesPerSecond, Metric::DiskWriteBytesPerSecond],
        Some(Resource::Network) => &[metric],
        Some(Resource::Memory) | None => return 0.0,
    };
    let asked: f64 = (0..scene.jobs.len())
        .filter(|&job| present(scene, outcome, job, k) > 0.0)
        .map(|job| {
            let at = outcome.progress_seconds[job][k];
            let demand = |metric| scene.jobs[job].mean_demand(metric, at, at + scene.step_seconds).max(0.0);
            group.iter().map(|&metric| demand(metric) / share_unit(metric, &scene.node)).sum::<f64>()
        })
        .sum();
    (asked - 1.0).clamp(0.0, 3.0)
}

/// A tensor's values on the host.
fn values(tensor: Tensor<1>) -> [f32; METRICS] {
    let values = tensor.try_into_vec_as::<f32>().expect("a backend on the CPU gives its values");
    values.try_into().expect("one value for each metric")
}
