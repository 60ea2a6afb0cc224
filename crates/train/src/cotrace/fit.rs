//! Fitting the network of paces.

use std::sync::atomic::{AtomicBool, Ordering};

use burn::grad_clipping::GradientClippingConfig;
use burn::module::Module;
use burn::optim::{AdamWConfig, GradientsParams};
use burn::tensor::Tensor;
use burn::tensor::activation::sigmoid;
use cotrace_evaluate::{FitError, FitProgress, Training};
use cotrace_model::cotrace::{CotraceNet, CotraceNetConfig};
use cotrace_model::features::METRICS;
use rand::SeedableRng;
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};

use super::CotraceMethod;
use super::examples::{Batch, Example, PARTS, Seen, draw};
use crate::fit::Stopped;
use crate::seeded::seeded;

/// How the network is fitted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CotraceFit {
    /// Features of the hidden layers.
    pub hidden: usize,
    /// Examples drawn of every co-run.
    pub variants: usize,
    /// Optimiser steps.
    pub steps: usize,
    /// Co-runs in a step.
    pub batch: usize,
    /// Learning rate at the start; it falls to a fiftieth along a cosine.
    pub learning_rate: f64,
    /// Weights are pulled towards zero.
    pub weight_decay: f32,
    /// Price of what the residual adds, so that it has to earn its keep.
    pub residual_price: f64,
    /// Weight of errors of parts of a job's time beside those of the whole.
    pub parts_weight: f64,
    /// Weight of footprint errors beside those of time.
    pub footprint_weight: f64,
    /// Errors of durations, in shares of the solo duration, count by their square up to about this and by themselves beyond:
    /// jobs that behave as none of the others are not to pull the rest along.
    pub tolerance: f64,
}

impl Default for CotraceFit {
    fn default() -> CotraceFit {
        CotraceFit {
            hidden: 16,
            variants: 4,
            steps: 500,
            batch: 32,
            learning_rate: 2e-3,
            weight_decay: 3.0,
            residual_price: 1.0,
            parts_weight: 0.3,
            footprint_weight: 1.0,
            tolerance: 0.03,
        }
    }
}

/// The residual costs its square up to about this and itself beyond.
const RESIDUAL_TOLERANCE: f64 = 0.05;

/// Fits a network to a training.
///
/// # Errors
/// [`Stopped`] if `stop` was set.
pub(crate) fn fit(
    training: &Training<'_>,
    method: &CotraceMethod,
    seed: u64,
    stop: &AtomicBool,
    progress: FitProgress<'_>,
) -> Result<CotraceNet, FitError> {
    let config = &method.config;
    let device = cotrace_model::default_device().autodiff();
    let new = || CotraceNetConfig::new().with_hidden(config.hidden).init(&device);
    let mut network = seeded(&device, seed, new);
    let rng = &mut SmallRng::seed_from_u64(seed);
    let examples = draw(training, config.variants, method.without, rng);
    if examples.is_empty() {
        return Err("there is no co-run of two jobs to learn from".into());
    }
    let seen = Seen::of(&examples);
    network = network.having_seen(&seen.own, &seen.others, &seen.context, &device);
    let mut optimizer = AdamWConfig::new()
        .with_weight_decay(config.weight_decay)
        .init()
        .with_grad_clipping(GradientClippingConfig::Norm(1.0).init());
    let mut order: Vec<&Example> = Vec::new();
    let mut shown = f32::NAN;
    for step in 0..config.steps {
        if stop.load(Ordering::Relaxed) {
            return Err(Stopped { step }.into());
        }
        if order.len() < config.batch.min(examples.len()) {
            order = examples.iter().collect();
            order.shuffle(rng);
        }
        let drawn = order.split_off(order.len().saturating_sub(config.batch));
        let loss = loss(&network, &Batch::new(&drawn, &device), method);
        let value = loss.clone().into_scalar::<f32>();
        let gradients = GradientsParams::from_grads(loss.backward(), &network);
        let rate = learning_rate(config, step as f64 / config.steps as f64);
        network = optimizer.step(rate, network, gradients);
        shown = if shown.is_nan() { value } else { 0.95 * shown + 0.05 * value };
        progress(step + 1, config.steps, &format!("loss {shown:.4}"));
    }
    Ok(network.valid())
}

fn learning_rate(config: &CotraceFit, done: f64) -> f64 {
    const LEAST: f64 = 0.02;
    let cosine = 0.5 * (1.0 + (std::f64::consts::PI * done).cos());
    config.learning_rate * (LEAST + (1.0 - LEAST) * cosine)
}

/// What the time that each job should have taken, by the paces, differs from the time that it took, on the whole and in
/// parts; what the footprint, by the exponents, differs from what was measured; and the price of the residual.
fn loss(network: &CotraceNet, batch: &Batch, method: &CotraceMethod) -> Tensor<1> {
    let config = &method.config;
    let paces = network.paces(&batch.steps, method.without);
    let took = paces.pace * batch.done.clone();
    let in_parts = (took * batch.part.clone()).sum_dim(2);
    let off = (in_parts - batch.spent.clone()) / batch.solo.clone();
    let whole = lenient(off.clone().sum_dim(3), config.tolerance).mean();
    let parts = lenient(off, config.tolerance / PARTS as f64).mean();
    let beside = batch.steps.beside.clone();
    let price =
        (lenient(paces.residual, RESIDUAL_TOLERANCE) * beside.clone()).sum() / beside.sum().clamp_min(1.0);
    whole
        + parts.mul_scalar(config.parts_weight)
        + price.mul_scalar(config.residual_price)
        + footprint(network, batch).mul_scalar(config.footprint_weight)
}

/// Mean absolute error of the node's metrics, smoothed near zero, in shares.
fn footprint(network: &CotraceNet, batch: &Batch) -> Tensor<1> {
    let row = |values: Tensor<1>| values.reshape([1, 1, 1, METRICS]);
    let exponents =
        sigmoid(row(network.exponents()) + row(network.saturated.val()) * batch.saturation.clone());
    let contributions = batch.there.clone() * (exponents * batch.log_rate.clone()).exp();
    let off = (contributions.sum_dim(1) - batch.measured.clone()) * batch.known.clone();
    lenient(off, 0.05).sum() / batch.known.clone().sum().clamp_min(1.0)
}

/// Errors in units of `tolerance`: half the square of small ones, about themselves of large ones.
fn lenient(errors: Tensor<4>, tolerance: f64) -> Tensor<4> {
    errors.div_scalar(tolerance).square().add_scalar(1.0).sqrt().sub_scalar(1.0)
}
