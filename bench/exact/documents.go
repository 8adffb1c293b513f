package main

// This file reads a corpus, or a sample of it in which versions of one file stay
// together.

import (
	"cmp"
	"hash/fnv"
	"io"
	"path"
	"slices"

	"github.com/simdb/simdb/lab/corpora"
)

type document = corpora.Doc

// read returns the documents of a JSONL file; with n > 0 only n of them, those
// whose ids' last path element hashes lowest, so that versions of one file
// under several folders are taken together.
func read(name string, n int) ([]document, error) {
	docs, err := corpora.ReadJSONL(name, 0)
	if err != nil {
		return nil, err
	}
	if n > 0 && n < len(docs) {
		slices.SortStableFunc(docs, func(a, b document) int { return cmp.Compare(sampleHash(a.ID), sampleHash(b.ID)) })
		docs = docs[:n]
	}
	return docs, nil
}

func sampleHash(id string) uint64 {
	h := fnv.New64a()
	io.WriteString(h, path.Base(id))
	return h.Sum64()
}
