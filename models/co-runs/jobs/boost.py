"""Trains gradient-boosted trees on generated samples, on two threads. Usage: boost.py ROUNDS

Ends with an error if the trees are not clearly better than guessing.
"""

import sys

import lightgbm as lgb
import numpy as np

rounds = int(sys.argv[1])
samples, features = 500_000, 40
rng = np.random.default_rng(5)
x = rng.standard_normal((samples, features), dtype=np.float32)
# What is to be learnt: curves and products of a few features, and noise.
signal = np.sin(2 * x[:, 0]) + x[:, 1] * x[:, 2] + np.abs(x[:, 3]) + 0.5 * x[:, 4] * (x[:, 5] > 0) - 0.8
y = (signal + 0.5 * rng.standard_normal(samples, dtype=np.float32) > 0).astype(np.int8)
print("samples", samples, flush=True)

test = samples // 5
settings = {
    "objective": "binary",
    "num_leaves": 127,
    "learning_rate": 0.1,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "num_threads": 2,
    "seed": 5,
    "deterministic": True,
    "force_col_wise": True,
    "verbose": -1,
}
data = lgb.Dataset(x[test:], y[test:], params=settings, free_raw_data=False).construct()
print("binned", flush=True)
model = lgb.train(settings, data, num_boost_round=rounds)
print("trained", model.num_trees(), flush=True)
right = float(np.mean((model.predict(x[:test], num_threads=2) > 0.5) == y[:test]))
print("accuracy", right)
if model.num_trees() != rounds or right < 0.75:
    sys.exit("the model is too poor")
