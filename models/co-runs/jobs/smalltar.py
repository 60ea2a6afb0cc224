"""Writes a tar of many small files, as of a source tree. Usage: smalltar.py FILE COUNT. Does nothing if FILE is there.

Names and sizes are seeded: folders of 500 files, sizes around 1 KB, a few much larger.
"""

import io
import os
import random
import sys
import tarfile

path, count = sys.argv[1], int(sys.argv[2])
if os.path.exists(path):
    sys.exit(0)
rng = random.Random(17)
words = ["".join(rng.choice("abcdefghij") for _ in range(rng.randint(3, 9))) for _ in range(5000)]
text = " ".join(rng.choice(words) for _ in range(200_000)).encode()
with tarfile.open(path + ".part", "w") as tar:
    for index in range(count):
        size = min(int(rng.lognormvariate(7, 1.0)), 100_000)
        at = rng.randrange(len(text) - size)
        member = tarfile.TarInfo(f"tree/group{index // 4000}/part{index // 500}/{rng.choice(words)}-{index}.txt")
        member.size, member.mtime, member.mode = size, 1_700_000_000 + index, 0o644
        tar.addfile(member, io.BytesIO(text[at : at + size]))
os.rename(path + ".part", path)
