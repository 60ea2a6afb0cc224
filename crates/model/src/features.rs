//! From scenes to the numbers a network sees.

use std::collections::BTreeMap;

use cotrace_forecast::{MODELLED, Scene, SoloJob};
use cotrace_trace::Metric;

pub use cotrace_forecast::share_unit;

/// Modelled metrics.
pub const METRICS: usize = MODELLED.len();

/// Jobs of a scene that this model takes.
pub const JOBS: usize = 2;

/// Per job and step: demand and mask of each metric, whether it runs, how far through its solo run it is.
const PER_JOB: usize = 2 * METRICS + 2;

/// Features of the encoder's input: both jobs', the length of each in steps, the step's length.
pub const ENCODER_FEATURES: usize = JOBS * PER_JOB + JOBS + 1;

/// Shares beyond this tell the network nothing more.
const MOST_SHARE: f64 = 4.0;

/// Divides shares so that metrics weigh alike: one positive number per modelled metric.
pub type Scales = BTreeMap<Metric, f64>;

/// What the network reads of one scene. Built for inference and training alike.
#[derive(Clone, Debug)]
pub struct SceneFeatures {
    /// Encoder input, row by row, `[time x ENCODER_FEATURES]`.
    pub encoder: Vec<f32>,
    /// Encoder steps.
    pub time: usize,
    /// How much of its solo run each job does in a step at full speed, `[JOBS]`.
    pub step_share: [f32; JOBS],
    /// When each job starts, in steps, `[JOBS]`.
    pub start_steps: [f32; JOBS],
}

impl SceneFeatures {
    /// Reads a scene of two jobs. `known` says which metrics may be used (all that the traces have, or fewer).
    pub fn new(scene: &Scene, scales: &Scales, known: &[bool; METRICS]) -> SceneFeatures {
        let step = scene.step_seconds;
        let time = ((scene.naive_makespan_seconds() / step - 1e-9).ceil() as usize).max(1);
        let mut encoder = Vec::with_capacity(time * ENCODER_FEATURES);
        let divisors: Vec<f64> = MODELLED
            .iter()
            .map(|&metric| {
                step * share_unit(metric, &scene.node) * scales.get(&metric).copied().unwrap_or(1.0)
            })
            .collect();
        for k in 0..time {
            for job in &scene.jobs {
                let from = k as f64 * step - job.offset_seconds;
                push_job(&mut encoder, job, from, step, &divisors, scales, known);
            }
            for job in &scene.jobs {
                encoder.push(((job.solo_seconds / step).max(1.0).log2() / 8.0) as f32);
            }
            encoder.push((step.log10() / 2.0) as f32);
        }
        let per_job = |value: fn(&SoloJob, f64) -> f64| {
            let mut values = [0.0; JOBS];
            for (slot, job) in values.iter_mut().zip(&scene.jobs) {
                *slot = value(job, step) as f32;
            }
            values
        };
        SceneFeatures {
            encoder,
            time,
            step_share: per_job(|job, step| step / job.solo_seconds),
            start_steps: per_job(|job, step| job.offset_seconds / step),
        }
    }

    /// How much of step `k` lies after the start of job `j`, 0 to 1.
    pub fn started(&self, j: usize, k: usize) -> f32 {
        (k as f32 + 1.0 - self.start_steps[j]).clamp(0.0, 1.0)
    }
}

fn push_job(
    out: &mut Vec<f32>,
    job: &SoloJob,
    from: f64,
    step: f64,
    divisors: &[f64],
    scales: &Scales,
    known: &[bool; METRICS],
) {
    let runs = from + step > 0.0 && from < job.solo_seconds;
    for (m, &metric) in MODELLED.iter().enumerate() {
        let use_it = known[m] && job.demand.contains_key(&metric);
        let most = MOST_SHARE / scales.get(&metric).copied().unwrap_or(1.0);
        let share =
            if use_it && runs { job.work_between(metric, from, from + step) / divisors[m] } else { 0.0 };
        out.push(share.clamp(-most, most) as f32);
    }
    for (m, &metric) in MODELLED.iter().enumerate() {
        out.push(f32::from(known[m] && job.demand.contains_key(&metric)));
    }
    out.push(if runs { 1.0 } else { 0.0 });
    out.push(((from + step) / job.solo_seconds).clamp(0.0, 1.0) as f32);
}
