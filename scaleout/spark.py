"""Runs the stages of `simdb scale` as tasks of a Spark cluster.

    simdb scale plan /shared/work /shared/input/*.jsonl.gz
    spark-submit spark.py /shared/work 64

All executors see the work directory and have the command simdb.
"""

import subprocess
import sys

from pyspark.sql import SparkSession

workdir, shares = sys.argv[1], int(sys.argv[2])
spark = SparkSession.builder.appName("simdb scale").getOrCreate()

for stage in ["analyse", "order", "deal", "join", "clusters"]:
    n = 1 if stage == "clusters" else shares

    def run(share, stage=stage, n=n):
        # A command that fails fails its task, which Spark starts again elsewhere.
        subprocess.run(["simdb", "scale", stage, "--task", f"{share}/{n}", workdir], check=True)
        return share

    spark.sparkContext.parallelize(range(1, n + 1), n).map(run).count()
    print(f"{stage}: {n} shares")
spark.stop()
