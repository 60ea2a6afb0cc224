"""Sorts lines of 100 bytes by their first 10 characters on Spark, then reads the result back and checks it.

Usage: spark_terasort.py RECORDS SCRATCH
"""

import glob
import os
import sys
import zlib

from pyspark.sql import functions as f
from spark_session import check, session


def look(path):
    """The first and last key of a part, its rows, a checksum that does not depend on their order, and if all are in order."""
    rows, checksum, first, before, ordered = 0, 0, None, b"", True
    with open(path, "rb") as lines:
        for line in lines:
            key = line[:10]
            ordered = ordered and before <= key
            before = key
            if first is None:
                first = key
            rows += 1
            checksum += zlib.crc32(line[:99])
    return first, before, rows, checksum, ordered


records, scratch = sys.argv[1:3]
with session("terasort", scratch) as spark:
    lines = spark.read.text(records).withColumn("key", f.substring("value", 1, 10))
    # Range partitioning reads the records twice: once for a sample of the keys, once to shuffle them.
    lines.repartitionByRange(8, "key").sortWithinPartitions("key").select("value").write.text(f"{scratch}/out")
    expected = spark.read.text(records).agg(f.sum(f.crc32("value"))).first()[0]
    # Names of parts are in the order of the ranges.
    parts = sorted(glob.glob(f"{scratch}/out/part-*"))
    seen = spark.sparkContext.parallelize(parts, len(parts)).map(look).collect()

check(all(part[4] for part in seen), "a part is not in order")
check(all(a[1] <= b[0] for a, b in zip(seen, seen[1:])), "the parts are not in order")
check(sum(part[2] for part in seen) == os.path.getsize(records) // 100, "rows were lost")
check(sum(part[3] for part in seen) == expected, "rows were changed")
