package main

// This file measures a store whose documents were deleted and replaced.

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/bench/disk"
	"github.com/simdb/simdb/internal/corpus"
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
	changes := &simdb.Batch{}
	var all []*simdb.Batch
	for i := range e.n {
		d := corpus.At(e.seed, i)
		switch place := i % churnPeriod; {
		case place == deletedPlace:
			changes.Delete("", d.ID)
		case slices.Contains(replacedPlaces, place):
			changes.Put(api.Document{ID: d.ID, Text: d.Text + " replaced"})
		case len(kept) < e.queries:
			kept = append(kept, d.ID)
		}
		if changes.Len() == batchDocuments || i == e.n-1 {
			all, changes = append(all, changes), &simdb.Batch{}
		}
	}
	targets := byIDs(kept)
	db, err := simdb.Open(store, &simdb.Options{MustExist: true})
	if err != nil {
		return err
	}
	defer func() { err = closing(db, err) }()
	unchanged, err := simdb.Open(from, &simdb.Options{MustExist: true})
	if err != nil {
		return err
	}
	defer func() { err = closing(unchanged, err) }()
	if err := e.addDisk(store, "before churn"); err != nil {
		return err
	}
	err = db.Load(ctx, func(yield func(*simdb.Batch, error) bool) {
		for _, b := range all {
			if !yield(b, nil) {
				return
			}
		}
	}, nothing)
	if err != nil {
		return err
	}
	if err := e.churned(ctx, unchanged, db, store, targets, "after churn"); err != nil {
		return err
	}
	if err := db.Compact(ctx); err != nil {
		return err
	}
	return e.churned(ctx, unchanged, db, store, targets, "after churn and COMPACT")
}

// churnRounds of searches take some seconds.
const churnRounds = 25

// churned compares searches of a store with those of the one before churn, in turns, as
// the machine is not equally fast from one second to the next, and notes the disk.
func (e *env) churned(ctx context.Context, before, db *simdb.DB, store string, targets []api.Target, when string) error {
	rounds := churnRounds
	if e.small {
		rounds = 1
	}
	var medians [2][]float64
	for range rounds {
		for i, db := range []*simdb.DB{before, db} {
			done, err := timeSearches(ctx, db, targets, simdb.MinSim(0.8))
			if err != nil {
				return err
			}
			var took []float64
			for _, s := range done {
				took = append(took, micros(s.took))
			}
			medians[i] = append(medians[i], median(took))
		}
	}
	was, is := median(medians[0]), median(medians[1])
	e.add("SIMILAR TO an id "+when+", median", is, "µs")
	e.add("searches "+when+", of before", 100*(is/was-1), "% slower")
	return e.addDisk(store, when)
}

func (e *env) addDisk(store, when string) error {
	bytes, err := disk.Bytes(store)
	if err == nil {
		e.add("disk "+when, float64(bytes)/1e6, "MB")
	}
	return err
}
