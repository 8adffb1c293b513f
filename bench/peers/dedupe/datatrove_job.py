"""datatrove: its MinHash pipeline, in its default 14 buckets of 8 hashes, up to the groups. Words are those between blanks."""

import struct
import sys
from pathlib import Path

from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.dedup import MinhashConfig, MinhashDedupBuckets, MinhashDedupCluster, MinhashDedupSignature
from datatrove.pipeline.readers import JsonlReader
from datatrove.utils.text import TextNormConfig
from datatrove.utils.typeshelper import Languages

file, folder = Path(sys.argv[1]), Path(sys.argv[2])
asis = TextNormConfig(False, False, False, False, False)
config = MinhashConfig(n_grams=3, norm_config=asis)


class Blanks:
    def word_tokenize(self, text):
        return text.split()


def run(tasks, *pipeline):
    LocalPipelineExecutor(list(pipeline), tasks=tasks, workers=1, logging_dir=str(folder / "logs"), skip_completed=False).run()


sketch = MinhashDedupSignature(str(folder / "signatures"), config, Languages.english)
sketch.word_tokenizer = Blanks()
run(1, JsonlReader(str(file.parent), glob_pattern=file.name), sketch)
run(config.num_buckets, MinhashDedupBuckets(str(folder / "signatures"), str(folder / "buckets"), config=config))
run(1, MinhashDedupCluster(str(folder / "buckets"), str(folder / "groups"), config, save_cluster_id=True))
ids = [line.split('"', 4)[3] for line in open(file)]
print("id,group")
for doc, group in struct.iter_unpack("<II", (folder / "groups" / "000000.clusters").read_bytes()):
    print(ids[doc], group, sep=",")
