//! Weights for other frameworks: under the names and in the layouts of PyTorch's `GRUCell` and `Linear`, as safetensors.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use burn::module::Param;
use burn::nn::Linear;
use burn::tensor::{Device, Tensor, TensorData};
use cotrace_model::GruCell;
use cotrace_model::features::{ENCODER_FEATURES, JOBS, METRICS};
use cotrace_model::resourcenet::{FEEDBACK, ResourceNet};
use safetensors::tensor::{Dtype, TensorView};
use safetensors::{SafeTensors, serialize};

/// A tensor's shape and values.
type Values = (Vec<usize>, Vec<f32>);

/// The weights of a network: `encoder` and `decoder` as `GRUCell` (`weight_ih` `[3 * hidden, input]`, gates in the order
/// reset, update, new), `keys`, `query`, `bridge` and `output` as `Linear` (`weight` `[output, input]`).
///
/// # Errors
/// A tensor can't be read or written.
pub fn to_safetensors(network: &ResourceNet) -> Result<Vec<u8>> {
    let mut tensors: BTreeMap<String, Values> = BTreeMap::new();
    for (name, cell) in [("encoder", &network.encoder), ("decoder", &network.decoder)] {
        put(&mut tensors, [&format!("{name}.weight_ih"), &format!("{name}.bias_ih")], &cell.input)?;
        put(&mut tensors, [&format!("{name}.weight_hh"), &format!("{name}.bias_hh")], &cell.hidden)?;
    }
    for (name, linear) in [
        ("keys", &network.keys),
        ("query", &network.query),
        ("bridge", &network.bridge),
        ("output", &network.output),
    ] {
        put(&mut tensors, [&format!("{name}.weight"), &format!("{name}.bias")], linear)?;
    }
    let bytes: BTreeMap<&String, (Vec<usize>, Vec<u8>)> = tensors
        .iter()
        .map(|(name, (shape, values))| {
            (name, (shape.clone(), values.iter().flat_map(|value| value.to_le_bytes()).collect()))
        })
        .collect();
    let views = bytes
        .iter()
        .map(|(name, (shape, bytes))| Ok((*name, TensorView::new(Dtype::F32, shape.clone(), bytes)?)))
        .collect::<Result<Vec<_>>>()?;
    Ok(serialize(views, &None)?)
}

/// The network that [`to_safetensors`] wrote.
///
/// # Errors
/// The bytes are no safetensors, or a tensor is missing or of another shape.
pub fn from_safetensors(bytes: &[u8], device: &Device) -> Result<ResourceNet> {
    let tensors = SafeTensors::deserialize(bytes)?;
    let hidden =
        *tensors.tensor("encoder.weight_hh")?.shape().get(1).context("encoder.weight_hh is no matrix")?;
    let linear = |weight: &str, bias: &str, input: usize, output: usize| -> Result<Linear> {
        let weight = transposed(&get(&tensors, weight, &[output, input])?, output, input);
        let bias = get(&tensors, bias, &[output])?;
        Ok(Linear {
            weight: Param::from_tensor(Tensor::from_data(TensorData::new(weight, [input, output]), device)),
            bias: Some(Param::from_tensor(Tensor::from_data(TensorData::new(bias, [output]), device))),
        })
    };
    let cell = |name: &str, input: usize| -> Result<GruCell> {
        let part = |part: &str, input: usize| {
            linear(&format!("{name}.weight_{part}"), &format!("{name}.bias_{part}"), input, 3 * hidden)
        };
        Ok(GruCell { input: part("ih", input)?, hidden: part("hh", hidden)?, d_hidden: hidden })
    };
    let plain = |name: &str, input: usize, output: usize| {
        linear(&format!("{name}.weight"), &format!("{name}.bias"), input, output)
    };
    Ok(ResourceNet {
        encoder: cell("encoder", ENCODER_FEATURES)?,
        keys: plain("keys", hidden, hidden)?,
        query: plain("query", hidden, hidden)?,
        bridge: plain("bridge", hidden, hidden)?,
        decoder: cell("decoder", FEEDBACK + hidden)?,
        output: plain("output", 2 * hidden, METRICS + JOBS)?,
    })
}

fn put(tensors: &mut BTreeMap<String, Values>, [weight, bias]: [&String; 2], linear: &Linear) -> Result<()> {
    let [input, output] = linear.weight.val().dims();
    let values = linear
        .weight
        .val()
        .try_into_vec_as::<f32>()
        .map_err(|error| anyhow::anyhow!("{weight}: {error:?}"))?;
    tensors.insert(weight.clone(), (vec![output, input], transposed(&values, input, output)));
    if let Some(values) = &linear.bias {
        let values =
            values.val().try_into_vec_as::<f32>().map_err(|error| anyhow::anyhow!("{bias}: {error:?}"))?;
        tensors.insert(bias.clone(), (vec![output], values));
    }
    Ok(())
}

fn get(tensors: &SafeTensors<'_>, name: &str, shape: &[usize]) -> Result<Vec<f32>> {
    let tensor = tensors.tensor(name)?;
    ensure!(
        tensor.dtype() == Dtype::F32 && tensor.shape() == shape,
        "{name} is {:?} of shape {:?}; this version needs F32 of {shape:?}",
        tensor.dtype(),
        tensor.shape()
    );
    let (values, _) = tensor.data().as_chunks::<4>();
    Ok(values.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect())
}

/// `[rows, columns]` to `[columns, rows]`.
fn transposed(values: &[f32], rows: usize, columns: usize) -> Vec<f32> {
    (0..values.len()).map(|at| values[(at % rows) * columns + at / rows]).collect()
}
