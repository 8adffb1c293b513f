package main

// This file measures searches by the measures of sets, and holds some of their answers
// against a scan.

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

// setSearches are what is asked about sets, by the names that figures have.
var setSearches = []struct {
	name string
	opts []simdb.SearchOption
}{
	{"jaccard 0.8", []simdb.SearchOption{simdb.MinSim(0.8)}},
	{"containment(of='query') 0.8", []simdb.SearchOption{simdb.Using(api.ContainmentOfQuery), simdb.MinSim(0.8)}},
	{"containment(of='query') 0.5", []simdb.SearchOption{simdb.Using(api.ContainmentOfQuery), simdb.MinSim(0.5)}},
	{"containment(of='doc') 0.8", []simdb.SearchOption{simdb.Using(api.ContainmentOfDoc), simdb.MinSim(0.8)}},
	{"containment(of='doc') 0.5", []simdb.SearchOption{simdb.Using(api.ContainmentOfDoc), simdb.MinSim(0.5)}},
	{"multiset 0.8", []simdb.SearchOption{simdb.Using(api.Multiset), simdb.MinSim(0.8)}},
	{"repetition 0.8", []simdb.SearchOption{simdb.Using(api.Repetition), simdb.MinSim(0.8)}},
	{"tversky(beta=1/2) 0.8", []simdb.SearchOption{simdb.Using(api.Tversky, api.Weights(1, 0.5)), simdb.MinSim(0.8)}},
	{"jaccard 0.3", []simdb.SearchOption{simdb.MinSim(0.3)}},
	{tenNearest, []simdb.SearchOption{simdb.MinSim(0), simdb.Limit(10)}},
	{tenNearest + " of 0.1", []simdb.SearchOption{simdb.MinSim(0.1), simdb.Limit(10)}},
}

const tenNearest = "ten nearest"

// scannedProbes are how many answers are held against a scan.
const scannedProbes = 3

// measureSets asks the imported documents, and two collections of a half each.
func measureSets(ctx context.Context, e *env) error {
	if err := e.searchSets(ctx); err != nil {
		return err
	}
	return e.inNewStore("halves.simdb", func(db *simdb.DB) error { return e.joinHalves(ctx, db) })
}

func (e *env) searchSets(ctx context.Context) (err error) {
	db, err := e.open(ctx, byWord)
	if err != nil {
		return err
	}
	defer func() { err = closing(db, err) }()
	if err := e.askSets(ctx, db, "", byIDs(e.ids(e.queries))); err != nil {
		return err
	}
	return e.joinSets(ctx, db)
}

// inNewStore calls measure with a store that is gone afterwards.
func (e *env) inNewStore(name string, measure func(db *simdb.DB) error) (err error) {
	store := filepath.Join(e.sizeDir(e.n), name)
	if err := os.RemoveAll(store); err != nil {
		return err
	}
	defer os.RemoveAll(store)
	db, err := simdb.Open(store, nil)
	if err != nil {
		return err
	}
	defer func() { err = closing(db, err) }()
	return measure(db)
}

// askSets times searches for the targets in a store of a corpus, "" for that which is
// generated.
func (e *env) askSets(ctx context.Context, db *simdb.DB, corpus string, targets []api.Target) error {
	for _, q := range setSearches {
		if err := equalsScan(ctx, db, targets[:min(scannedProbes, len(targets))], q.opts); err != nil {
			return fmt.Errorf("%s: %w", setFigure(corpus, q.name, "scan"), err)
		}
		for round := range e.rounds() + 1 {
			done, err := timeSearches(ctx, db, targets, q.opts...)
			if err != nil {
				return err
			}
			if round > 0 || e.small {
				var took []time.Duration
				for _, s := range done {
					took = append(took, s.took)
				}
				slices.Sort(took)
				e.add(setFigure(corpus, q.name, middle), micros(at(took, 50))/1e3, "ms")
				e.add(setFigure(corpus, q.name, ninetyNine), micros(at(took, 99))/1e3, "ms")
			}
		}
	}
	return nil
}

// equalsScan says where a search does not find what a scan does.
func equalsScan(ctx context.Context, db *simdb.DB, targets []api.Target, opts []simdb.SearchOption) error {
	for _, t := range targets {
		var rows [2][]api.Match
		for i, opts := range [][]simdb.SearchOption{opts, append(slices.Clone(opts), simdb.Via(api.AccessScan))} {
			for m, err := range db.Similar(ctx, t, opts...) {
				if err != nil {
					return err
				}
				rows[i] = append(rows[i], m)
			}
		}
		if !slices.Equal(rows[0], rows[1]) {
			return fmt.Errorf("%d rows like %q, a scan finds %d others", len(rows[0]), t.ID, len(rows[1]))
		}
	}
	return nil
}
