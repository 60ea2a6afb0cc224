"""Writes seeded points around 40 overlapping centres as a Parquet file of single-precision columns c0, c1, ...

Usage: points.py FILE POINTS COLUMNS [SEED]. Does nothing if FILE is there already.
"""

import os
import sys

import duckdb
import numpy as np

path, rows, columns = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
seed = int(sys.argv[4]) if len(sys.argv) > 4 else 1
if os.path.exists(path):
    sys.exit(0)

rng = np.random.default_rng(seed)
centres = rng.normal(0, 1.5, (40, columns)).astype(np.float32)
points = centres[rng.integers(0, 40, rows)] + rng.standard_normal((rows, columns), np.float32)
table = {f"c{column}": np.ascontiguousarray(points[:, column]) for column in range(columns)}
database = duckdb.connect()
database.register("points", table)
database.execute(f"copy points to '{path}.part' (format parquet, row_group_size 50000)")
os.rename(path + ".part", path)
