//! The network: demands in, paces out.

use burn::config::Config;
use burn::module::{Module, Param};
use burn::nn::{Linear, LinearConfig};
use burn::tensor::activation::{softplus, tanh};
use burn::tensor::{Device, Tensor};

use super::Ablation;
use super::features::{CONTEXT, TERMS};
use crate::features::METRICS;

/// Ways in which a job can be sensitive to pressure that traces don't show.
const LATENT: usize = 3;

/// The latent part of an untrained network is about a tenth.
const LATENT_SCALE: f32 = 0.07;

/// The residual part stays within this.
const MOST_RESIDUAL: f32 = 0.4;

/// No job gets on faster than this beside others: warm caches help a little.
pub(super) const LEAST_PACE: f32 = 0.7;
/// No job is slower than this, so that every forecast ends.
pub(super) const MOST_PACE: f32 = 40.0;

/// Where the weights of the terms start. Softplus of these: 0.7, 0.3, 0.1, 0.7, 0.1, 0.3, 0.7.
const TERMS_START: [f32; TERMS] = [0.01, -1.05, -2.25, 0.01, -2.25, -1.05, 0.01];

/// Where the exponents start: CPU, waiting, memory, page cache, read, write, network in and out, loopback.
const EXPONENTS_START: [f32; METRICS] = [1.0, 0.0, -3.0, -3.0, 2.0, 2.0, 2.0, 2.0, 2.0];

/// Makes a [`CotraceNet`].
#[derive(Config, Debug)]
pub struct CotraceNetConfig {
    /// Features of the hidden layers.
    #[config(default = 16)]
    pub hidden: usize,
}

/// The network.
#[derive(Module, Debug)]
pub struct CotraceNet {
    /// Weights of the terms before softplus, from where they start, `[TERMS]`.
    pub terms: Param<Tensor<1>>,
    /// Demands and kind of a job to its sensitivity.
    pub sensitivity: TwoLayers,
    /// Demands and kind of a job to the pressure it exerts.
    pub pressure: TwoLayers,
    /// Everything to the residual.
    pub residual: TwoLayers,
    /// Exponents of the metrics before the sigmoid, from where they start, `[METRICS]`: see [`CotraceNet::exponents`].
    pub exponents: Param<Tensor<1>>,
    /// How they grow with the saturation of the metric's resource, `[METRICS]`.
    pub saturated: Param<Tensor<1>>,
    /// The most that training saw of what jobs ask for, `[METRICS]`. Beyond it nothing was learned, so the learned parts
    /// see no more; the terms do.
    pub most_own: Param<Tensor<1>>,
    /// The same of what others ask for together, `[METRICS]`.
    pub most_others: Param<Tensor<1>>,
    /// The same of kinds of jobs, `[CONTEXT]`.
    pub most_context: Param<Tensor<1>>,
}

/// Two layers with tanh between.
#[derive(Module, Debug)]
pub struct TwoLayers {
    /// `[d_input, d_hidden]`.
    pub first: Linear,
    /// `[d_hidden, d_output]`.
    pub second: Linear,
}

/// Steps of several scenes. Jobs that a scene lacks don't run.
#[derive(Clone, Debug)]
pub struct Steps {
    /// What kind of job each is, `[batch, jobs, 1, CONTEXT]`.
    pub context: Tensor<4>,
    /// What each job asks for, compressed, `[batch, jobs, time, METRICS]`.
    pub own: Tensor<4>,
    /// What the others ask for, compressed, `[batch, jobs, time, METRICS]`.
    pub others: Tensor<4>,
    /// Shortages, `[batch, jobs, time, TERMS]`.
    pub terms: Tensor<4>,
    /// 1 where the job runs, `[batch, jobs, time, 1]`.
    pub running: Tensor<4>,
    /// 1 where the job runs beside another, `[batch, jobs, time, 1]`.
    pub beside: Tensor<4>,
}

/// How many seconds each job takes for one second of its solo run, and what that is made of.
#[derive(Clone, Debug)]
pub struct Paces {
    /// The pace, `[batch, jobs, time, 1]`.
    pub pace: Tensor<4>,
    /// What each shortage adds, `[batch, jobs, time, TERMS]`.
    pub terms: Tensor<4>,
    /// What unseen pressure adds, `[batch, jobs, time, 1]`.
    pub latent: Tensor<4>,
    /// What the residual adds, `[batch, jobs, time, 1]`.
    pub residual: Tensor<4>,
}

impl CotraceNetConfig {
    /// A network with random weights. What is known beforehand is where it starts: CPU shortage slows in proportion,
    /// shortage of disk and network too, CPU and disk follow the rate, memory does not, and there is no residual. These
    /// starting points are no weights, so that pulling weights towards zero pulls towards them.
    pub fn init(&self, device: &Device) -> CotraceNet {
        let hidden = self.hidden;
        let layers = |input: usize, output: usize| TwoLayers {
            first: LinearConfig::new(input, hidden).init(device),
            second: LinearConfig::new(hidden, output).init(device),
        };
        let zeros = |count: usize| Param::from_tensor(Tensor::<1>::zeros([count], device));
        let who = METRICS + CONTEXT;
        let mut residual = layers(2 * METRICS + CONTEXT + TERMS + 1, 1);
        residual.second.weight = Param::from_tensor(Tensor::zeros([hidden, 1], device));
        residual.second.bias = Some(zeros(1));
        CotraceNet {
            terms: zeros(TERMS),
            sensitivity: layers(who, LATENT),
            pressure: layers(who, LATENT),
            residual,
            exponents: zeros(METRICS),
            saturated: zeros(METRICS),
            most_own: fixed(&[f32::MAX; METRICS], device),
            most_others: fixed(&[f32::MAX; METRICS], device),
            most_context: fixed(&[f32::MAX; CONTEXT], device),
        }
    }
}

/// Values that are not learned.
fn fixed(values: &[f32], device: &Device) -> Param<Tensor<1>> {
    Param::from_tensor(Tensor::<1>::from_floats(values, device)).set_require_grad(false)
}

impl TwoLayers {
    fn forward(&self, input: Tensor<4>) -> Tensor<4> {
        self.second.forward(tanh(self.first.forward(input)))
    }
}

impl CotraceNet {
    /// The paces of some steps. Steps don't depend on each other.
    pub fn paces(&self, steps: &Steps, without: Ablation) -> Paces {
        let time = steps.own.dims()[2];
        let own = at_most(steps.own.clone(), &self.most_own);
        let others = at_most(steps.others.clone(), &self.most_others);
        let context = at_most(steps.context.clone(), &self.most_context).repeat_dim(2, time);
        let who = Tensor::cat(vec![own.clone(), context.clone()], 3);
        let sensitivity = softplus(self.sensitivity.forward(who.clone()), 1.0);
        let pressure = softplus(self.pressure.forward(who), 1.0) * steps.running.clone();
        let by_others = pressure.clone().sum_dim(1) - pressure;
        let scale = if without == Ablation::Latent { 0.0 } else { LATENT_SCALE };
        let latent = (sensitivity * by_others).sum_dim(3).mul_scalar(scale) * steps.beside.clone();
        let weights = softplus(from_start(&self.terms, &TERMS_START), 1.0).reshape([1, 1, 1, TERMS]);
        let terms = steps.terms.clone() * weights;
        // What the other parts are for is not to be changed for the residual's sake.
        let seen = vec![own, others, context, steps.terms.clone(), latent.clone().detach()];
        let scale = if without == Ablation::Residual { 0.0 } else { MOST_RESIDUAL };
        let residual = tanh(self.residual.forward(Tensor::cat(seen, 3))).mul_scalar(scale);
        let residual = residual * steps.beside.clone();
        let pace = (terms.clone().sum_dim(3) + latent.clone() + residual.clone())
            .add_scalar(1.0)
            .clamp(LEAST_PACE, MOST_PACE);
        Paces { pace, terms, latent, residual }
    }

    /// The network with what training saw at most: what jobs and others ask for, `[METRICS]`, and kinds, `[CONTEXT]`.
    #[must_use]
    pub fn having_seen(
        mut self,
        own: &[f32],
        others: &[f32],
        context: &[f32],
        device: &Device,
    ) -> CotraceNet {
        self.most_own = fixed(own, device);
        self.most_others = fixed(others, device);
        self.most_context = fixed(context, device);
        self
    }

    /// Features of the hidden layers.
    pub fn hidden(&self) -> usize {
        self.residual.first.weight.val().dims()[1]
    }

    /// Exponents of the metrics before the sigmoid, `[METRICS]`: 0 level, 1 flow.
    pub fn exponents(&self) -> Tensor<1> {
        from_start(&self.exponents, &EXPONENTS_START)
    }
}

/// The values, but no more than the limit of their feature, `[.., features]` and `[features]`.
fn at_most(values: Tensor<4>, most: &Param<Tensor<1>>) -> Tensor<4> {
    let features = values.dims()[3];
    values.min_pair(most.val().reshape([1, 1, 1, features]))
}

fn from_start(param: &Param<Tensor<1>>, start: &[f32]) -> Tensor<1> {
    let offsets = param.val();
    let start = Tensor::<1>::from_floats(start, &offsets.device());
    offsets + start
}
