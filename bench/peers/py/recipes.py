"""Runs the recipes of docs/verify.md with the real tools: datasketch, datatrove, text-dedup, NeMo Curator.

    python -m venv v && v/bin/pip install datasketch==2.0.0 datatrove==0.10.1 'xxhash<3.6' tokenizers orjson spacy nltk text-dedup==0.4.0
    v/bin/python bench/peers/py/recipes.py ./simdb CORPUS.jsonl datasketch datatrove text_dedup
    python -m venv n && n/bin/pip install datasketch==2.0.0 nemo-curator==1.4.0
    n/bin/python bench/peers/py/recipes.py ./simdb CORPUS.jsonl nemo_curator

Takes the first 600 texts of the corpus and changed copies of some of them, lets each tool find the copies, and lets
simdb verify check its answer. Fails if simdb reads an answer of a tool as nothing.
"""

import csv
import json
import pickle
import random
import subprocess
import sys
import tempfile
from pathlib import Path


def texts(corpus, path):
    random.seed(2)
    some = [json.loads(line) for line, _ in zip(open(corpus), range(600))]
    for r in some[:120]:
        words = r["text"].split()
        for k in range(random.choice([0, 1, 2, 12, 40])):
            words[random.randrange(len(words))] = f"changed{k}"
        some.append({"id": r["id"] + "-copy", "text": " ".join(words)})
    path.write_text("".join(json.dumps({"id": r["id"], "text": r["text"]}) + "\n" for r in some))


def datasketch(source, out):
    from datasketch import MinHash, MinHashLSH

    index = MinHashLSH(threshold=0.7, num_perm=64)
    with open(out / "pairs.csv", "w", newline="") as f:
        write = csv.writer(f)
        write.writerow(["a", "b"])
        for line in open(source):
            r = json.loads(line)
            words = r["text"].lower().split()
            m = MinHash(num_perm=64)
            m.update_batch([" ".join(words[i : i + 3]).encode() for i in range(max(1, len(words) - 2))])
            for other in index.query(m):
                write.writerow([other, r["id"]])
            index.insert(r["id"], m)
    return out / "pairs.csv"


def datatrove(source, out):
    from datatrove.executor import LocalPipelineExecutor
    from datatrove.pipeline.dedup import MinhashDedupSignature
    from datatrove.pipeline.dedup.minhash import MinhashConfig, MinhashDedupBuckets, MinhashDedupCluster, MinhashDedupFilter
    from datatrove.pipeline.readers import JsonlReader
    from datatrove.pipeline.writers.jsonl import JsonlWriter

    c, scratch = MinhashConfig(), str(out / "scratch")
    read = lambda: JsonlReader(str(source.parent), glob_pattern=source.name)
    run = lambda *steps, tasks=1: LocalPipelineExecutor(pipeline=list(steps), tasks=tasks, logging_dir=None).run()
    run(read(), MinhashDedupSignature(output_folder=scratch + "/sig", config=c))
    run(MinhashDedupBuckets(input_folder=scratch + "/sig", output_folder=scratch + "/buckets", config=c), tasks=c.num_buckets)
    run(MinhashDedupCluster(input_folder=scratch + "/buckets", output_folder=scratch + "/remove", config=c, save_cluster_id=True))
    removed = JsonlWriter(str(out / "answer/removed"))
    run(read(), MinhashDedupFilter(input_folder=scratch + "/remove", load_cluster_ids=True, exclusion_writer=removed), JsonlWriter(str(out / "answer/kept")))
    return out / "answer"


def text_dedup(source, out):
    args = ["--path", "json", "--data_files", source, "--split", "train", "--cache_dir", out / "cache", "--output", out / "td"]
    subprocess.run([sys.executable, "-m", "text_dedup.minhash", *args, "--column", "text", "--batch_size", "1000", "--debug"], check=True, capture_output=True)
    ids = [json.loads(line)["id"] for line in open(source)]
    groups = pickle.load(open(out / "td/uf.pkl", "rb"))
    rows = [json.dumps({"id": ids[i], "cluster": groups.find(i)}) + "\n" for i in list(groups.parent)]
    (out / "groups.jsonl").write_text("".join(rows))
    return out / "groups.jsonl"


def nemo_curator(source, out):
    """Its reader numbers the texts and its writer stores them; its stages from MinHash to components need a GPU, so
    datasketch finds the components, in the columns of ConnectedComponentsStage."""
    import pandas
    import ray
    from nemo_curator.stages.deduplication.id_generator import CURATOR_DEDUP_ID_STR, CURATOR_ID_GENERATOR_ACTOR_NAME, IdGenerator
    from nemo_curator.stages.text.io.reader.jsonl import JsonlReaderStage
    from nemo_curator.stages.text.io.writer import ParquetWriter
    from nemo_curator.tasks import FileGroupTask

    def copy(to, **ids):
        for stage in (read := JsonlReaderStage(**ids)), (write := ParquetWriter(str(out / to))):
            stage.setup()
        write.process(read.process(FileGroupTask(dataset_name="texts", data=[str(source)])))
        return pandas.read_parquet(out / to)

    ray.init(address="local", include_dashboard=False)
    actor = IdGenerator.options(name=CURATOR_ID_GENERATOR_ACTOR_NAME, namespace=CURATOR_ID_GENERATOR_ACTOR_NAME).remote()
    ray.get(actor.wait.remote())
    numbered = copy("first", _generate_ids=True)  # as its MinHash stage does
    if not numbered.equals(copy("texts", _assign_ids=True)):
        sys.exit("nemo_curator: texts read again have other ids")
    ray.shutdown()
    number = dict(zip(numbered["id"], numbered[CURATOR_DEDUP_ID_STR]))
    group = {}
    with open(datasketch(source, out)) as f:
        for r in csv.DictReader(f):
            a, b = (group.setdefault(r[side], number[r[side]]) for side in "ab")
            group = {i: a if g == b else g for i, g in group.items()}
    (out / "ConnectedComponentsStage").mkdir()
    components = pandas.DataFrame({CURATOR_DEDUP_ID_STR: [number[i] for i in group], "_duplicate_group_id": list(group.values())})
    components.to_parquet(out / "ConnectedComponentsStage/components.parquet", index=False)
    return out / "ConnectedComponentsStage", out / "texts", "--id-field", CURATOR_DEDUP_ID_STR


def main(simdb, corpus, name, *more):
    with tempfile.TemporaryDirectory() as dir:
        source = Path(dir) / "in/texts.jsonl"
        source.parent.mkdir()
        texts(corpus, source)
        for tool in (globals()[n] for n in (name, *more)):
            out = Path(dir) / tool.__name__
            out.mkdir()
            answer = tool(source, out)
            args = answer if isinstance(answer, tuple) else (answer, source)
            done = subprocess.run([simdb, "verify", "--sim", "0.7", "--format", "ndjson", *args], capture_output=True, text=True, check=True)
            rows = [json.loads(line) for line in done.stdout.splitlines()]
            right = sum(r["similar"] for r in rows if r.get("id") != r.get("keeper", ""))
            print(f"{tool.__name__}: {done.stderr.strip()}")
            if right < 80:
                sys.exit(f"{tool.__name__}: only {right} of some 100 copies")


if __name__ == "__main__":
    main(*sys.argv[1:])
