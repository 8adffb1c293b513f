"""text-dedup: MinHash of 128 permutations, and LSH. Its groups are in the file that --debug leaves."""

import json
import pickle
import subprocess
import sys

given = {"path": "json", "data_files": sys.argv[1], "split": "train", "column": "text", "output": sys.argv[2], "cache_dir": sys.argv[2] + "/cache"}
asked = {"ngram": 3, "num_perm": 128, "threshold": sys.argv[3], "num_proc": 1}
options = [f"--{name}={value}" for name, value in (given | asked).items()]
subprocess.run([sys.executable, "-m", "text_dedup.minhash", "--debug", *options], check=True, stdout=sys.stderr)
with open(sys.argv[2] + "/uf.pkl", "rb") as file:
    groups = pickle.load(file)
print("id,group")
with open(sys.argv[1]) as lines:
    for n, line in enumerate(lines):
        print(json.loads(line)["id"], groups.find(n), sep=",")
