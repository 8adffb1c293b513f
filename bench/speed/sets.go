package main

// This file measures searches by the measures of sets in a collection that posts every
// shingle, and holds some of their answers against a scan.

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/bench/lab"
)

// setSearches are what setQuestions and tenNearest name. They are asked of postings = 'all',
// those of few of the default too.
var setSearches = []struct {
	name string
	few  bool
	opts []simdb.SearchOption
}{
	{"jaccard 0.8", true, []simdb.SearchOption{simdb.MinSim(0.8)}},
	{"containment(of='query') 0.8", false, []simdb.SearchOption{simdb.Using(simdb.ContainmentOfQuery), simdb.MinSim(0.8)}},
	{"containment(of='query') 0.5", false, []simdb.SearchOption{simdb.Using(simdb.ContainmentOfQuery), simdb.MinSim(0.5)}},
	{"containment(of='doc') 0.8", true, []simdb.SearchOption{simdb.Using(simdb.ContainmentOfDoc), simdb.MinSim(0.8)}},
	{"multiset 0.8", true, []simdb.SearchOption{simdb.Using(simdb.Multiset), simdb.MinSim(0.8)}},
	{"repetition 0.8", true, []simdb.SearchOption{simdb.Using(simdb.Repetition), simdb.MinSim(0.8)}},
	{"jaccard 0.3", false, []simdb.SearchOption{simdb.MinSim(0.3)}},
	{tenNearest, false, []simdb.SearchOption{simdb.MinSim(0), simdb.Limit(10)}},
}

// scannedProbes are how many answers are held against a scan.
const scannedProbes = 3

// measureSets imports the documents with postings = 'all' and by default, and asks both.
func measureSets(ctx context.Context, e *env) error {
	for _, postings := range []string{"prefix", "all"} {
		err := e.inNewStore("sets.simdb", func(db *simdb.DB, store string) error { return e.searchSets(ctx, db, store, postings) })
		if err != nil {
			return err
		}
	}
	return e.inNewStore("halves.simdb", func(db *simdb.DB, _ string) error { return e.joinHalves(ctx, db) })
}

// inNewStore calls measure with a store that is gone afterwards.
func (e *env) inNewStore(name string, measure func(db *simdb.DB, store string) error) (err error) {
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
	return measure(db, store)
}

func (e *env) searchSets(ctx context.Context, db *simdb.DB, store, postings string) error {
	if err := db.CreateCollection(ctx, "docs", simdb.Settings{}); err != nil {
		return err
	}
	with := ""
	if postings == "all" {
		with = allPostings
	}
	start := time.Now()
	if err := db.Load(ctx, batches(e.documents(0)), nothing); err != nil {
		return err
	}
	e.add(setFigure("", with, "import", "docs/s"), float64(e.n)/time.Since(start).Seconds(), "docs/s")
	if err := db.Compact(ctx); err != nil { // so that nothing is built while it is measured
		return err
	}
	disk, err := lab.DiskBytes(store)
	if err != nil {
		return err
	}
	e.add(setFigure("", with, "import", "disk"), float64(disk)/float64(e.n)/1e3, "kB/doc")
	if err := e.askSets(ctx, db, "", with, byIDs(e.ids(e.queries))); err != nil {
		return err
	}
	if with == allPostings {
		return e.joinSets(ctx, db, with)
	}
	return nil
}

// askSets times searches for the targets in a store of a corpus, "" for that which is
// generated.
func (e *env) askSets(ctx context.Context, db *simdb.DB, corpus, with string, targets []simdb.Target) error {
	for _, q := range setSearches {
		if with != allPostings && !q.few {
			continue
		}
		if err := equalsScan(ctx, db, targets[:min(scannedProbes, len(targets))], q.opts); err != nil {
			return fmt.Errorf("%s: %w", setFigure(corpus, with, q.name, "scan"), err)
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
				e.add(setFigure(corpus, with, q.name, middle), micros(at(took, 50))/1e3, "ms")
				e.add(setFigure(corpus, with, q.name, ninetyNine), micros(at(took, 99))/1e3, "ms")
			}
		}
	}
	return nil
}

// equalsScan says where a search does not find what a scan does.
func equalsScan(ctx context.Context, db *simdb.DB, targets []simdb.Target, opts []simdb.SearchOption) error {
	for _, t := range targets {
		var rows [2][]simdb.Match
		for i, opts := range [][]simdb.SearchOption{opts, append(slices.Clone(opts), simdb.Via(simdb.AccessScan))} {
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
