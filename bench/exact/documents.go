package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzip"
)

type document struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// read returns the documents of a JSONL file; with n > 0 only n of them, those
// whose ids' last path element hashes lowest, so that versions of one file
// under several folders are taken together.
func read(name string, n int) ([]document, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var in io.Reader = bufio.NewReaderSize(f, 1<<20)
	if strings.HasSuffix(name, ".gz") {
		if in, err = gzip.NewReader(in); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	var docs []document
	for lines := json.NewDecoder(in); ; {
		var d document
		if err := lines.Decode(&d); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("%s: document %d: %w", name, len(docs)+1, err)
		}
		docs = append(docs, d)
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
