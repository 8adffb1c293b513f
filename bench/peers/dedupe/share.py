"""The inputs: a share of a file of JSON lines, in words that every tool reads alike."""

import gzip
import hashlib
import json
import re

import numpy

K = 3
WORD = re.compile(r"\w+")
ID = re.compile(rb'^\{"id":"((?:[^"\\]|\\.)*)"')
LINE = re.compile(r":\d+$")  # a function's id ends with its line
NAME = re.compile(rb"(?:\\.)?(\w+) *\(")  # in a string of JSON


def words(text):
    """The words of a text, in letters and digits of ASCII alone: what splits texts at blanks, at all that is no
    letter, or by Unicode's rules for words finds the same. Lance drops words of 40 characters."""
    for w in WORD.findall(text.lower()):
        w = re.sub("[^a-z0-9]", "", w if w.isascii() else w.encode("punycode").decode())[:39]
        if w:
            yield w


def shingles(text):
    w = text.split()
    return {" ".join(w[i : i + K]) for i in range(len(w) - K + 1)}


def family(line):
    """The name of a file without its folders, or of a function: versions have the same one."""
    found = ID.match(line)
    id = json.loads(b'"%s"' % found[1]) if found else json.loads(line)["id"]
    if found and LINE.search(id):
        if name := NAME.search(line, found.end()):
            return name[1].decode() + "()"
    return LINE.sub("", id).rsplit("/", 1)[-1]


def rank(name, seed):
    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8, key=b"%d" % seed).digest(), "big")


def opened(name):
    return (gzip.open if name.endswith(".gz") else open)(name, "rb")


def whole_lines(file):
    at = 0
    for line in file:
        if line.endswith(b"\n"):
            yield at, line
        at += len(line)


class Share:
    """Documents numbered from 0, with their languages, numbers of shingles and ranks."""

    def __init__(self, source, n, seed, to):
        self.langs, sizes, ranks, self.bytes = [], [], [], 0
        with open(to, "w") as out:
            for doc, of in source if not isinstance(source, str) else drawn_lines(source, n, seed):
                text = " ".join(words(doc["text"]))
                size = len(shingles(text))
                if size == 0:
                    continue
                out.write(json.dumps({"id": str(len(sizes)), "text": text}) + "\n")
                self.langs.append(doc.get("lang", ""))
                sizes.append(size)
                ranks.append(of)
                self.bytes += len(text)
        self.sizes, self.ranks = numpy.array(sizes), numpy.array(ranks, "u8")
        self.file, self.n = to, len(sizes)

    def part(self, most, to):
        """A file of at most so many of the documents, whole families, and which ones these are."""
        if most >= self.n:
            return self.file, numpy.ones(self.n, bool)
        taken = self.ranks < numpy.sort(self.ranks)[most]
        with open(self.file) as lines, open(to, "w") as out:
            out.writelines(line for line, take in zip(lines, taken) if take)
        return to, taken


def drawn_lines(name, n, seed):
    """Yields some n documents and their ranks: all of the families of least rank."""
    with opened(name) as file:
        at, ranks = zip(*((at, rank(family(line), seed)) for at, line in whole_lines(file)))
    at, ranks = numpy.array(at), numpy.array(ranks, "u8")
    taken = ranks <= numpy.sort(ranks)[min(n, len(ranks)) - 1]
    with opened(name) as file:
        for i in numpy.flatnonzero(taken):
            file.seek(at[i])
            yield json.loads(file.readline()), ranks[i]
