"""Builds an index of generated vectors with faiss and searches it, on two threads. Usage: vectors.py BATCHES

Trains an inverted file, adds a million vectors, then asks for neighbours in batches. Ends with an error if too few of
the true neighbours, found for a sample by comparing with everything, are among the answers.
"""

import sys

import faiss
import numpy as np

batches = int(sys.argv[1])
faiss.omp_set_num_threads(2)
count, size, lists, batch, near = 1_000_000, 64, 1024, 1000, 10
rng = np.random.default_rng(9)
# Vectors lie around centres, as those of texts or pictures do.
centres = rng.standard_normal((2000, size), dtype=np.float32)


def draw(number):
    return centres[rng.integers(0, len(centres), number)] + 0.7 * rng.standard_normal((number, size), dtype=np.float32)


vectors = draw(count)
print("vectors", vectors.shape, flush=True)

index = faiss.IndexIVFFlat(faiss.IndexFlatL2(size), size, lists)
index.cp.niter = 8
index.cp.seed = 9
index.train(vectors[:60_000])
print("trained", flush=True)
index.add(vectors)
print("added", index.ntotal, flush=True)

index.nprobe = 24
answers = 0
sample, found = None, None
for number in range(batches):
    queries = draw(batch)
    _, ids = index.search(queries, near)
    answers += int((ids >= 0).sum())
    if sample is None:
        sample, found = queries[:100], ids[:100]
print("searched", answers, flush=True)

_, exact = faiss.knn(sample, vectors, near)
recall = np.mean([len(set(a) & set(b)) / near for a, b in zip(found, exact)])
print("recall", recall)
if answers != batches * batch * near or recall < 0.8:
    sys.exit("too few neighbours found")
