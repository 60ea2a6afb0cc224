"""Counts words of a text, joins the counts back and writes the result, on Spark with two local threads.

Usage: spark.py TEXT OUTPUT SCRATCH
"""

import sys

from pyspark.sql import SparkSession, functions as f

text, output, scratch = sys.argv[1:4]
spark = (
    SparkSession.builder.master("local[2]")
    .appName("words")
    .config("spark.driver.memory", "2g")
    .config("spark.local.dir", scratch)
    .config("spark.sql.shuffle.partitions", "8")
    .config("spark.ui.enabled", "false")
    .config("spark.driver.host", "127.0.0.1")
    .config("spark.driver.bindAddress", "127.0.0.1")
    .getOrCreate()
)
spark.sparkContext.setLogLevel("ERROR")
lines = spark.read.text(text).where("length(value) > 0").withColumn("line", f.monotonically_increasing_id())
words = lines.select("line", f.explode(f.split(f.lower(f.regexp_replace("value", "[^A-Za-z ]", "")), " ")).alias("word"))
words = words.where("word <> ''")
counts = words.groupBy("word").count()
print("distinct words", counts.count())
# How surprising each line is: needs the counts beside every word, so the words are shuffled.
total = words.count()
scores = (
    words.join(counts.hint("merge"), "word")
    .groupBy("line")
    .agg(f.avg(-f.log2(f.col("count") / f.lit(total))).alias("surprise"), f.count("*").alias("words"))
)
scores.orderBy(f.desc("surprise")).write.mode("overwrite").parquet(output)
spark.stop()
