"""Runs the stages of `simdb scale` on a Ray cluster.

    pip install -r requirements.txt
    simdb scale plan /shared/work /shared/input/*.jsonl.gz
    python driver.py --address auto /shared/work
    simdb scale collect --format csv /shared/work > pairs.csv

A share of a stage is one Ray task: it starts the command, which does the tasks of the
share that are not done yet. Everything is in files of the work directory, so nothing goes
through Ray's object store, and where a task runs does not matter: all nodes see the same
folder. A node that dies takes its shares along; Ray starts them again elsewhere. A command
that finds a damaged file takes the record from it and ends with 5; then the driver goes
through the stages again, which makes just that file anew.
"""

import argparse
import subprocess
import sys
import time

import ray

STAGES = ["analyse", "order", "deal", "join", "clusters"]
ONE_TASK = {"clusters"}  # stages with a single task
DAMAGED = 5  # exit code: an intermediate file is damaged


class Failed(Exception):
    """A command failed in a way that trying again does not mend."""


# A share holds one core and 1 GB (docs/scale.md). max_retries is for nodes and workers that
# die, not for commands that fail: those answer with their exit code.
@ray.remote(num_cpus=1, max_retries=8)
def run_share(simdb, stage, share, shares, workdir):
    done = subprocess.run(
        [simdb, "scale", stage, "--task", f"{share}/{shares}", workdir],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    return done.returncode, done.stderr.strip()


def run_stage(args, stage, shares):
    """Runs all shares of a stage. Returns whether all files that it read were whole."""
    memory = int(args.memory * 2**30)
    task = run_share.options(memory=memory, name=f"simdb scale {stage}")
    begin, whole = time.time(), True
    waiting = {
        task.remote(args.simdb, stage, i + 1, shares, args.workdir): i + 1
        for i in range(shares)
    }
    while waiting:
        ready, _ = ray.wait(list(waiting), num_returns=1)
        for ref in ready:
            share = waiting.pop(ref)
            code, message = ray.get(ref)
            if code == DAMAGED:
                whole = False
                print(f"{stage} {share}/{shares}: {message}", file=sys.stderr, flush=True)
            elif code != 0 and whole:
                raise Failed(f"{stage} {share}/{shares} ended with {code}: {message}")
            done = shares - len(waiting)
            print(f"{stage} {done} of {shares}, {time.time() - begin:.1f} s", flush=True)
    return whole


def run(args):
    shares = args.shares or max(4 * int(ray.cluster_resources().get("CPU", 1)), 1)
    for _ in range(args.repairs + 1):
        for stage in STAGES:
            if stage == "clusters" and not args.clusters:
                continue
            if not run_stage(args, stage, 1 if stage in ONE_TASK else shares):
                break  # again from the first stage; what is done is not done again
        else:
            return
    raise Failed(f"files were damaged {args.repairs + 1} times: look at the disk of {args.workdir}")


def main():
    p = argparse.ArgumentParser(description="Run the stages of simdb scale on a Ray cluster.")
    p.add_argument("workdir", help="a directory that simdb scale plan has made, seen by all nodes")
    p.add_argument("--address", default="auto", help="of the cluster (default: auto)")
    p.add_argument("--simdb", default="simdb", help="the command, on all nodes")
    p.add_argument("--shares", type=int, default=0, help="of each stage (default: four for each core)")
    p.add_argument("--memory", type=float, default=1.0, help="GiB that a share holds (default: 1)")
    p.add_argument("--clusters", action="store_true", help="also make the groups")
    p.add_argument("--repairs", type=int, default=10, help="how often damaged files are made again")
    args = p.parse_args()
    ray.init(address=args.address, log_to_driver=False)
    try:
        run(args)
    except Failed as e:
        sys.exit(f"driver: {e}")
    finally:
        ray.shutdown()


if __name__ == "__main__":
    main()
