"""Writes seeded text with the word statistics of prose: Zipf-like words, sentences, paragraphs, topics that drift.

Usage: text.py FILE MEGABYTES [SEED]. Does nothing if FILE is there already.
"""

import os
import random
import sys

path, megabytes, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 1
if os.path.exists(path):
    sys.exit(0)

rng = random.Random(seed)
consonants, vowels = "bcdfghklmnprstvw", "aeiou"


def word():
    return "".join(
        rng.choice(consonants) + rng.choice(vowels) + (rng.choice(consonants) if rng.random() < 0.3 else "")
        for _ in range(rng.choice((1, 1, 2, 2, 2, 3, 3, 4)))
    )


words = list({word(): None for _ in range(60_000)})
weights = [1.0 / (rank + 2.7) for rank in range(len(words))]
cumulative = []
total = 0.0
for weight in weights:
    total += weight
    cumulative.append(total)

size, goal = 0, megabytes * 1_000_000
with open(path + ".part", "w", encoding="ascii") as out:
    while size < goal:
        # A topic has favourite words of its own beside the common ones.
        favourites = rng.choices(words, k=300)
        paragraphs = []
        for _ in range(40):
            drawn = rng.choices(words, cum_weights=cumulative, k=400)
            for index in range(0, 400, 5):
                drawn[index] = favourites[min(int(rng.expovariate(0.02)), 299)]
            sentences, at = [], 0
            while at < 400:
                length = rng.randint(5, 22)
                sentences.append(" ".join(drawn[at : at + length]).capitalize() + ".")
                at += length
            if rng.random() < 0.2:
                sentences.append(f"Ref. {rng.randint(1, 99999)}-{rng.choice(words)}.")
            paragraphs.append(" ".join(sentences))
        text = "\n\n".join(paragraphs) + "\n\n"
        out.write(text)
        size += len(text)
os.rename(path + ".part", path)
