"""PageRank with Spark's resilient data sets and Python workers: the links are kept in memory, ranks go round.

Usage: spark_pagerank.py GRAPH ROUNDS SCRATCH
"""

import sys

from spark_session import check, session

graph, rounds, scratch = sys.argv[1], int(sys.argv[2]), sys.argv[3]


def link(line):
    start, end = line.split()
    return int(start), int(end)


def votes(page):
    name, (ends, rank) = page
    share = rank / len(ends)
    # A vote of 0 for itself keeps a page that nobody links to.
    yield name, 0.0
    for end in ends:
        yield end, share


with session("pagerank", scratch, memory="1g", partitions=4) as spark:
    text = spark.sparkContext.textFile(graph, 4)
    links = text.map(link).groupByKey(4).mapValues(list).cache()
    pages = links.count()
    ranks = links.mapValues(lambda _: 1.0)
    for _ in range(rounds):
        received = links.join(ranks, 4).flatMap(votes).reduceByKey(lambda a, b: a + b, 4)
        ranks = received.mapValues(lambda votes: 0.15 + 0.85 * votes)
    ranks.cache()
    total, ranked = ranks.values().sum(), ranks.count()
    ranks.map(lambda page: f"{page[0]} {page[1]:.6f}").saveAsTextFile(f"{scratch}/out")

check(ranked == pages, f"{ranked} of {pages} pages have a rank")
check(abs(total / pages - 1) < 1e-6, f"ranks are {total / pages} on average, not 1")
