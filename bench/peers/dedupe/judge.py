"""Right and wrong: the exact answer, a check of it by brute force, and the recall and precision of others."""

import json
import random
from fractions import Fraction

import numpy
from pyarrow import csv
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from share import shingles

BANDS = [("0.8–0.85", 80, 85), ("0.85–0.9", 85, 90), ("0.9–0.95", 90, 95), ("0.95–1", 95, 100), ("1", 100, 101)]
SIZES = [("1–19", 1, 20), ("20–99", 20, 100), ("100–999", 100, 1000), ("1000 and more", 1000, 1 << 60)]
LANGUAGES = 6  # that most pairs are of; the others are one


def read(file):
    table = csv.read_csv(file, csv.ReadOptions(column_names=None))
    return {name: table[name].to_numpy() for name in table.column_names}


def components(n, a, b):
    return connected_components(coo_array((numpy.ones(len(a), bool), (a, b)), shape=(n, n)), directed=False)[1]


class Truth:
    """The exact pairs, a < b, in the order of their keys."""

    def __init__(self, share, file):
        rows = read(file)
        self.share = share
        a, b = numpy.minimum(rows["a"], rows["b"]), numpy.maximum(rows["a"], rows["b"])
        order = numpy.argsort(a * share.n + b)
        self.a, self.b, self.shared, self.union = (x[order] for x in (a, b, rows["shared"], rows["union"]))

    def least(self, hundredths):
        return 100 * self.shared >= hundredths * self.union

    def check(self, seed, count=50):
        """Compares all pairs of some documents with those of sets of strings; half of these documents have a pair."""
        r = random.Random(seed)
        paired = sorted(set(self.a.tolist()) | set(self.b.tolist()))
        chosen = set(r.sample(paired, min(count // 2, len(paired))))
        chosen |= set(r.sample(range(self.share.n), min(count - len(chosen), self.share.n)))
        with open(self.share.file) as lines:
            sets = {i: shingles(json.loads(line)["text"]) for i, line in enumerate(lines) if i in chosen}
        want = set()
        with open(self.share.file) as lines:
            for i, line in enumerate(lines):
                other = shingles(json.loads(line)["text"])
                for j, one in sets.items():
                    if i != j and 2 * min(len(one), len(other)) >= max(len(one), len(other)):
                        shared = len(one & other)
                        union = len(one) + len(other) - shared
                        if 2 * shared >= union:
                            want.add((min(i, j), max(i, j), Fraction(shared, union)))
        held = numpy.flatnonzero(numpy.isin(self.a, list(chosen)) | numpy.isin(self.b, list(chosen)))
        got = {(int(self.a[p]), int(self.b[p]), Fraction(int(self.shared[p]), int(self.union[p]))) for p in held}
        if got != want:
            raise SystemExit(f"simdb differs from brute force: {sorted(want ^ got)[:3]}")
        return len(chosen), len(want)

    def classes(self, a, b):
        """Masks of pairs by the size of the smaller set, and by language."""
        size = numpy.minimum(self.share.sizes[a], self.share.sizes[b])
        langs = numpy.array(self.share.langs)
        lang = numpy.where(langs[a] == langs[b], langs[a], "two languages")
        masks = {f"size {name}": (size >= low) & (size < high) for name, low, high in SIZES}
        return masks | {f"lang {name}": lang == name for name in self.languages} | {"lang others": ~numpy.isin(lang, self.languages)}

    @property
    def languages(self):
        langs = numpy.array(self.share.langs)
        pairs = self.least(80)
        both, count = numpy.unique(langs[self.a[pairs & (langs[self.a] == langs[self.b])]], return_counts=True)
        return [str(name) for name in both[numpy.argsort(-count)][:LANGUAGES]]

    def curve(self, among, finds):
        """How much of the pairs about each sim is found, from 0.5 on."""
        given = among[self.a] & among[self.b]
        found = finds(self.a, self.b)
        step = 40 * self.shared // self.union
        bins = [(s, given & (step == s)) for s in range(20, 41)]
        return [[min((s + 0.5) / 40, 1), share_of(found[mask])] for s, mask in bins if mask.any()]

    def judge(self, file, hundredths, among):
        """The figures of a tool's answer, beside the exact pairs of the documents that it was given."""
        n = self.share.n
        right = self.least(hundredths) & among[self.a] & among[self.b]
        a, b = self.a[right], self.b[right]
        rows = read(file)
        figures = {"pairs": len(a)}
        if "group" in rows:
            label = numpy.arange(n)
            _, first, inverse = numpy.unique(rows["group"], return_index=True, return_inverse=True)
            label[rows["id"]] = rows["id"][first][inverse]
        else:
            found = numpy.unique(numpy.minimum(rows["a"], rows["b"]) * n + numpy.maximum(rows["a"], rows["b"]))
            found = found[found // n != found % n]
            label = components(n, found // n, found % n)
            wanted = a * n + b
            hit, true = numpy.isin(wanted, found), numpy.isin(found, wanted)
            figures |= {"found": len(found), "recall": share_of(hit), "precision": share_of(true)}
            by = self.classes(found // n, found % n)
            figures |= {f"precision, {name}": share_of(true[mask]) for name, mask in by.items()}
        together = label[a] == label[b]
        figures["recall in groups"] = share_of(together)
        if "recall" not in figures:
            hit = together
        by = self.classes(a, b)
        for name, low, high in BANDS:
            by[f"sim {name}"] = (100 * self.shared[right] >= low * self.union[right]) & (100 * self.shared[right] < high * self.union[right])
        figures |= {f"recall, {name}": share_of(hit[mask]) for name, mask in by.items()}
        figures["curve"] = self.curve(among, (lambda a, b: label[a] == label[b]) if "group" in rows else lambda a, b: numpy.isin(a * n + b, found))
        return figures | in_groups(label, components(n, a, b), among)


def share_of(mask):
    return float(mask.mean()) if len(mask) else None


def in_groups(label, exact, among):
    """How much of what is in one group is in one component of the exact pairs."""
    label, exact = label[among], exact[among]
    size = numpy.bincount(label)
    cells, inverse, count = numpy.unique(label * (exact.max() + 1) + exact, return_inverse=True, return_counts=True)
    alone = (count[inverse] == 1) & (size[label] > 1)
    pairs = lambda sizes: float((sizes.astype(float) * (sizes - 1) / 2).sum())
    return {"precision in groups": pairs(count) / pairs(size) if pairs(size) else None, "wrongly grouped": int(alone.sum())}
