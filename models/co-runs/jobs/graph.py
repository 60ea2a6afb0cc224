"""Writes a seeded graph, one link "from to" a line: some pages are linked to far more often than others (power law).

Usage: graph.py FILE LINKS [SEED]. Pages are a tenth as many as links; each has a link. Does nothing if FILE is there.
"""

import os
import sys

import numpy as np

path, links, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 1
if os.path.exists(path):
    sys.exit(0)

rng = np.random.default_rng(seed)
pages = links // 10
# Each page has a link to its successor; the others go from any page to a page of a rank drawn by Pareto's law.
names = rng.permutation(pages)
start = np.concatenate([np.arange(pages), rng.integers(0, pages, links - pages)])
rank = np.minimum((rng.pareto(0.6, links - pages)).astype(np.int64), pages - 1)
end = np.concatenate([(np.arange(pages) + 1) % pages, names[rank]])
order = rng.permutation(links)
np.savetxt(path + ".part", np.stack([start, end], axis=1)[order], fmt="%d")
os.rename(path + ".part", path)
