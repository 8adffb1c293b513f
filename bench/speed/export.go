package main

// This file writes the inputs of the peers. All of them and simdb get the same.

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"github.com/simdb/simdb/internal/corpus"
	"github.com/simdb/simdb/internal/sketch"
)

// exportedQueries is how many documents the peers search by.
const exportedQueries = 1000

// fingerprintQueries is the same for fingerprints: a multiple of the eight that
// one scan answers.
const fingerprintQueries = 200

// export writes what the peers get: the texts, and what simdb makes of them, so
// that all answer the same question. Numbers are little-endian.
//
//	texts.jsonl       a line for each document: id and text
//	sets.bin          of each document: u32 count, then so many u64 shingle hashes, ascending
//	fingerprints.bin  of each document: u64 SimHash, 0 for one without shingles
//	queries.bin       u32 numbers of the documents to search by
func export(dir string, seed uint64, n int) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	files := map[string]*bufio.Writer{}
	var closers []io.Closer
	for _, name := range []string{"texts.jsonl", "sets.bin", "fingerprints.bin", "queries.bin"} {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		defer f.Close()
		files[name], closers = bufio.NewWriterSize(f, 1<<20), append(closers, f)
	}
	lines := json.NewEncoder(files["texts.jsonl"])
	for i := range n {
		d := corpus.At(seed, i)
		set := word3.Bag(d.Text).Set
		if err := lines.Encode(struct {
			ID   string `json:"id"`
			Text string `json:"text"`
		}{d.ID, d.Text}); err != nil {
			return err
		}
		packed := binary.LittleEndian.AppendUint32(nil, uint32(len(set)))
		for _, hash := range set {
			packed = binary.LittleEndian.AppendUint64(packed, hash)
		}
		var fingerprint uint64
		if len(set) > 0 {
			fingerprint = sketch.SimHash(set)
		}
		files["sets.bin"].Write(packed) // a failure shows in Flush
		files["fingerprints.bin"].Write(binary.LittleEndian.AppendUint64(nil, fingerprint))
	}
	random := rand.New(rand.NewPCG(seed, 4))
	queries := random.Perm(n)[:min(n, exportedQueries)]
	slices.Sort(queries)
	for _, q := range queries {
		files["queries.bin"].Write(binary.LittleEndian.AppendUint32(nil, uint32(q)))
	}
	for name, w := range files {
		if err := w.Flush(); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	var failed error
	for _, c := range closers {
		failed = errors.Join(failed, c.Close())
	}
	return failed
}

// exportFingerprints writes fingerprints.bin and queries.bin alone, of synthetic
// fingerprints.
func exportFingerprints(dir string, seed uint64, n int) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	packed := make([]byte, 0, 8*n)
	for _, h := range fingerprints(seed, n) {
		packed = binary.LittleEndian.AppendUint64(packed, h)
	}
	if err := os.WriteFile(filepath.Join(dir, "fingerprints.bin"), packed, 0o644); err != nil {
		return err
	}
	packed = packed[:0]
	random := rand.New(rand.NewPCG(seed, 7))
	for range min(n, fingerprintQueries) {
		packed = binary.LittleEndian.AppendUint32(packed, random.Uint32N(uint32(n)))
	}
	return os.WriteFile(filepath.Join(dir, "queries.bin"), packed, 0o644)
}
