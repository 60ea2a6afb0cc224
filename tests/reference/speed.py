"""Times a training step of the published model here and in PyTorch, in turns, and prints medians and their ratio.

    cargo build --release -p cotrace-train --example step_speed
    python3 tests/reference/speed.py target/release/examples/step_speed [THREADS]

THREADS is how many PyTorch may use; ours uses one.
"""

import statistics
import subprocess
import sys
import time

import torch

HIDDEN, BATCH, TIME = 128, 32, 64
METRICS, JOBS, FEATURES = 9, 2, 43
ROUNDS, REPEATS = 5, 5


class ResourceNet(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = torch.nn.GRU(FEATURES, HIDDEN, batch_first=True)
        self.keys, self.query = torch.nn.Linear(HIDDEN, HIDDEN), torch.nn.Linear(HIDDEN, HIDDEN)
        self.bridge = torch.nn.Linear(HIDDEN, HIDDEN)
        self.decoder = torch.nn.GRUCell(METRICS + 2 * JOBS + HIDDEN, HIDDEN)
        self.output = torch.nn.Linear(2 * HIDDEN, METRICS + JOBS)

    def forward(self, rows):
        states, _ = self.encoder(rows)
        keys, state = self.keys(states), torch.tanh(self.bridge(states[:, -1]))
        metrics, completion = torch.zeros(BATCH, METRICS), torch.zeros(BATCH, JOBS)
        written = []
        for _ in range(TIME):
            scores = (keys @ self.query(state)[:, :, None]) / HIDDEN**0.5
            context = (torch.softmax(scores, 1) * states).sum(1)
            running = (completion.detach() < 1).float()
            state = self.decoder(torch.cat([metrics, completion, running, context], 1), state)
            output = self.output(torch.cat([state, context], 1))
            metrics, rates = output[:, :METRICS], torch.sigmoid(output[:, METRICS:]) * 1.1 + 0.1
            completion = (completion + running * rates / TIME).clamp(max=1)
            written.append(torch.cat([metrics, completion, rates], 1))
        return torch.stack(written, 1)


def theirs(repeats):
    torch.manual_seed(1)
    model = ResourceNet()
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    rows, truth = torch.rand(BATCH, TIME, FEATURES), torch.rand(BATCH, TIME, METRICS + 2 * JOBS)
    seconds = []
    for _ in range(repeats + 1):
        started = time.perf_counter()
        optimizer.zero_grad()
        (model(rows) - truth).square().mean().backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        seconds.append(time.perf_counter() - started)
    return seconds[1:]


def ours(command, repeats):
    numbers = [str(number) for number in (HIDDEN, BATCH, TIME, repeats)]
    return [float(line) for line in subprocess.check_output([command, *numbers], text=True).split()]


def main():
    command = sys.argv[1]
    if len(sys.argv) > 2:
        torch.set_num_threads(int(sys.argv[2]))
    times = {"ours": [], "PyTorch": []}
    for _ in range(ROUNDS):
        times["ours"] += ours(command, REPEATS)
        times["PyTorch"] += theirs(REPEATS)
    for name, seconds in times.items():
        low, high = min(seconds), max(seconds)
        print(f"{name}: median {1000 * statistics.median(seconds):.0f} ms ({1000 * low:.0f} to {1000 * high:.0f})")
    ratio = statistics.median(times["ours"]) / statistics.median(times["PyTorch"])
    print(f"ours / PyTorch: {ratio:.2f}, {torch.get_num_threads()} threads, batch {BATCH}, hidden {HIDDEN}, {TIME} steps")


if __name__ == "__main__":
    main()
