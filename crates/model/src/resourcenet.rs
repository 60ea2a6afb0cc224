//! The published model: a GRU encoder over the stacked solo traces, a GRU decoder with attention that writes the
//! co-run step by step.
//!
//! After Buchaca, Marcual, Berral, Carrera, *Sequence-to-sequence models for workload interference prediction on
//! batch processing datacenters* ([arXiv 2006.14429](https://arxiv.org/abs/2006.14429), 2020). What the publication
//! leaves open and what was chosen here is listed in the model card.

use burn::config::Config;
use burn::module::Module;
use burn::nn::{Linear, LinearConfig};
use burn::tensor::activation::{sigmoid, softmax};
use burn::tensor::{Device, Tensor, TensorData};

use crate::features::{ENCODER_FEATURES, JOBS, METRICS, SceneFeatures};
use crate::gru::{GruCell, GruCellConfig};

/// Features fed back into the decoder: the step before (metrics, completions) and whether each job has started
/// and not ended.
pub const FEEDBACK: usize = METRICS + 2 * JOBS;

/// A job's rate lies between these (1 = as fast as alone), so that every forecast ends.
const LEAST_RATE: f32 = 0.1;
const RATE_RANGE: f32 = 1.1;

/// Weight of padding in attention scores.
const MASKED: f32 = -1e9;

/// Makes a [`ResourceNet`].
#[derive(Config, Debug)]
pub struct ResourceNetConfig {
    /// Features of encoder and decoder states.
    #[config(default = 64)]
    pub hidden: usize,
}

/// Encoder, attention, decoder.
#[derive(Module, Debug)]
pub struct ResourceNet {
    /// Reads the stacked solo traces.
    pub encoder: GruCell,
    /// Encoder states to attention keys, `[hidden, hidden]`.
    pub keys: Linear,
    /// Decoder state to attention query, `[hidden, hidden]`.
    pub query: Linear,
    /// Last encoder state to first decoder state, `[hidden, hidden]`.
    pub bridge: Linear,
    /// Writes the co-run; its input is the feedback and the context.
    pub decoder: GruCell,
    /// Decoder state and context to metrics and rates, `[2 * hidden, METRICS + JOBS]`.
    pub output: Linear,
}

/// What the encoder found, ready for the decoder.
#[derive(Clone, Debug)]
pub struct Encoded {
    /// Encoder states, `[batch, time, hidden]`.
    pub states: Tensor<3>,
    /// Attention keys, `[batch, time, hidden]`.
    pub keys: Tensor<3>,
    /// 0 where there is input, a large negative number in the padding, `[batch, time, 1]`.
    pub mask: Tensor<3>,
    /// First state of the decoder, `[batch, hidden]`.
    pub first: Tensor<2>,
}

/// One step of the decoder.
#[derive(Clone, Debug)]
pub struct Decoded {
    /// The node's metrics in scaled shares of capacity, `[batch, METRICS]`.
    pub metrics: Tensor<2>,
    /// Each job's rate, `[batch, JOBS]`.
    pub rates: Tensor<2>,
    /// Next decoder state, `[batch, hidden]`.
    pub state: Tensor<2>,
}

impl ResourceNetConfig {
    /// A model with random weights.
    pub fn init(&self, device: &Device) -> ResourceNet {
        let h = self.hidden;
        ResourceNet {
            encoder: GruCellConfig::new(ENCODER_FEATURES, h).init(device),
            keys: LinearConfig::new(h, h).init(device),
            query: LinearConfig::new(h, h).init(device),
            bridge: LinearConfig::new(h, h).init(device),
            decoder: GruCellConfig::new(FEEDBACK + h, h).init(device),
            output: LinearConfig::new(2 * h, METRICS + JOBS).init(device),
        }
    }
}

impl ResourceNet {
    /// Reads stacked solo traces.
    ///
    /// - input: `[batch, time, ENCODER_FEATURES]`, padded with zeros at the end
    /// - lengths: steps of each, `[batch]`
    pub fn encode(&self, input: Tensor<3>, lengths: &[usize]) -> Encoded {
        let [batch, time, _] = input.dims();
        let device = input.device();
        let states = self.encoder.run(input);
        let hidden = self.encoder.d_hidden;
        let mut mask = vec![0.0f32; batch * time];
        let mut last = vec![0.0f32; batch * time];
        for (row, &length) in lengths.iter().enumerate() {
            mask[row * time + length..(row + 1) * time].fill(MASKED);
            last[row * time + length - 1] = 1.0;
        }
        let column = |values| Tensor::<3>::from_data(TensorData::new(values, [batch, time, 1]), &device);
        let last = (states.clone() * column(last)).sum_dim(1).reshape([batch, hidden]);
        Encoded {
            keys: self.keys.forward(states.clone()),
            first: self.bridge.forward(last).tanh(),
            mask: column(mask),
            states,
        }
    }

    /// Looks at the encoder's states from the decoder's: scaled dot product, softmax over time.
    ///
    /// - state: `[batch, hidden]`
    ///
    /// Returns the context, `[batch, hidden]`, and the weights, `[batch, time, 1]`.
    pub fn attend(&self, encoded: &Encoded, state: Tensor<2>) -> (Tensor<2>, Tensor<3>) {
        let [batch, hidden] = state.dims();
        let query = self.query.forward(state).unsqueeze_dim::<3>(2);
        let scores = encoded.keys.clone().matmul(query).div_scalar((hidden as f32).sqrt());
        let weights = softmax(scores + encoded.mask.clone(), 1);
        let context = weights.clone().swap_dims(1, 2).matmul(encoded.states.clone());
        (context.reshape([batch, hidden]), weights)
    }

    /// One step of the decoder.
    ///
    /// - feedback: `[batch, FEEDBACK]`: metrics and completions of the step before, and who runs
    /// - state: `[batch, hidden]`
    pub fn decode(&self, encoded: &Encoded, feedback: Tensor<2>, state: Tensor<2>) -> Decoded {
        let (context, _) = self.attend(encoded, state.clone());
        let projected = self.decoder.project(Tensor::cat(vec![feedback, context.clone()], 1));
        let state = self.decoder.step(projected, state);
        let output = self.output.forward(Tensor::cat(vec![state.clone(), context], 1));
        Decoded {
            metrics: output.clone().narrow(1, 0, METRICS),
            rates: sigmoid(output.narrow(1, METRICS, JOBS)).mul_scalar(RATE_RANGE).add_scalar(LEAST_RATE),
            state,
        }
    }

    /// Forecasts scenes freely, each until both its jobs have ended or `most_steps` have passed.
    pub fn run(&self, scenes: &[SceneFeatures], most_steps: usize, device: &Device) -> Vec<FreeRun> {
        let batch = scenes.len();
        let encoded = self.encode(stack_encoder(scenes, device), &lengths(scenes));
        let mut state = encoded.first.clone();
        let mut runs: Vec<FreeRun> = scenes.iter().map(|_| FreeRun::default()).collect();
        let mut last = vec![[0.0f32; METRICS]; batch];
        for k in 0..most_steps {
            if runs.iter().all(FreeRun::ended) {
                break;
            }
            let mut feedback = Vec::with_capacity(batch * FEEDBACK);
            for ((scene, run), last) in scenes.iter().zip(&runs).zip(&last) {
                feedback.extend_from_slice(last);
                feedback.extend(run.completion);
                feedback.extend((0..JOBS).map(|j| run.running(scene, j, k)));
            }
            let feedback = Tensor::from_data(TensorData::new(feedback, [batch, FEEDBACK]), device);
            let decoded = self.decode(&encoded, feedback, state);
            state = decoded.state;
            let values = to_vec(Tensor::cat(vec![decoded.metrics, decoded.rates], 1));
            for (row, ((scene, run), last)) in scenes.iter().zip(&mut runs).zip(&mut last).enumerate() {
                let values = &values[row * (METRICS + JOBS)..(row + 1) * (METRICS + JOBS)];
                last.copy_from_slice(&values[..METRICS]);
                run.advance(scene, k, values);
            }
        }
        runs
    }
}

/// The course of one scene, as the network writes it.
#[derive(Clone, Debug, Default)]
pub struct FreeRun {
    /// Metrics in scaled shares, `[steps][METRICS]`.
    pub metrics: Vec<[f32; METRICS]>,
    /// Rates, `[steps][JOBS]`.
    pub rates: Vec<[f32; JOBS]>,
    /// Completion of each job after the last step.
    pub completion: [f32; JOBS],
    /// The step in which each job ended.
    pub ended_in: [Option<usize>; JOBS],
}

impl FreeRun {
    /// Whether both jobs have ended.
    pub fn ended(&self) -> bool {
        self.completion.iter().all(|&completion| completion >= 1.0)
    }

    fn running(&self, scene: &SceneFeatures, j: usize, k: usize) -> f32 {
        if self.completion[j] < 1.0 { scene.started(j, k) } else { 0.0 }
    }

    fn advance(&mut self, scene: &SceneFeatures, k: usize, values: &[f32]) {
        if self.ended() {
            return;
        }
        let mut metrics = [0.0; METRICS];
        metrics.copy_from_slice(&values[..METRICS]);
        let mut rates = [0.0; JOBS];
        rates.copy_from_slice(&values[METRICS..]);
        for (j, rate) in rates.iter().enumerate() {
            let gained = self.running(scene, j, k) * scene.step_share[j] * rate;
            self.completion[j] = (self.completion[j] + gained).min(1.0);
            if self.completion[j] >= 1.0 && self.ended_in[j].is_none() {
                self.ended_in[j] = Some(k);
            }
        }
        self.metrics.push(metrics);
        self.rates.push(rates);
    }
}

/// Encoder inputs of several scenes, padded to the longest, `[batch, time, ENCODER_FEATURES]`.
pub fn stack_encoder(scenes: &[SceneFeatures], device: &Device) -> Tensor<3> {
    let time = scenes.iter().map(|scene| scene.time).max().unwrap_or(0);
    let mut values = vec![0.0f32; scenes.len() * time * ENCODER_FEATURES];
    for (row, scene) in scenes.iter().enumerate() {
        let start = row * time * ENCODER_FEATURES;
        values[start..start + scene.encoder.len()].copy_from_slice(&scene.encoder);
    }
    Tensor::from_data(TensorData::new(values, [scenes.len(), time, ENCODER_FEATURES]), device)
}

/// Encoder steps of each scene, `[batch]`.
pub fn lengths(scenes: &[SceneFeatures]) -> Vec<usize> {
    scenes.iter().map(|scene| scene.time).collect()
}

/// A tensor's values on the host.
fn to_vec(tensor: Tensor<2>) -> Vec<f32> {
    tensor.try_into_vec_as::<f32>().expect("a backend on the CPU gives its values")
}
