package main

// This file measures what an index of metadata gives: searches and joins whose WHERE keeps
// one of 1,000 documents, with the index and without, and imports with and without it.

import (
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

// keptOf is how many documents a WHERE keeps one of.
const keptOf = 1000

// described yields the generated corpus with metadata: year is indexed, other is not and
// says the same, owner is indexed and a string.
func described(docs iter.Seq[api.Document]) iter.Seq[api.Document] {
	return func(yield func(api.Document) bool) {
		n := 0
		for d := range docs {
			d.Meta = api.Meta{"year": n % keptOf, "other": n % keptOf, "owner": fmt.Sprintf("owner %d", n%777)}
			n++
			if !yield(d) {
				return
			}
		}
	}
}

// measureWhere imports the documents without an index and with one of two fields, and
// then asks the second store by the field that is indexed and by the one that is not.
func measureWhere(ctx context.Context, e *env) (err error) {
	var db *simdb.DB
	for _, s := range []struct {
		name  string
		index string
	}{{"import, with metadata", ""}, {"import, with metadata, two fields indexed", "year, owner"}} {
		store := filepath.Join(e.sizeDir(e.n), "where.simdb")
		if err := os.RemoveAll(store); err != nil {
			return err
		}
		defer os.RemoveAll(store)
		if db, err = simdb.Open(store, nil); err != nil {
			return err
		}
		if err := db.CreateCollection(ctx, "docs", api.Settings{Index: s.index}); err != nil {
			return closing(db, err)
		}
		start := time.Now()
		if err := db.Load(ctx, batches(described(e.documents(0))), nothing); err != nil {
			return closing(db, err)
		}
		e.add(s.name, float64(e.n)/time.Since(start).Seconds(), "docs/s")
		if s.index == "" {
			if err := db.Close(); err != nil {
				return err
			}
		}
	}
	defer func() { err = closing(db, err) }()
	if err := db.Compact(ctx); err != nil { // so that nothing is built while it is measured
		return err
	}
	probes, years, err := e.alike(ctx, db, 5)
	if err != nil {
		return err
	}
	for _, by := range []struct {
		name string
		opts []simdb.SearchOption
	}{
		{"SIMILAR TO by containment, 0.1", []simdb.SearchOption{simdb.Using(api.ContainmentOfQuery), simdb.MinSim(0.1)}},
		{"SIMILAR TO, 0.05", []simdb.SearchOption{simdb.MinSim(0.05)}},
	} {
		if err := e.compareWhere(by.name, func(where string) (rows []string, err error) {
			for i, id := range probes {
				for m, err := range db.Similar(ctx, api.ByID(id), append(by.opts, simdb.Where(where, years[i]))...) {
					if err != nil {
						return nil, err
					}
					rows = append(rows, m.ID)
				}
			}
			return rows, nil
		}, "%s = $1", len(probes)); err != nil {
			return err
		}
	}
	for _, by := range []struct {
		name, where string
	}{{"SIMILAR PAIRS, 0.8, of a", "a.%s = 7"}, {"SIMILAR PAIRS, 0.8, of a and b", "a.%s = 7 AND b.%[1]s = 7"}} {
		if err := e.compareWhere(by.name, func(where string) (rows []string, err error) {
			for m, err := range db.Pairs(ctx, simdb.MinSim(0.8), simdb.Where(where)) {
				if err != nil {
					return nil, err
				}
				rows = append(rows, m.A+" "+m.B)
			}
			return rows, nil
		}, by.where, 1); err != nil {
			return err
		}
	}
	return nil
}

// alike returns ids of documents that have a similar one, and the year of that, so that
// the WHERE of a search keeps some of its rows.
func (e *env) alike(ctx context.Context, db *simdb.DB, count int) (ids []string, years []any, err error) {
	for _, id := range e.ids(20 * count) {
		for m, err := range db.Similar(ctx, api.ByID(id), simdb.MinSim(0.6), simdb.Limit(1), simdb.WithMeta()) {
			if err != nil {
				return nil, nil, err
			}
			ids, years = append(ids, id), append(years, m.Meta()["year"])
		}
		if len(ids) == count {
			break
		}
	}
	return ids, years, nil
}

// compareWhere times answers by the field without an index and by that with one, which
// must be the same, after one of each that does not count.
func (e *env) compareWhere(name string, answer func(where string) ([]string, error), where string, calls int) error {
	for _, counts := range []bool{false, true} {
		var rows [2][]string
		var took [2]time.Duration
		for i, field := range []string{"other", "year"} {
			start := time.Now()
			var err error
			if rows[i], err = answer(fmt.Sprintf(where, field)); err != nil {
				return err
			}
			took[i] = time.Since(start) / time.Duration(calls)
		}
		if !slices.Equal(rows[0], rows[1]) {
			return fmt.Errorf("%s: %d rows with the index, %d without", name, len(rows[1]), len(rows[0]))
		}
		if counts || e.small {
			e.add(name+", WHERE keeps 1 of 1,000, no index", micros(took[0])/1e3, "ms", len(rows[0]), " rows")
			e.add(name+", WHERE keeps 1 of 1,000, index", micros(took[1])/1e3, "ms")
		}
	}
	return nil
}
