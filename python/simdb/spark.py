"""Finds all similar pairs of a corpus on a Spark cluster: ``python -m simdb.spark run --sim 0.8 WORKDIR IN… --out URI``.

pyspark and pyarrow must be installed where this runs, and simdb on all executors. A share of a stage is a Spark
job of one task; ``--address`` is the master, otherwise that of the configuration of Spark.
"""

import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed

from ._stages import Done, Share, main


class SparkCluster:
    """A Spark session. Spark itself repeats tasks of executors that die."""

    def __init__(self, address: str | None) -> None:
        from pyspark.sql import SparkSession
        if address and address.startswith("local"):
            os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # otherwise Spark starts python3, which may lack simdb
        builder = SparkSession.builder.appName("simdb")
        self.context = (builder.master(address) if address else builder).getOrCreate().sparkContext
        self.cores = self.context.defaultParallelism

    def results(self, shares: Sequence[Share], memory: int) -> Iterator[tuple[int, Done | Exception]]:
        def run(share: Share) -> Done:
            done: list[Done] = self.context.parallelize([share], 1).map(lambda share: share()).collect()
            return done[0]

        with ThreadPoolExecutor(len(shares)) as threads:
            waiting = {threads.submit(run, share): n for n, share in enumerate(shares)}
            for ready in as_completed(waiting):
                e = ready.exception()
                if e is not None and not isinstance(e, Exception):
                    raise e
                yield waiting[ready], e or ready.result()


if __name__ == "__main__":
    main("spark", SparkCluster)
