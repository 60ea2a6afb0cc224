"""Writes seeded short texts of four kinds, "label<tab>words" a line; a kind has favourite words among common ones.

Usage: labelled.py FILE ROWS [SEED]. Does nothing if FILE is there already.
"""

import os
import sys

import numpy as np

path, rows, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 1
if os.path.exists(path):
    sys.exit(0)

rng = np.random.default_rng(seed)
kinds, length, words = 4, 40, 40_000
letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
names = np.array(["".join(rng.choice(letters, rng.integers(3, 10))) for _ in range(words)])
orders = [np.arange(words), *(rng.permutation(words) for _ in range(kinds))]
weights = np.cumsum(1.0 / (np.arange(words) + 2.7))
weights /= weights[-1]
with open(path + ".part", "w", encoding="ascii") as out:
    for start in range(0, rows, 20_000):
        count = min(20_000, rows - start)
        labels = rng.integers(0, kinds, count)
        ranks = np.searchsorted(weights, rng.random((count, length)))
        # One word in eight comes from the kind's own order of words.
        own = rng.random((count, length)) < 0.125
        chosen = ranks.copy()
        for kind in range(kinds):
            here = own & (labels == kind)[:, None]
            chosen[here] = orders[kind + 1][ranks[here]]
        for label, line in zip(labels, names[chosen].tolist()):
            out.write(f"{label}\t{' '.join(line)}\n")
os.rename(path + ".part", path)
