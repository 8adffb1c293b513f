"""simdb: groups of texts of resemblance 0.8 or more."""

import sys

import simdb

with simdb.open(sys.argv[2]) as db:
    db.import_file(sys.argv[1])
    for m in db.clusters(sim=0.8):
        print(m.id, m.cluster, sep="\t")
