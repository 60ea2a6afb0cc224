//! Fitting the network: teacher forcing that gives way to free running.

use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result, ensure};
use burn::grad_clipping::GradientClippingConfig;
use burn::module::Module;
use burn::optim::{AdamConfig, GradientsParams};
use burn::tensor::{Device, Tensor};
use cotrace_evaluate::Training;
use cotrace_model::features::{JOBS, METRICS, Scales};
use cotrace_model::resourcenet::{ResourceNet, ResourceNetConfig, lengths, stack_encoder};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};

use crate::checkpoints::Checkpoints;
use crate::examples::{Batch, Example, Sampler};
use crate::seeded::seeded;

/// How the network is fitted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FitConfig {
    /// Features of encoder and decoder states.
    pub hidden: usize,
    /// Optimiser steps.
    pub steps: usize,
    /// Co-runs in a step.
    pub batch: usize,
    /// Learning rate at the start; it falls to a fiftieth along a cosine.
    pub learning_rate: f64,
    /// The share of training after which the network only reads what it wrote itself.
    pub free_running_from: f64,
    /// Weight of completion errors beside metric errors.
    pub completion_weight: f64,
    /// Weight of rate errors beside metric errors.
    pub rate_weight: f64,
    /// Seed of everything random.
    pub seed: u64,
}

impl Default for FitConfig {
    fn default() -> FitConfig {
        FitConfig {
            hidden: 64,
            steps: 1200,
            batch: 16,
            learning_rate: 4e-3,
            free_running_from: 0.6,
            completion_weight: 10.0,
            rate_weight: 3.0,
            seed: 1,
        }
    }
}

/// A fit was asked to stop; where it has checkpoints, they hold what is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopped {
    /// Steps done.
    pub step: usize,
}

impl std::fmt::Display for Stopped {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "training stopped after {} steps; go on with --resume", self.step)
    }
}

impl std::error::Error for Stopped {}

/// Optimiser steps between checkpoints.
const CHECKPOINT_EVERY: usize = 50;

/// Fits a network to a training's pairs, from where the checkpoints are. `progress` is told the step, of how many, and
/// the loss.
///
/// # Errors
/// [`Stopped`] if `stop` was set; there is nothing to learn from; or what went wrong with the checkpoint files.
pub(crate) fn fit(
    training: &Training<'_>,
    scales: &Scales,
    config: &FitConfig,
    checkpoints: &Checkpoints,
    stop: &AtomicBool,
    progress: &dyn Fn(usize, usize, f32),
) -> Result<ResourceNet> {
    let device = cotrace_model::default_device().autodiff();
    let mut network = seeded_network(config, &device);
    let mut optimizer = AdamConfig::new().init().with_grad_clipping(GradientClippingConfig::Norm(1.0).init());
    let mut first = 0;
    let sampler = Sampler::new(training, scales);
    ensure!(!sampler.is_empty(), "there is no co-run of two jobs to learn from");
    if let Some(saved) = checkpoints.load()? {
        first = saved.step;
        network =
            network.try_load_record(saved.network).context("the checkpoint does not fit this network")?;
        if let Some(state) = saved.optimizer {
            optimizer = optimizer.from_bytes(state).context("the checkpoint's optimiser state is damaged")?;
        }
    }
    let mut shown = f32::NAN;
    for step in first..config.steps {
        let save = |step: usize| {
            let optimizer = || Ok(optimizer.into_bytes()?);
            checkpoints.save(step, || network.valid().into_record(), Some(&optimizer))
        };
        if stop.load(Ordering::Relaxed) {
            save(step)?;
            return Err(Stopped { step }.into());
        }
        if step > first && step % CHECKPOINT_EVERY == 0 {
            save(step)?;
        }
        let seed = config.seed.wrapping_mul(1_000_003).wrapping_add(step as u64);
        let examples = sampler.batch(config.batch, seed);
        ensure!(!examples.is_empty(), "the solo runs of no co-run make a scene");
        let batch = Batch::new(&examples, &device);
        let done = step as f64 / config.steps as f64;
        let forced = (1.0 - done / config.free_running_from).max(0.0);
        let loss = loss(&network, &batch, config, forced, seed, &device);
        let value = loss.clone().into_scalar::<f32>();
        let gradients = GradientsParams::from_grads(loss.backward(), &network);
        network = optimizer.step(learning_rate(config, done), network, gradients);
        shown = if shown.is_nan() { value } else { 0.95 * shown + 0.05 * value };
        progress(step + 1, config.steps, shown);
    }
    checkpoints.save(config.steps, || network.valid().into_record(), None)?;
    Ok(network.valid())
}

/// Seconds that each of `repeats` optimiser steps takes on made-up co-runs of `time` steps, for benchmarks. Nothing is
/// forced: every step reads what the network wrote.
pub fn time_steps(hidden: usize, batch: usize, time: usize, repeats: usize) -> Vec<f64> {
    let device = cotrace_model::default_device().autodiff();
    let config = FitConfig { hidden, batch, ..FitConfig::default() };
    let mut network = seeded_network(&config, &device);
    let mut optimizer = AdamConfig::new().init().with_grad_clipping(GradientClippingConfig::Norm(1.0).init());
    let examples: Vec<Example> = (0..batch).map(|at| Example::made_up(time, at)).collect();
    let batch = Batch::new(&examples, &device);
    (0..repeats)
        .map(|_| {
            let started = std::time::Instant::now();
            let loss = loss(&network, &batch, &config, 0.0, 1, &device);
            let gradients = GradientsParams::from_grads(loss.backward(), &network);
            network = optimizer.step(config.learning_rate, network.clone(), gradients);
            started.elapsed().as_secs_f64()
        })
        .collect()
}

fn seeded_network(config: &FitConfig, device: &Device) -> ResourceNet {
    seeded(device, config.seed, || ResourceNetConfig::new().with_hidden(config.hidden).init(device))
}

fn learning_rate(config: &FitConfig, done: f64) -> f64 {
    const LEAST: f64 = 0.02;
    let cosine = 0.5 * (1.0 + (std::f64::consts::PI * done).cos());
    config.learning_rate * (LEAST + (1.0 - LEAST) * cosine)
}

/// Mean squared error of metrics, completions and rates over a batch. `forced` is the chance that a step reads the
/// truth of the step before, not what the network wrote.
fn loss(
    network: &ResourceNet,
    batch: &Batch,
    config: &FitConfig,
    forced: f64,
    seed: u64,
    device: &Device,
) -> Tensor<1> {
    let rng = &mut SmallRng::seed_from_u64(seed ^ 0x5eed);
    let n = batch.features.len();
    let encoded = network.encode(stack_encoder(&batch.features, device), &lengths(&batch.features));
    let mut state = encoded.first.clone();
    let mut metrics: Tensor<2> = Tensor::zeros([n, METRICS], device);
    let mut completion: Tensor<2> = Tensor::zeros([n, JOBS], device);
    let mut all_metrics = Vec::with_capacity(batch.steps);
    let mut all_completion = Vec::with_capacity(batch.steps);
    let mut all_rates = Vec::with_capacity(batch.steps);
    for k in 0..batch.steps {
        if k > 0 && rng.random_bool(forced) {
            metrics = at(&batch.metrics, k - 1);
            completion = at(&batch.completion, k - 1);
        }
        let not_ended = completion.clone().detach().lower_scalar(1.0).float();
        let running = at(&batch.started, k) * not_ended;
        let feedback = Tensor::cat(vec![metrics, completion.clone(), running.clone()], 1);
        let decoded = network.decode(&encoded, feedback, state);
        state = decoded.state;
        completion = (completion + running * batch.step_share.clone() * decoded.rates.clone()).clamp_max(1.0);
        metrics = decoded.metrics;
        all_metrics.push(metrics.clone());
        all_completion.push(completion.clone());
        all_rates.push(decoded.rates);
    }
    let metrics = (Tensor::stack::<3>(all_metrics, 1) - batch.metrics.clone()).square();
    let completion = (Tensor::stack::<3>(all_completion, 1) - batch.completion.clone()).square();
    let rates = (Tensor::stack::<3>(all_rates, 1) - batch.rates.clone()).square();
    masked_mean(metrics, batch.metrics_mask.clone())
        + masked_mean(completion, batch.running.clone()).mul_scalar(config.completion_weight)
        + masked_mean(rates, batch.running.clone()).mul_scalar(config.rate_weight)
}

/// `[batch, time, features]` at one time, `[batch, features]`.
fn at(tensor: &Tensor<3>, k: usize) -> Tensor<2> {
    tensor.clone().narrow(1, k, 1).squeeze_dim(1)
}

fn masked_mean(values: Tensor<3>, mask: Tensor<3>) -> Tensor<1> {
    (values * mask.clone()).sum() / mask.sum().clamp_min(1.0)
}
