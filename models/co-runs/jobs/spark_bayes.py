"""Learns to tell kinds of texts apart with MLlib: hashed word counts, naive Bayes, then logistic regression.

Usage: spark_bayes.py TEXTS ROUNDS SCRATCH
"""

import sys

from pyspark.ml.classification import LogisticRegression, NaiveBayes
from pyspark.ml.feature import IDF, HashingTF, Tokenizer
from pyspark.sql import functions as f
from spark_session import check, session

source, rounds, scratch = sys.argv[1], int(sys.argv[2]), sys.argv[3]


def accuracy(model, texts):
    return model.transform(texts).agg(f.avg((f.col("prediction") == f.col("label")).cast("double"))).first()[0]


with session("bayes", scratch, optimise=True) as spark:
    texts = spark.read.csv(source, sep="\t", schema="label double, text string")
    words = Tokenizer(inputCol="text", outputCol="words").transform(texts)
    counts = HashingTF(inputCol="words", outputCol="counts", numFeatures=1 << 13).transform(words)
    counts = counts.select("label", "counts").cache()
    weighted = IDF(inputCol="counts", outputCol="features").fit(counts).transform(counts).select("label", "features")
    train, test = weighted.where("hash(features) % 5 <> 0").cache(), weighted.where("hash(features) % 5 = 0").cache()
    bayes = NaiveBayes().fit(train)
    first = accuracy(bayes, test)
    # A tolerance of 0 makes it go on for all rounds.
    regression = LogisticRegression(maxIter=rounds, tol=0.0, regParam=1e-4).fit(train)
    done = regression.summary.totalIterations
    second = accuracy(regression, test)
    regression.transform(test).select("label", "prediction").write.parquet(f"{scratch}/out")

print("accuracy of naive Bayes", first, "of logistic regression", second, "after", done, "rounds")
check(first > 0.5 and second > 0.5, "no better than chance, which is 0.25")
check(done == rounds, f"{done} rounds instead of {rounds}")
