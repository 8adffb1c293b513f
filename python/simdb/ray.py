"""Finds all similar pairs of a corpus on a Ray cluster: ``python -m simdb.ray run --sim 0.8 WORKDIR IN… --out URI``.

Ray and pyarrow must be installed where this runs, and simdb on all nodes. A share of a stage is a Ray task with
one core and the memory of the plan; nothing goes through the object store of Ray.
"""

from collections.abc import Iterator, Sequence

from ._errors import Error
from ._stages import Done, Share, main


class RayCluster:
    """A Ray cluster. Ray itself repeats tasks of nodes that die."""

    def __init__(self, address: str | None) -> None:
        import ray
        ray.init(address=address, log_to_driver=False)
        self.cores = max(int(ray.cluster_resources().get("CPU", 1)), 1)

    def results(self, shares: Sequence[Share], memory: int) -> Iterator[tuple[int, Done | Exception]]:
        import ray
        if all(node["Resources"].get("memory", 0) < memory for node in ray.nodes() if node["Alive"]):
            raise Error(f"no node has {memory / 2**30:.1f} GiB, the memory of a task; choose a smaller --memory, with a new WORKDIR")
        task = ray.remote(num_cpus=1, memory=memory, max_retries=8)(lambda share: share())
        waiting = {task.remote(share): n for n, share in enumerate(shares)}
        while waiting:
            for ready in ray.wait(list(waiting))[0]:
                n = waiting.pop(ready)
                try:
                    yield n, ray.get(ready)
                except ray.exceptions.RayError as e:
                    yield n, e


if __name__ == "__main__":
    main("ray", RayCluster)
