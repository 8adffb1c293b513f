package main

// This file measures joins by the measures of sets, each beside one by resemblance in the
// same store, and a join of two collections beside that of their union.

import (
	"context"
	"time"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

// setJoins are those of searches with the same names.
var setJoins = []string{"jaccard 0.8", "containment(of='query') 0.8", "multiset 0.8", "repetition 0.8", "tversky(beta=1/2) 0.8"}

// joinSets times the joins of a store.
func (e *env) joinSets(ctx context.Context, db *simdb.DB) error {
	for _, name := range setJoins {
		for _, q := range setSearches {
			if q.name != name {
				continue
			}
			if err := e.timePairs(ctx, db, setFigure("", name, "pairs"), q.opts...); err != nil {
				return err
			}
		}
	}
	return nil
}

// timePairs adds how many seconds all pairs take, and how many of cores.
func (e *env) timePairs(ctx context.Context, db *simdb.DB, name string, opts ...simdb.SearchOption) error {
	for range min(e.rounds(), 3) {
		before, _ := ownCPU()
		start := time.Now()
		for _, err := range db.Pairs(ctx, opts...) {
			if err != nil {
				return err
			}
		}
		e.add(name, time.Since(start).Seconds(), "s")
		if after, ok := ownCPU(); ok {
			e.add(name+ofCores, (after - before).Seconds(), "s")
		}
	}
	return nil
}

// ofCores ends the name of a figure that tells the time of cores: it is less than others of
// what else the machine does.
const ofCores = ", time of cores"

// joinHalves times the join of the one half of the documents with the other, and of all
// with each other.
func (e *env) joinHalves(ctx context.Context, db *simdb.DB) error {
	for _, name := range []string{"a", "b", "both"} {
		if err := db.CreateCollection(ctx, name, api.Settings{}); err != nil {
			return err
		}
		i := 0
		docs := func(yield func(api.Document) bool) {
			for d := range e.documents(0) {
				i++
				if name != "both" && (name == "a") != (i <= e.n/2) {
					continue
				}
				if d.Collection = name; !yield(d) {
					return
				}
			}
		}
		if err := db.Load(ctx, batches(docs), nothing); err != nil {
			return err
		}
	}
	if err := db.Compact(ctx); err != nil {
		return err
	}
	if err := e.timePairs(ctx, db, setFigure("", "jaccard 0.8", "pairs of both halves"), simdb.In("both"), simdb.MinSim(0.8)); err != nil {
		return err
	}
	return e.timePairs(ctx, db, setFigure("", "jaccard 0.8", "pairs against the other half"), simdb.In("a"), simdb.Against("b"), simdb.MinSim(0.8))
}
