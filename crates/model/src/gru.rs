//! A gated recurrent unit that steps by hand, for decoders whose next input depends on their last output.

use burn::config::Config;
use burn::module::Module;
use burn::nn::{Linear, LinearConfig};
use burn::tensor::activation::{sigmoid, tanh};
use burn::tensor::{Device, Tensor};

/// Makes a [`GruCell`].
#[derive(Config, Debug)]
pub struct GruCellConfig {
    /// Features of the input.
    pub d_input: usize,
    /// Features of the state.
    pub d_hidden: usize,
}

/// A gated recurrent unit, [Cho et al. 2014](https://arxiv.org/abs/1406.1078), with the reset gate applied after
/// the product as PyTorch's `GRU` does.
///
/// Burn's own `Gru` multiplies six matrices a step and takes whole sequences. Here the three gates are one product
/// (order: reset, update, new), and [`GruCell::project`] does the inputs of all steps at once where they are known.
#[derive(Module, Debug)]
pub struct GruCell {
    /// Input to gates, `[d_input, 3 * d_hidden]`.
    pub input: Linear,
    /// State to gates, `[d_hidden, 3 * d_hidden]`.
    pub hidden: Linear,
    /// Features of the state.
    pub d_hidden: usize,
}

impl GruCellConfig {
    /// A cell with random weights.
    pub fn init(&self, device: &Device) -> GruCell {
        GruCell {
            input: LinearConfig::new(self.d_input, 3 * self.d_hidden).init(device),
            hidden: LinearConfig::new(self.d_hidden, 3 * self.d_hidden).init(device),
            d_hidden: self.d_hidden,
        }
    }
}

impl GruCell {
    /// The inputs' part of the gates: `[.., d_input]` to `[.., 3 * d_hidden]`.
    pub fn project<const D: usize>(&self, input: Tensor<D>) -> Tensor<D> {
        self.input.forward(input)
    }

    /// One step.
    ///
    /// - projected: `[batch, 3 * d_hidden]`, from [`GruCell::project`]
    /// - state: `[batch, d_hidden]`
    ///
    /// Returns the next state, `[batch, d_hidden]`.
    pub fn step(&self, projected: Tensor<2>, state: Tensor<2>) -> Tensor<2> {
        let h = self.d_hidden;
        let recurrent = self.hidden.forward(state.clone());
        let gates = sigmoid(projected.clone().narrow(1, 0, 2 * h) + recurrent.clone().narrow(1, 0, 2 * h));
        let reset = gates.clone().narrow(1, 0, h);
        let update = gates.narrow(1, h, h);
        let new = tanh(projected.narrow(1, 2 * h, h) + reset * recurrent.narrow(1, 2 * h, h));
        // (1 - z) * n + z * h, with one product fewer.
        new.clone() + update * (state - new)
    }

    /// All steps of known inputs from a zero state: `[batch, time, d_input]` to `[batch, time, d_hidden]`.
    pub fn run(&self, input: Tensor<3>) -> Tensor<3> {
        let [batch, time, _] = input.dims();
        let device = input.device();
        // All at once is faster, but not in training: the gradient of a part is as large as what it is cut from, so the
        // work would grow with the square of the steps. The input itself has no gradient.
        let learns = self.input.weight.val().is_require_grad();
        let steps = if learns { input } else { self.project(input) };
        let mut state = Tensor::zeros([batch, self.d_hidden], &device);
        let mut states = Vec::with_capacity(time);
        for t in 0..time {
            let now = steps.clone().narrow(1, t, 1).squeeze_dim::<2>(1);
            let now = if learns { self.project(now) } else { now };
            state = self.step(now, state);
            states.push(state.clone());
        }
        Tensor::stack(states, 1)
    }
}

#[cfg(test)]
mod tests {
    use burn::nn::gru::GruConfig;
    use burn::tensor::Distribution;

    use super::*;

    /// Burn's unit, made of the same weights, is the reference. In training the inputs are projected one by one.
    #[test]
    fn agrees_with_burns_own_unit() {
        let device = Device::flex();
        let (d_input, h) = (5, 7);
        let learning = GruCellConfig::new(d_input, h).init(&device.clone().autodiff());
        let cell = learning.valid();
        let mut reference = GruConfig::new(d_input, h, true).init(&device);
        let part = |linear: &Linear, gate: usize| {
            let weight = linear.weight.val().narrow(1, gate * h, h);
            let bias = linear.bias.as_ref().map(|bias| bias.val().narrow(0, gate * h, h));
            Linear {
                weight: burn::module::Param::from_tensor(weight),
                bias: bias.map(burn::module::Param::from_tensor),
            }
        };
        for (gate, controller) in
            [(0, &mut reference.reset_gate), (1, &mut reference.update_gate), (2, &mut reference.new_gate)]
        {
            controller.input_transform = part(&cell.input, gate);
            controller.hidden_transform = part(&cell.hidden, gate);
        }
        let input = Tensor::<3>::random([3, 11, d_input], Distribution::Normal(0.0, 1.0), &device);
        let in_training = learning.run(Tensor::from_data(input.to_data(), &device.clone().autodiff()));
        assert!(in_training.is_tracked(), "nothing can be learned from it");
        let ours = [cell.run(input.clone()), in_training.inner()];
        let theirs = reference.forward(input, None);
        for ours in ours {
            let worst = (ours - theirs.clone()).abs().max().into_scalar::<f32>();
            assert!(worst < 1e-5, "states differ by {worst}");
        }
    }
}
