"""Clusters points with MLlib's k-means in a fixed number of rounds and writes each point's cluster.

Usage: spark_kmeans.py POINTS CLUSTERS ROUNDS SCRATCH
"""

import sys

from pyspark.ml.clustering import KMeans
from pyspark.ml.feature import VectorAssembler
from pyspark.sql import functions as f
from spark_session import check, session

source, clusters, rounds, scratch = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
with session("kmeans", scratch, optimise=True) as spark:
    table = spark.read.parquet(source)
    rows = table.count()
    vectors = VectorAssembler(inputCols=table.columns, outputCol="features").transform(table).select("features")
    # Into two parts for each thread and into memory: each round goes over all points.
    points = vectors.repartition(4).cache()
    # A tolerance of 0 never stops early: the centres of so many points always move a little.
    model = KMeans(k=clusters, maxIter=rounds, tol=0.0, initMode="random", seed=1).fit(points)
    done, cost = model.summary.numIter, model.summary.trainingCost
    model.transform(points).select("prediction").write.parquet(f"{scratch}/out")
    written = spark.read.parquet(f"{scratch}/out").agg(f.count("*"), f.countDistinct("prediction")).first()

print("rounds", done, "cost", cost)
check(done == rounds, f"{done} rounds instead of {rounds}")
check(written[0] == rows and written[1] <= clusters, f"{written} written of {rows} points")
