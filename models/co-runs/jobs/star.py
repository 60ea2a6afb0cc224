"""Writes the seeded tables of a shop: sales, customers, items, stores as Parquet files and returned sales as CSV.

Usage: star.py FOLDER SALES [SEED]. Does nothing if FOLDER is there already.
"""

import os
import sys

import duckdb
import numpy as np

folder, rows, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 1
if os.path.exists(folder):
    sys.exit(0)

rng = np.random.default_rng(seed)
customers, items, stores = rows // 40, 20_000, 60
part = folder + ".part"
os.makedirs(part, exist_ok=True)


def write(name, columns, suffix="parquet"):
    database = duckdb.connect()
    database.register("columns", columns)
    options = "format parquet, row_group_size 500000" if suffix == "parquet" else "format csv, header"
    database.execute(f"copy columns to '{part}/{name}.{suffix}' ({options})")


# Some customers and items are bought from and bought far more often than others.
write(
    "sales",
    {
        "sale": np.arange(rows),
        "day": np.sort(rng.integers(0, 730, rows)).astype(np.int32),
        "customer": (customers * rng.random(rows) ** 2).astype(np.int32),
        "item": (items * rng.random(rows) ** 3).astype(np.int32),
        "store": rng.integers(0, stores, rows, dtype=np.int32),
        "quantity": rng.integers(1, 10, rows, dtype=np.int32),
        "cents": rng.integers(99, 20_000, rows, dtype=np.int32),
    },
)
write(
    "customers",
    {
        "customer": np.arange(customers, dtype=np.int32),
        "town": rng.integers(0, 400, customers, dtype=np.int32),
        "since": rng.integers(1990, 2025, customers, dtype=np.int32),
    },
)
write(
    "items",
    {
        "item": np.arange(items, dtype=np.int32),
        "category": rng.integers(0, 25, items, dtype=np.int32),
        "weight": rng.random(items),
    },
)
write("stores", {"store": np.arange(stores, dtype=np.int32), "region": rng.integers(0, 8, stores, dtype=np.int32)})
returned = np.sort(rng.choice(rows, rows // 10, replace=False))
write("returns", {"sale": returned, "reason": rng.integers(0, 12, len(returned), dtype=np.int32)}, "csv")
os.rename(part, folder)
