//! The published model against a second writing of it in PyTorch: see `tests/reference/README.md`.

use std::path::PathBuf;

use burn::tensor::{Tensor, TensorData};
use cotrace_model::default_device;
use cotrace_model::features::{JOBS, METRICS, SceneFeatures};
use cotrace_model::resourcenet::{FEEDBACK, lengths, stack_encoder};
use cotrace_train::{from_safetensors, to_safetensors};
use serde::Deserialize;

const TOLERANCE: f32 = 1e-5;

#[derive(Deserialize)]
struct Inputs {
    most_steps: usize,
    feedback: Vec<f32>,
    scenes: Vec<SceneInput>,
}

#[derive(Deserialize)]
struct SceneInput {
    encoder: Vec<f32>,
    time: usize,
    step_share: [f32; JOBS],
    start_steps: [f32; JOBS],
}

#[derive(Deserialize)]
struct Outputs {
    scenes: Vec<SceneOutput>,
}

#[derive(Deserialize)]
struct SceneOutput {
    states: Vec<Vec<f32>>,
    first: Vec<f32>,
    context: Vec<f32>,
    attention: Vec<f32>,
    step: Step,
    run: Run,
}

#[derive(Deserialize)]
struct Step {
    metrics: Vec<f32>,
    rates: Vec<f32>,
    state: Vec<f32>,
}

#[derive(Deserialize)]
struct Run {
    metrics: Vec<[f32; METRICS]>,
    rates: Vec<[f32; JOBS]>,
}

fn file(name: &str) -> Vec<u8> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/reference").join(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn values<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor.try_into_vec_as::<f32>().expect("values")
}

/// Adds to `wrong` where two series differ.
fn compare(wrong: &mut Vec<String>, what: &str, ours: &[f32], theirs: &[f32]) {
    let worst = ours.iter().zip(theirs).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    if ours.len() != theirs.len() || worst > TOLERANCE || ours.iter().any(|value| !value.is_finite()) {
        wrong.push(format!("{what}: {} values and {}, off by up to {worst}", ours.len(), theirs.len()));
    }
}

#[test]
fn agrees_with_pytorch() {
    let device = default_device();
    let weights = file("resourcenet.safetensors");
    let network = from_safetensors(&weights, &device).expect("weights");
    assert_eq!(
        to_safetensors(&network).expect("weights"),
        weights,
        "read and written again they are the same"
    );
    let inputs: Inputs = serde_json::from_slice(&file("inputs.json")).expect("inputs");
    let outputs: Outputs = serde_json::from_slice(&file("outputs.json")).expect("outputs");
    let scenes: Vec<SceneFeatures> = inputs
        .scenes
        .into_iter()
        .map(|SceneInput { encoder, time, step_share, start_steps }| SceneFeatures {
            encoder,
            time,
            step_share,
            start_steps,
        })
        .collect();
    let hidden = network.encoder.d_hidden;
    let mut wrong = Vec::new();

    // All scenes in one batch, so that the padding is seen not to matter.
    let encoded = network.encode(stack_encoder(&scenes, &device), &lengths(&scenes));
    let (context, attention) = network.attend(&encoded, encoded.first.clone());
    let feedback: Vec<f32> = inputs.feedback.repeat(scenes.len());
    let feedback = Tensor::from_data(TensorData::new(feedback, [scenes.len(), FEEDBACK]), &device);
    let decoded = network.decode(&encoded, feedback, encoded.first.clone());
    let longest = scenes.iter().map(|scene| scene.time).max().unwrap_or(0);
    let (states, attention) = (values(encoded.states), values(attention));
    let (first, context) = (values(encoded.first), values(context));
    let (metrics, rates, state) = (values(decoded.metrics), values(decoded.rates), values(decoded.state));
    let runs = network.run(&scenes, inputs.most_steps, &device);
    for (row, (scene, theirs)) in scenes.iter().zip(&outputs.scenes).enumerate() {
        let of = |values: &[f32], width: usize, count: usize| values[row * width..][..count].to_vec();
        let mut check = |what: &str, ours: &[f32], theirs: &[f32]| {
            compare(&mut wrong, &format!("scene {row}, {what}"), ours, theirs);
        };
        check("encoder", &of(&states, longest * hidden, scene.time * hidden), &theirs.states.concat());
        check("first state", &of(&first, hidden, hidden), &theirs.first);
        check("attention", &of(&attention, longest, scene.time), &theirs.attention);
        check("context", &of(&context, hidden, hidden), &theirs.context);
        check("step, metrics", &of(&metrics, METRICS, METRICS), &theirs.step.metrics);
        check("step, rates", &of(&rates, JOBS, JOBS), &theirs.step.rates);
        check("step, state", &of(&state, hidden, hidden), &theirs.step.state);
        check("run, metrics", &runs[row].metrics.concat(), &theirs.run.metrics.concat());
        check("run, rates", &runs[row].rates.concat(), &theirs.run.rates.concat());
    }
    assert_eq!(scenes.len(), outputs.scenes.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn weights_of_another_shape_are_refused() {
    let weights = file("resourcenet.safetensors");
    let error = from_safetensors(&weights[..weights.len() / 2], &default_device()).expect_err("cut off");
    assert!(!error.to_string().is_empty());
    assert!(from_safetensors(b"<html>", &default_device()).is_err());
}
