package main

// This file measures the command on linuxdoc, as whole processes: that is what a
// user waits for.

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/bench/disk"
	"github.com/simdb/simdb/lab/corpora"
)

// linuxdocPairs is how many pairs of linuxdoc resemble each other at 0.8.
const linuxdocPairs = 7436

// measureLinuxdoc times whole processes of the command on a real corpus: its
// import, and all its pairs.
func measureLinuxdoc(ctx context.Context, e *env) error {
	if e.corpora == "" || e.command == "" {
		return nil
	}
	docs, err := e.realTexts("linuxdoc")
	if err != nil {
		return err
	}
	text := 0
	for _, d := range docs {
		text += len(d.Text)
	}
	e.n = len(docs)
	store := filepath.Join(e.dir, "linuxdoc.simdb")
	defer os.RemoveAll(store)
	for range 5 {
		if err := os.RemoveAll(store); err != nil {
			return err
		}
		took, state, _, err := e.process(ctx, "import", "--quiet", store, filepath.Join(e.corpora, "linuxdoc.jsonl.gz"))
		if err != nil {
			return err
		}
		e.add("linuxdoc, import, whole process", took.Seconds(), "s")
		e.add("linuxdoc, import, whole process, text", float64(text)/1e6/took.Seconds(), "MB/s")
		if peak, ok := peakMemory(state); ok {
			e.add("linuxdoc, import, peak memory", float64(peak)/1e6, "MB")
		}
		took, state, out, err := e.process(ctx, "query", "--format", "csv", store, "SIMILAR PAIRS WHERE sim >= 0.8")
		if err != nil {
			return err
		}
		if rows := bytes.Count(out, []byte("\n")) - 1; rows != linuxdocPairs {
			return fmt.Errorf("linuxdoc has %d pairs at 0.8, not %d", rows, linuxdocPairs)
		}
		e.add("linuxdoc, pairs at 0.8, whole process", took.Seconds(), "s")
		if peak, ok := peakMemory(state); ok {
			e.add("linuxdoc, pairs at 0.8, peak memory", float64(peak)/1e6, "MB")
		}
	}
	size, err := disk.Bytes(store)
	if err != nil {
		return err
	}
	e.add("linuxdoc, disk per byte of text", float64(size)/float64(text), "")
	return e.searchLinuxdoc(ctx, store, docs)
}

// searchLinuxdoc times warm searches by random ids, each run once before, and those by the
// measures of sets.
func (e *env) searchLinuxdoc(ctx context.Context, store string, docs []corpora.Doc) (err error) {
	db, err := simdb.Open(store, &simdb.Options{MustExist: true})
	if err != nil {
		return err
	}
	defer func() { err = closing(db, err) }()
	targets := e.someOf(docs, 1000)
	for round := range 6 {
		done, err := timeSearches(ctx, db, targets, simdb.MinSim(0.8))
		if err != nil {
			return err
		}
		var took []time.Duration
		for _, s := range done {
			took = append(took, s.took)
		}
		if round > 0 {
			slices.Sort(took)
			e.add("linuxdoc, SIMILAR TO an id, median", micros(at(took, 50)), "µs")
			e.add("linuxdoc, SIMILAR TO an id, 99 of 100", micros(at(took, 99)), "µs")
		}
	}
	return e.askSets(ctx, db, "linuxdoc", targets[:300])
}

// someOf draws n documents, by the seed.
func (e *env) someOf(docs []corpora.Doc, n int) []api.Target {
	random := rand.New(rand.NewPCG(e.seed, 0))
	var ids []string
	for range n {
		ids = append(ids, docs[random.IntN(len(docs))].ID)
	}
	return byIDs(ids)
}

// process runs the command.
func (e *env) process(ctx context.Context, args ...string) (time.Duration, *os.ProcessState, []byte, error) {
	var out bytes.Buffer
	c := exec.CommandContext(ctx, e.command, args...)
	c.Stdout, c.Stderr = &out, os.Stderr
	start := time.Now()
	if err := c.Run(); err != nil {
		return 0, nil, nil, fmt.Errorf("simdb %s: %w", args[0], err)
	}
	return time.Since(start), c.ProcessState, out.Bytes(), nil
}
