package main

// This file measures loads that leave near duplicates out.

import (
	"context"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

// measureUnless loads the corpus plainly and with PutUnlessSimilar, in turn, from memory.
func measureUnless(ctx context.Context, e *env) error {
	docs := slices.Collect(e.documents(0))
	store := filepath.Join(e.sizeDir(e.n), "unless.simdb")
	for range min(e.rounds(), 3) {
		before, _ := ownCPU()
		plain, err := timeLoad(ctx, store, docs)
		if err != nil {
			return err
		}
		between, _ := ownCPU()
		took, dropped, err := timeUnless(ctx, store, docs)
		if err != nil {
			return err
		}
		rate := float64(len(docs)) / took.Seconds()
		e.add("import, unless similar, from memory", rate, "docs/s", dropped, " of ", len(docs), " left out")
		e.add("import, unless similar, to a plain one in turn", plain.Seconds()/took.Seconds(), "×")
		if after, ok := ownCPU(); ok { // tells more where others use the machine
			e.add("import, plain, time of cores", float64((between-before).Microseconds())/float64(len(docs)), "µs/doc")
			e.add("import, unless similar, time of cores", float64((after-between).Microseconds())/float64(len(docs)), "µs/doc")
		}
	}
	return nil
}

func timeUnless(ctx context.Context, store string, docs []api.Document) (took time.Duration, dropped int, err error) {
	defer os.RemoveAll(store)
	db, err := simdb.Open(store, nil)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = closing(db, err) }()
	start := time.Now()
	err = db.Load(ctx, unlessSimilar(docs), func(_ *simdb.Batch, s api.BatchStats) { dropped += s.Dropped })
	return time.Since(start), dropped, err
}

// unlessSimilar puts documents into batches as batches does, each on a condition.
func unlessSimilar(docs []api.Document) iter.Seq2[*simdb.Batch, error] {
	return func(yield func(*simdb.Batch, error) bool) {
		for part := range slices.Chunk(docs, batchDocuments) {
			b := &simdb.Batch{}
			for _, d := range part {
				b.PutUnlessSimilar(d, simdb.Min(api.Ratio(4, 5)))
			}
			if !yield(b, nil) {
				return
			}
		}
	}
}
