package main

// This file fills the store that is verified and asks it what brute force was
// asked.

import (
	"context"
	"fmt"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
)

const collection = "exact"

// batchSize is the number of operations in a batch.
const batchSize = 500

// create opens a new store with the documents in it.
func create(ctx context.Context, dir string, a analysis, docs []document) (*engine.DB, error) {
	return createWith(ctx, dir, api.Settings{Unit: a.unit, K: a.k}, docs)
}

func createWith(ctx context.Context, dir string, settings api.Settings, docs []document) (*engine.DB, error) {
	db, err := engine.Open(dir, nil)
	if err != nil {
		return nil, err
	}
	if err := db.CreateCollection(ctx, collection, settings); err != nil {
		return nil, err
	}
	return db, load(ctx, db, docs, nil)
}

// load deletes and stores documents, each group in its order.
func load(ctx context.Context, db *engine.DB, put []document, remove []string) error {
	batches := func(yield func(*engine.Batch, error) bool) {
		b := new(engine.Batch)
		flush := func() bool {
			full := b
			b = new(engine.Batch)
			return yield(full, nil)
		}
		for _, id := range remove {
			if b.Delete(collection, id); b.Len() == batchSize && !flush() {
				return
			}
		}
		for _, d := range put {
			if b.Put(api.Document{Collection: collection, ID: d.ID, Text: d.Text}); b.Len() == batchSize && !flush() {
				return
			}
		}
		if b.Len() > 0 {
			flush()
		}
	}
	return db.Load(ctx, batches, func(*engine.Batch, api.BatchStats) {})
}

func (t threshold) search() engine.Search {
	return engine.Search{In: []string{collection}, Min: api.Ratio(t.num, t.den)}
}

// searchStore asks the store what brute.search computes, or the first rows of that.
func searchStore(ctx context.Context, s *engine.Snapshot, target api.Target, q question) ([]row, *api.Plan, error) {
	search := q.search()
	search.Measure = [...]api.Measure{api.Jaccard, api.ContainmentOfQuery, api.ContainmentOfDoc}[q.of]
	search.Limit = q.limit
	return rowsOf(s.Similar(ctx, target, search))
}

func rowsOf(result *engine.Result[api.Match], err error) ([]row, *api.Plan, error) {
	if err != nil {
		return nil, nil, err
	}
	var rows []row
	for m, err := range result.All {
		if err != nil {
			return nil, nil, err
		}
		r := row{a: m.ID, shared: m.Shared, union: m.Union, of: m.Of}
		if err := checkSim(r, m.Sim); err != nil {
			return nil, nil, err
		}
		rows = append(rows, r)
	}
	return rows, result.Plan, nil
}

// pairsOfStore asks the store what brute.pairs computes.
func pairsOfStore(ctx context.Context, s *engine.Snapshot, t threshold) ([]row, *api.Plan, error) {
	result, err := s.Pairs(ctx, t.search())
	if err != nil {
		return nil, nil, err
	}
	var rows []row
	for p, err := range result.All {
		if err != nil {
			return nil, nil, err
		}
		r := row{a: p.A, b: p.B, shared: p.Shared, union: p.Union, of: p.Union}
		if err := checkSim(r, p.Sim); err != nil {
			return nil, nil, err
		}
		rows = append(rows, r)
	}
	return rows, result.Plan, nil
}

func checkSim(r row, sim float64) error {
	if want := float64(r.shared) / float64(r.of); sim != want {
		return fmt.Errorf("%s %s: sim %v, but %d/%d is %v", r.a, r.b, sim, r.shared, r.of, want)
	}
	return nil
}
