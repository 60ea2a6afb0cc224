"""Writes seeded records to sort: lines of 100 bytes, a random key of 10 printable characters, a tab, a payload.

Usage: records.py FILE ROWS [SEED]. Does nothing if FILE is there already.
"""

import os
import sys

import numpy as np

path, rows, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 1
if os.path.exists(path):
    sys.exit(0)

rng = np.random.default_rng(seed)
letters = np.frombuffer(b"ABCDEFGHIJKLMNOP", np.uint8)
with open(path + ".part", "wb") as out:
    for start in range(0, rows, 250_000):
        count = min(250_000, rows - start)
        block = np.empty((count, 100), np.uint8)
        block[:, :10] = rng.integers(33, 127, (count, 10))
        block[:, 10] = ord("\t")
        # A payload repeats a few letters, so that it can be packed to about a third when it is shuffled.
        block[:, 11:99] = np.repeat(letters[rng.integers(0, 16, (count, 22))], 4, axis=1)
        block[:, 99] = ord("\n")
        out.write(block.tobytes())
os.rename(path + ".part", path)
