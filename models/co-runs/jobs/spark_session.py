"""The Spark session that the Spark jobs share: two local threads, no fixed port, all files in the job's scratch folder."""

import contextlib
import os

from pyspark.sql import SparkSession


@contextlib.contextmanager
def session(name, scratch, memory="2g", partitions=8, optimise=False):
    """A session for a `with` block. After the block Spark's Java process has ended too.

    Java's optimising compiler takes half of the CPU time of a run this short, so only the quick compiler works unless
    `optimise` is set. MLlib needs it: its vector instructions are slow without.
    """
    compiler = "" if optimise else " -XX:TieredStopAtLevel=1"
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    os.environ["TMPDIR"] = scratch
    settings = {
        "spark.driver.memory": memory,
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.port": "0",
        "spark.driver.extraJavaOptions": f"-Djava.io.tmpdir={scratch}{compiler}",
        "spark.local.dir": scratch,
        "spark.sql.warehouse.dir": f"{scratch}/warehouse",
        "spark.sql.shuffle.partitions": str(partitions),
        "spark.default.parallelism": str(partitions),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    builder = SparkSession.builder.master("local[2]").appName(name)
    for key, value in settings.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    java = spark.sparkContext._gateway.proc
    try:
        yield spark
    finally:
        spark.stop()
        # Java ends when its input does. Waiting for it keeps its last work inside the job.
        java.stdin.close()
        java.wait()


def check(holds, message):
    """Ends the job with an error unless `holds`; unlike `assert` it can't be switched off."""
    if not holds:
        raise SystemExit(f"wrong result: {message}")
