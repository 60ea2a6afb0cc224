"""Counts words of a text, joins the counts back and writes the result, on Spark with two local threads.

Usage: spark_words.py TEXT SCRATCH
"""

import sys

from pyspark.sql import functions as f
from spark_session import check, session

text, scratch = sys.argv[1:3]
with session("words", scratch) as spark:
    lines = spark.read.text(text).where("length(value) > 0").withColumn("line", f.monotonically_increasing_id())
    letters = f.lower(f.regexp_replace("value", "[^A-Za-z ]", ""))
    words = lines.select("line", f.explode(f.split(letters, " ")).alias("word")).where("word <> ''")
    counts = words.groupBy("word").count()
    print("distinct words", counts.count())
    # How surprising each line is: needs the counts beside every word, so the words are shuffled.
    total = words.count()
    scores = (
        words.join(counts.hint("merge"), "word")
        .groupBy("line")
        .agg(f.avg(-f.log2(f.col("count") / f.lit(total))).alias("surprise"), f.count("*").alias("words"))
    )
    scores.orderBy(f.desc("surprise")).write.parquet(f"{scratch}/out")
    written = spark.read.parquet(f"{scratch}/out").agg(f.sum("words")).first()[0]
    check(written == total, f"{written} words written, {total} read")
