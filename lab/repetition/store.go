package repetition

// This file asks simdb for the pairs that the plain program has found.

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/lab/corpora"
)

// inStore asks simdb for the same pairs, in a collection with the paper's
// intervals: by the access it chooses itself, which loses nothing, and through
// the interval buckets.
func (e *experiment) inStore(ctx context.Context, c corpus, texts []corpora.Doc, exact matches) (err error) {
	e.options.Progressf("%v: in simdb", c)
	dir, err := os.MkdirTemp("", "simdb-repetition-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	db, err := openStore(ctx, filepath.Join(dir, "store"), e.j, texts)
	if err != nil {
		return err
	}
	defer db.Close()
	s, err := db.Snapshot()
	if err != nil {
		return err
	}
	defer s.Close()
	for i, m := range measures {
		if c.n == 0 && m != api.Jaccard {
			continue // allPairs has the answer
		}
		for _, access := range []api.Access{api.AccessAuto, api.AccessInterval} {
			begin := time.Now()
			plan, rows, err := storedPairs(ctx, s, engine.Search{Measure: m, Min: e.j, Access: access})
			if err != nil {
				return err
			}
			e.stored = append(e.stored, []string{
				c.String(), m.String(), plan.Access, number(plan.Candidates), number(rows),
				number(len(exact[i]) - rows), seconds(time.Since(begin)),
			})
		}
	}
	return nil
}

// storedPairs counts the rows of PAIRS.
func storedPairs(ctx context.Context, s *engine.Snapshot, q engine.Search) (*api.Plan, int, error) {
	result, err := s.Pairs(ctx, q)
	if err != nil {
		return nil, 0, err
	}
	rows := 0
	for _, err := range result.All {
		if err != nil {
			return nil, 0, err
		}
		rows++
	}
	return result.Plan, rows, nil
}

// openStore makes a store with the texts, read as the paper reads them.
func openStore(ctx context.Context, dir string, j api.Threshold, texts []corpora.Doc) (*engine.DB, error) {
	db, err := engine.Open(dir, nil)
	if err != nil {
		return nil, err
	}
	err = db.CreateCollection(ctx, api.DefaultCollection, api.Settings{Unit: "char", K: k, Intervals: "paper"})
	if err == nil {
		err = db.Load(ctx, batches(texts), func(*engine.Batch, api.BatchStats) {})
	}
	if err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}

func batches(texts []corpora.Doc) func(yield func(*engine.Batch, error) bool) {
	return func(yield func(*engine.Batch, error) bool) {
		for some := range slices.Chunk(texts, 500) {
			b := new(engine.Batch)
			for _, t := range some {
				b.Put(api.Document{ID: t.ID, Text: t.Text})
			}
			if !yield(b, nil) {
				return
			}
		}
	}
}
