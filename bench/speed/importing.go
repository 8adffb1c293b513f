package main

// This file measures imports: by the command, and through the Go API.

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/bench/disk"
)

// measureImport imports the corpus with the command, which makes the store that
// other measurements use.
func measureImport(ctx context.Context, e *env) error {
	// what generating takes, which a pipe's import includes, and the text there is
	sample := min(e.n, 100_000)
	start, text := time.Now(), 0.0
	for d := range documents(e.seed, sample, 0) {
		text += float64(len(d.Text)) * float64(e.n) / float64(sample)
	}
	e.add("generating the corpus", float64(sample)/time.Since(start).Seconds(), "docs/s")
	if e.n == pipedToo {
		if err := e.measurePiped(ctx); err != nil {
			return err
		}
	}
	store := filepath.Join(e.sizeDir(e.n), byWord.name+".simdb")
	for range e.rounds() {
		if err := os.RemoveAll(store); err != nil {
			return err
		}
		if e.command != "" && e.n <= 1_000_000 {
			if _, err := e.corpusFile(); err != nil {
				return err
			}
		}
		start := time.Now()
		done, err := e.importInto(ctx, store, byWord)
		if err != nil {
			return err
		}
		if e.command == "" {
			done.took = time.Since(start)
		}
		e.add("import, JSONL, whole process", float64(e.n)/done.took.Seconds(), "docs/s")
		e.add("import, JSONL, whole process, text", text/1e6/done.took.Seconds(), "MB/s")
		if done.peak > 0 {
			e.add("import, peak memory", float64(done.peak)/1e6, "MB")
		}
		if e.n > million {
			e.add(pipedFigure, float64(e.n)/done.took.Seconds(), "docs/s")
		}
		if done.written > 0 {
			bytes, err := disk.Bytes(store)
			if err != nil {
				return err
			}
			e.add("import, written per byte of the store", float64(done.written)/float64(bytes), "")
		}
	}
	bytes, err := disk.Bytes(store)
	if err != nil {
		return err
	}
	e.add("disk", float64(bytes)/1e3/float64(e.n), "kB/doc")
	e.add("text", text/1e3/float64(e.n), "kB/doc")
	return nil
}

// pipedToo is the size that is imported from a pipe too, beside its file, so that the
// rate of more than a million documents has one to be compared with.
const pipedToo = 100_000

const pipedFigure = "import, JSONL from a pipe as it is generated"

func (e *env) measurePiped(ctx context.Context) error {
	store := filepath.Join(e.sizeDir(e.n), "piped.simdb")
	for range e.rounds() {
		done, err := e.importFrom(ctx, store, byWord, true)
		if err != nil {
			return err
		}
		e.add(pipedFigure, float64(e.n)/done.took.Seconds(), "docs/s")
		if err := os.RemoveAll(store); err != nil {
			return err
		}
	}
	return nil
}

// measureLoad imports through the Go API texts that are in memory.
func measureLoad(ctx context.Context, e *env) error {
	docs := slices.Collect(e.documents(0))
	text := 0
	for _, d := range docs {
		text += len(d.Text)
	}
	store := filepath.Join(e.sizeDir(e.n), "load.simdb")
	for range min(e.rounds(), 3) {
		took, err := timeLoad(ctx, store, docs)
		if err != nil {
			return err
		}
		e.add("import, from memory", float64(len(docs))/took.Seconds(), "docs/s")
		e.add("import, from memory, text", float64(text)/1e6/took.Seconds(), "MB/s")
	}
	return nil
}

// timeLoad loads documents into a new store, up to the moment when all are
// durable and indexed, and removes it.
func timeLoad(ctx context.Context, store string, docs []api.Document) (took time.Duration, err error) {
	defer os.RemoveAll(store)
	db, err := simdb.Open(store, nil)
	if err != nil {
		return 0, err
	}
	defer func() { err = closing(db, err) }()
	start := time.Now()
	err = db.Load(ctx, batches(slices.Values(docs)), nothing)
	return time.Since(start), err
}
