"""Writes a table of orders as CSV. Usage: orders.py FILE ROWS. Does nothing if FILE is there already."""

import os
import random
import sys

path, rows = sys.argv[1], int(sys.argv[2])
if os.path.exists(path):
    sys.exit(0)
rng = random.Random(7)
products = [f"{a}-{b}" for a in ("lamp", "chair", "desk", "shelf", "rug", "vase") for b in range(80)]
notes = ["", "", "", "fragile", "gift wrap", "call first", "leave at the door", "second floor", "express"]
with open(path + ".part", "w", encoding="ascii") as out:
    for row in range(rows):
        out.write(
            f"{row},{int(rng.betavariate(1, 4) * 90_000)},{products[int(rng.betavariate(1, 3) * 480)]},"
            f"{rng.choice(('north', 'south', 'east', 'west'))},{rng.randrange(730)},{rng.randint(1, 12)},"
            f"{rng.lognormvariate(3, 0.8):.2f},{rng.choice(notes)}\n"
        )
os.rename(path + ".part", path)
