package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/bench/lab"
	"github.com/simdb/simdb/corpus"
	"github.com/simdb/simdb/engine"
)

// Of every ten documents one is deleted and two are replaced.
const (
	churnPeriod  = 10
	deletedPlace = 0
)

// replacedPlaces are those of an original and of a copy of one.
var replacedPlaces = []int{1, 6}

// measureChurn deletes a tenth of a copy of the store and replaces a fifth, and
// compares searches and disk before, after, and compacted. A replaced text has
// one more word, so that nearly the same documents are similar as before.
func measureChurn(ctx context.Context, e *env) (err error) {
	from, err := e.store(ctx, byWord)
	if err != nil {
		return err
	}
	store := filepath.Join(e.sizeDir(e.n), "churn.simdb")
	defer os.RemoveAll(store)
	if err := os.CopyFS(store, os.DirFS(from)); err != nil {
		return err
	}
	var kept []string
	changes := &engine.Batch{}
	var all []*engine.Batch
	for i := range e.n {
		d := corpus.At(e.seed, i)
		switch place := i % churnPeriod; {
		case place == deletedPlace:
			changes.Delete("", d.ID)
		case slices.Contains(replacedPlaces, place):
			changes.Put(engine.Document{ID: d.ID, Text: d.Text + " replaced"})
		case len(kept) < e.queries:
			kept = append(kept, d.ID)
		}
		if changes.Len() == batchDocuments || i == e.n-1 {
			all, changes = append(all, changes), &engine.Batch{}
		}
	}
	targets := byIDs(kept)
	db, err := simdb.Open(store, &simdb.Options{MustExist: true})
	if err != nil {
		return err
	}
	defer func() { err = closing(db, err) }()
	before, err := e.churned(ctx, db, store, targets, "before churn")
	if err != nil {
		return err
	}
	err = db.Load(ctx, func(yield func(*engine.Batch, error) bool) {
		for _, b := range all {
			if !yield(b, nil) {
				return
			}
		}
	}, nothing)
	if err != nil {
		return err
	}
	after, err := e.churned(ctx, db, store, targets, "after churn")
	if err != nil {
		return err
	}
	if err := db.Compact(ctx); err != nil {
		return err
	}
	compacted, err := e.churned(ctx, db, store, targets, "after churn and COMPACT")
	if err != nil {
		return err
	}
	e.add("searches after churn, of before", 100*(after/before-1), "% slower")
	e.add("searches after churn and COMPACT, of before", 100*(compacted/before-1), "% slower")
	return nil
}

// churned notes the disk and the median of searches, which it returns.
func (e *env) churned(ctx context.Context, db *simdb.DB, store string, targets []simdb.Target, when string) (float64, error) {
	var medians []float64
	for round := range e.rounds() + 1 {
		done, err := timeSearches(ctx, db, targets, simdb.MinSim(0.8))
		if err != nil {
			return 0, err
		}
		if round > 0 || e.small {
			var took []float64
			for _, s := range done {
				took = append(took, micros(s.took))
			}
			medians = append(medians, median(took))
			e.add("SIMILAR TO an id "+when+", median", median(took), "µs")
		}
	}
	bytes, err := lab.DiskBytes(store)
	if err != nil {
		return 0, err
	}
	e.add("disk "+when, float64(bytes)/1e6, "MB")
	return median(medians), nil
}
