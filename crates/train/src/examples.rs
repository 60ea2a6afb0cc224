//! Training examples: a scene, and what was measured of it.

use burn::tensor::{Device, Tensor, TensorData};
use cotrace_dataset::Run;
use cotrace_evaluate::{Measured, Training};
use cotrace_forecast::{MODELLED, Scene, SoloInput};
use cotrace_model::features::{ENCODER_FEATURES, JOBS, METRICS, Scales, SceneFeatures, share_unit};
use cotrace_trace::Trace;
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};

/// Spacings of training grids: forecasts are asked for at any, so training is done at several.
const STEPS_SECONDS: [f64; 3] = [0.5, 0.75, 1.0];

/// How often an example lacks some metrics, so that a trace that lacks them is nothing new.
const DROPS: f64 = 0.4;

/// Channels that are never dropped: without CPU there is no forecast worth giving.
const KEPT: usize = 1;

/// One co-run on a grid.
#[derive(Clone, Debug)]
pub(crate) struct Example {
    pub(crate) features: SceneFeatures,
    /// The node's metrics beyond the background in scaled shares, and which of them are known, `[steps]`.
    pub(crate) metrics: Vec<([f32; METRICS], [f32; METRICS])>,
    /// Completion of each job at the end of each step, `[steps]`.
    pub(crate) completion: Vec<[f32; JOBS]>,
    /// Each job's mean rate: solo duration over co-run duration.
    pub(crate) rates: [f32; JOBS],
}

impl Example {
    /// An example of some length that means nothing, for benchmarks.
    pub(crate) fn made_up(time: usize, at: usize) -> Example {
        let wave = |k: usize| ((k + at) as f32 * 0.7).sin().abs();
        let share = 1.0 / time as f32;
        Example {
            features: SceneFeatures {
                encoder: (0..time * ENCODER_FEATURES).map(wave).collect(),
                time,
                step_share: [share; JOBS],
                start_steps: [0.0; JOBS],
            },
            metrics: (0..time).map(|k| ([wave(k); METRICS], [1.0; METRICS])).collect(),
            completion: (0..time).map(|k| [(k + 1) as f32 * share; JOBS]).collect(),
            rates: [1.0; JOBS],
        }
    }

    /// Puts one co-run with two solo runs on a grid.
    fn new(run: &Run, trace: &Trace, scene: &Scene, scales: &Scales, known: &[bool; METRICS]) -> Example {
        let step = scene.step_seconds;
        let first = run.jobs.iter().map(|job| job.start_seconds).fold(f64::INFINITY, f64::min);
        let last = run.jobs.iter().map(|job| job.end_seconds).fold(0.0, f64::max);
        let grid = trace.crop(first, last).regrid(step);
        let steps = grid.steps;
        let mut metrics = vec![([0.0; METRICS], [0.0; METRICS]); steps];
        for (m, &metric) in MODELLED.iter().enumerate() {
            let Some(values) = grid.node(metric).filter(|_| known[m]) else {
                continue;
            };
            let unit = share_unit(metric, &scene.node) * scales.get(&metric).copied().unwrap_or(1.0);
            let background = scene.background.get(&metric).copied().unwrap_or(0.0);
            for ((value, mask), &measured) in metrics.iter_mut().zip(values) {
                if measured.is_finite() {
                    value[m] = ((f64::from(measured) - background) / unit) as f32;
                    mask[m] = 1.0;
                }
            }
        }
        let completion = (0..steps)
            .map(|k| {
                let now = (k + 1) as f64 * step + first;
                [0, 1].map(|j| {
                    let job = &run.jobs[j];
                    ((now - job.start_seconds) / (job.end_seconds - job.start_seconds)).clamp(0.0, 1.0) as f32
                })
            })
            .collect();
        let rates = [0, 1].map(|j| {
            let job = &run.jobs[j];
            (scene.jobs[j].solo_seconds / (job.end_seconds - job.start_seconds)) as f32
        });
        Example { features: SceneFeatures::new(scene, scales, known), metrics, completion, rates }
    }
}

/// Draws examples: any solo repeat of either job, either order, some metrics dropped.
pub(crate) struct Sampler<'a> {
    training: &'a Training<'a>,
    pairs: Vec<Measured<'a>>,
    scales: &'a Scales,
}

impl<'a> Sampler<'a> {
    pub(crate) fn new(training: &'a Training<'a>, scales: &'a Scales) -> Sampler<'a> {
        let usable =
            |corun: &&Measured<'a>| corun.run.jobs.len() == JOBS && training.solos_of(corun.run).is_some();
        let pairs = training.coruns.iter().filter(usable).copied().collect();
        Sampler { training, pairs, scales }
    }

    /// Whether there is nothing to draw from.
    pub(crate) fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// The batch of one training step: the same for the same seed, so that a resumed training goes on as it was.
    pub(crate) fn batch(&self, size: usize, seed: u64) -> Vec<Example> {
        let rng = &mut SmallRng::seed_from_u64(seed);
        let step = STEPS_SECONDS[rng.random_range(0..STEPS_SECONDS.len())];
        let mut order: Vec<usize> = (0..self.pairs.len()).collect();
        order.shuffle(rng);
        order.into_iter().cycle().take(size).filter_map(|at| self.draw(&self.pairs[at], step, rng)).collect()
    }

    fn draw(&self, pair: &Measured<'_>, step: f64, rng: &mut SmallRng) -> Option<Example> {
        let mut run = pair.run.clone();
        if rng.random_bool(0.5) {
            run.jobs.swap(0, 1);
        }
        let solos = self.training.solos_of(&run)?;
        let solos = [0, 1].map(|j| solos[j][rng.random_range(0..solos[j].len())].trace);
        let scene = Scene::on_grid(&inputs(&run, solos), pair.trace.capacity, step).ok()?;
        let mut known = [true; METRICS];
        if rng.random_bool(DROPS) {
            for _ in 0..rng.random_range(1..=4) {
                known[rng.random_range(KEPT..METRICS)] = false;
            }
        }
        Some(Example::new(&run, pair.trace, &scene, self.scales, &known))
    }
}

/// Two solo traces with the offsets of a co-run, the first job's start being zero.
fn inputs<'a>(run: &Run, solos: [&'a Trace; 2]) -> [SoloInput<'a>; 2] {
    let first = run.jobs.iter().map(|job| job.start_seconds).fold(f64::INFINITY, f64::min);
    [0, 1].map(|j| SoloInput {
        name: run.jobs[j].label.clone(),
        trace: solos[j],
        offset_seconds: run.jobs[j].start_seconds - first,
    })
}

/// Examples padded to the longest, as tensors.
pub(crate) struct Batch {
    pub(crate) features: Vec<SceneFeatures>,
    /// Steps of the longest co-run.
    pub(crate) steps: usize,
    /// `[batch, steps, METRICS]`.
    pub(crate) metrics: Tensor<3>,
    /// 1 where a metric is known and the co-run lasts, `[batch, steps, METRICS]`.
    pub(crate) metrics_mask: Tensor<3>,
    /// At the end of each step, `[batch, steps, JOBS]`.
    pub(crate) completion: Tensor<3>,
    /// How much of each step lies after each job's start, `[batch, steps, JOBS]`.
    pub(crate) started: Tensor<3>,
    /// 1 while the job runs in truth, `[batch, steps, JOBS]`.
    pub(crate) running: Tensor<3>,
    /// `[batch, 1, JOBS]`.
    pub(crate) rates: Tensor<3>,
    /// Share of its solo run that each job does in a step at full speed, `[batch, JOBS]`.
    pub(crate) step_share: Tensor<2>,
}

impl Batch {
    pub(crate) fn new(examples: &[Example], device: &Device) -> Batch {
        let steps = examples.iter().map(|example| example.metrics.len()).max().unwrap_or(0);
        let n = examples.len();
        let mut metrics = vec![0.0; n * steps * METRICS];
        let mut metrics_mask = vec![0.0; n * steps * METRICS];
        let mut completion = vec![1.0; n * steps * JOBS];
        let mut started = vec![1.0; n * steps * JOBS];
        let mut running = vec![0.0; n * steps * JOBS];
        for (row, example) in examples.iter().enumerate() {
            for (k, (values, known)) in example.metrics.iter().enumerate() {
                let at = (row * steps + k) * METRICS;
                metrics[at..at + METRICS].copy_from_slice(values);
                metrics_mask[at..at + METRICS].copy_from_slice(known);
                let before = if k == 0 { [0.0; JOBS] } else { example.completion[k - 1] };
                for (j, &done) in before.iter().enumerate() {
                    let at = (row * steps + k) * JOBS + j;
                    completion[at] = example.completion[k][j];
                    started[at] = example.features.started(j, k);
                    running[at] = if done < 1.0 && started[at] > 0.0 { 1.0 } else { 0.0 };
                }
            }
        }
        let tensor = |values: Vec<f32>, last| {
            Tensor::<3>::from_data(TensorData::new(values, [n, steps, last]), device)
        };
        let rates: Vec<f32> = examples.iter().flat_map(|example| example.rates).collect();
        let shares: Vec<f32> = examples.iter().flat_map(|example| example.features.step_share).collect();
        Batch {
            steps,
            metrics: tensor(metrics, METRICS),
            metrics_mask: tensor(metrics_mask, METRICS),
            completion: tensor(completion, JOBS),
            started: tensor(started, JOBS),
            running: tensor(running, JOBS),
            rates: Tensor::from_data(TensorData::new(rates, [n, 1, JOBS]), device),
            step_share: Tensor::from_data(TensorData::new(shares, [n, JOBS]), device),
            features: examples.iter().map(|example| example.features.clone()).collect(),
        }
    }
}

/// Scales that make the training co-runs' metrics alike: each metric's root mean square share, floored so that
/// an idle metric's noise is not made large.
pub(crate) fn scales(coruns: &[Measured<'_>]) -> Scales {
    const LEAST: f64 = 0.02;
    MODELLED
        .into_iter()
        .map(|metric| {
            let (sum, count) = coruns.iter().fold((0.0, 0u32), |(sum, count), corun| {
                let unit = share_unit(metric, &corun.trace.capacity);
                let values = corun.trace.node(metric).unwrap_or_default();
                values
                    .iter()
                    .filter(|value| value.is_finite())
                    .fold((sum, count), |(sum, count), value| (sum + (value / unit).powi(2), count + 1))
            });
            let scale = if count > 0 { (sum / f64::from(count)).sqrt() } else { 0.0 };
            // Rounded: scales are read by people in the model card.
            (metric, (scale.max(LEAST) * 1e4).round() / 1e4)
        })
        .collect()
}
