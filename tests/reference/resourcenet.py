"""The published model once more, in PyTorch: what crates/model must agree with.

Reads resourcenet.safetensors and inputs.json beside it and writes outputs.json. With --onnx it also writes one step of
the decoder as resourcenet-decoder.onnx.
"""

import json
import sys
from pathlib import Path

import torch
from safetensors.torch import load_file

HERE = Path(__file__).parent
METRICS, JOBS = 9, 2
LEAST_RATE, RATE_RANGE = 0.1, 1.1


def linear(weights, name):
    weight = weights[f"{name}.weight"]
    layer = torch.nn.Linear(weight.shape[1], weight.shape[0])
    layer.load_state_dict({"weight": weight, "bias": weights[f"{name}.bias"]})
    return layer


def cell(weights, name):
    weight = weights[f"{name}.weight_ih"]
    unit = torch.nn.GRUCell(weight.shape[1], weight.shape[0] // 3)
    unit.load_state_dict({part: weights[f"{name}.{part}"] for part in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")})
    return unit


class ResourceNet(torch.nn.Module):
    def __init__(self, weights):
        super().__init__()
        self.encoder, self.decoder = cell(weights, "encoder"), cell(weights, "decoder")
        self.keys, self.query = linear(weights, "keys"), linear(weights, "query")
        self.bridge, self.output = linear(weights, "bridge"), linear(weights, "output")

    def encode(self, rows):
        """rows: [time, features] of one scene. Gives states and keys [time, hidden] and the decoder's first state."""
        state = torch.zeros(1, self.encoder.hidden_size)
        states = []
        for row in rows:
            state = self.encoder(row[None], state)
            states.append(state[0])
        states = torch.stack(states)
        return states, self.keys(states), torch.tanh(self.bridge(states[-1]))

    def attend(self, states, keys, state):
        scores = keys @ self.query(state) / states.shape[1] ** 0.5
        weights = torch.softmax(scores, 0)
        return weights @ states, weights

    def forward(self, states, keys, feedback, state):
        """One step: metrics [METRICS], rates [JOBS], next state [hidden]."""
        context, _ = self.attend(states, keys, state)
        state = self.decoder(torch.cat([feedback, context])[None], state[None])[0]
        output = self.output(torch.cat([state, context]))
        return output[:METRICS], torch.sigmoid(output[METRICS:]) * RATE_RANGE + LEAST_RATE, state

    def run(self, scene, most_steps):
        """A free-running forecast that ends when both jobs have."""
        rows = torch.tensor(scene["encoder"]).reshape(scene["time"], -1)
        states, keys, state = self.encode(rows)
        share, start = torch.tensor(scene["step_share"]), torch.tensor(scene["start_steps"])
        last, completion = torch.zeros(METRICS), torch.zeros(JOBS)
        metrics, rates = [], []
        for step in range(most_steps):
            if bool((completion >= 1).all()):
                break
            running = torch.where(completion < 1, (step + 1 - start).clamp(0, 1), torch.zeros(JOBS))
            last, rate, state = self(states, keys, torch.cat([last, completion, running]), state)
            completion = (completion + running * share * rate).clamp(max=1)
            metrics.append(last.tolist())
            rates.append(rate.tolist())
        return metrics, rates


def main():
    torch.set_grad_enabled(False)
    model = ResourceNet(load_file(HERE / "resourcenet.safetensors"))
    inputs = json.loads((HERE / "inputs.json").read_text())
    feedback = torch.tensor(inputs["feedback"])
    scenes = []
    for scene in inputs["scenes"]:
        rows = torch.tensor(scene["encoder"]).reshape(scene["time"], -1)
        states, keys, first = model.encode(rows)
        context, weights = model.attend(states, keys, first)
        metrics, rates, state = model(states, keys, feedback, first)
        run_metrics, run_rates = model.run(scene, inputs["most_steps"])
        scenes.append({
            "states": states.tolist(),
            "first": first.tolist(),
            "context": context.tolist(),
            "attention": weights.tolist(),
            "step": {"metrics": metrics.tolist(), "rates": rates.tolist(), "state": state.tolist()},
            "run": {"metrics": run_metrics, "rates": run_rates},
        })
    (HERE / "outputs.json").write_text(json.dumps({"torch": torch.__version__, "scenes": scenes}))
    if "--onnx" in sys.argv:
        arguments = (states, keys, feedback, first)
        names = ["states", "keys", "feedback", "state"]
        torch.onnx.export(
            model, arguments, HERE / "resourcenet-decoder.onnx", input_names=names,
            output_names=["metrics", "rates", "next_state"], dynamic_axes={"states": {0: "time"}, "keys": {0: "time"}},
        )


if __name__ == "__main__":
    main()
