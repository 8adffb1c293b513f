// Calls of a store, each with an answer or an error.

package enginetest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
)

// FaultyCall is one call, or the loop over its rows. Do returns the answer as text.
type FaultyCall struct {
	Name string
	Do   func(ctx context.Context, db *engine.DB) (string, error)
}

// RowsOf returns all rows of a result as text, or the first error.
func RowsOf[T any](r *engine.Result[T], err error) (string, error) {
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for row, err := range r.All {
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "%v\n", row)
	}
	return b.String(), nil
}

// ofSnapshot turns a call of a snapshot into a call of the store.
func ofSnapshot(do func(ctx context.Context, s *engine.Snapshot) (string, error)) func(context.Context, *engine.DB) (string, error) {
	return func(ctx context.Context, db *engine.DB) (string, error) {
		s, err := db.Snapshot()
		if err != nil {
			return "", err
		}
		defer s.Close()
		return do(ctx, s)
	}
}

// ReadingCalls returns calls that search a store of FillTexts, by each measure, and other reads.
func ReadingCalls(settings api.Settings) (calls []FaultyCall) {
	add := func(name string, do func(ctx context.Context, s *engine.Snapshot) (string, error)) {
		calls = append(calls, FaultyCall{name, ofSnapshot(do)})
	}
	for _, m := range Methods(settings) {
		q := engine.Search{Measure: m.Measure, Args: m.Args, Min: api.Ratio(3, 5)}
		add(fmt.Sprintf("similar by %v", m), func(ctx context.Context, s *engine.Snapshot) (string, error) {
			return RowsOf(s.Similar(ctx, api.ByID("d7"), q))
		})
		add(fmt.Sprintf("nearest by %v", m), func(ctx context.Context, s *engine.Snapshot) (string, error) {
			return RowsOf(s.Similar(ctx, api.ByID("d7"), engine.Search{Measure: m.Measure, Args: m.Args, Limit: 3}))
		})
		add(fmt.Sprintf("pairs by %v", m), func(ctx context.Context, s *engine.Snapshot) (string, error) { return RowsOf(s.Pairs(ctx, q)) })
	}
	q := engine.Search{Min: api.Ratio(4, 5)}
	add("clusters", func(ctx context.Context, s *engine.Snapshot) (string, error) { return RowsOf(s.Clusters(ctx, q)) })
	add("dedupe", func(ctx context.Context, s *engine.Snapshot) (string, error) {
		return RowsOf(s.Dedupe(ctx, q, api.KeepFirst))
	})
	add("nearest of each", func(ctx context.Context, s *engine.Snapshot) (string, error) {
		return RowsOf(s.Pairs(ctx, engine.Search{Nearest: 1, Min: api.Ratio(1, 2)}))
	})
	add("documents", func(ctx context.Context, s *engine.Snapshot) (out string, err error) {
		for d, err := range s.Documents(ctx, api.DefaultCollection) {
			if err != nil {
				return "", err
			}
			out += d.ID + d.Text + "\n"
		}
		return out, nil
	})
	add("infos", func(ctx context.Context, s *engine.Snapshot) (out string, err error) {
		for d, err := range s.Infos(ctx, api.DefaultCollection) {
			if err != nil {
				return "", err
			}
			out += fmt.Sprintf("%v\n", d)
		}
		return out, nil
	})
	add("compare", func(ctx context.Context, s *engine.Snapshot) (string, error) {
		c, err := s.CompareBy(ctx, api.ByID("d7"), api.ByID("d8"), nil, Methods(settings), api.Ignoring{})
		return fmt.Sprint(c), err
	})
	add("passages", func(ctx context.Context, s *engine.Snapshot) (string, error) {
		p, err := s.Passages(ctx, api.ByID("d7"), api.ByID("d8"), nil, api.Args{}, api.Ignoring{})
		return fmt.Sprint(p), err
	})
	return append(calls, FaultyCall{"note", func(_ context.Context, db *engine.DB) (string, error) {
		b, err := db.Note("none")
		return string(b), err
	}}, FaultyCall{"is new", func(ctx context.Context, db *engine.DB) (string, error) {
		isNew, m, err := db.IsNew(ctx, api.Document{ID: "x", Text: "entirely other words than those"}, engine.Search{Min: api.Ratio(1, 2)}, nil)
		return fmt.Sprint(isNew, m), err
	}}, FaultyCall{"check", func(ctx context.Context, db *engine.DB) (string, error) {
		r, err := db.Check(ctx, nil)
		if err != nil {
			return "", err
		}
		if r.Found > 0 {
			err = fmt.Errorf("%w: %v", api.ErrCorrupt, r)
		}
		return "clean", err
	}})
}

// WritingCalls returns calls that change the store without changing the answers of ReadingCalls.
func WritingCalls(copies string) []FaultyCall {
	ok := func(err error) (string, error) { return "ok", err }
	return []FaultyCall{
		{"backup", func(ctx context.Context, db *engine.DB) (string, error) { return ok(db.Checkpoint(ctx, copies+".a")) }},
		{"linked backup", func(ctx context.Context, db *engine.DB) (string, error) {
			return ok(db.LinkedCheckpoint(ctx, copies+".b"))
		}},
		{"create", func(ctx context.Context, db *engine.DB) (string, error) {
			return ok(db.CreateCollection(ctx, "other", api.Settings{}))
		}},
		{"put", func(ctx context.Context, db *engine.DB) (string, error) {
			return ok(db.Put(ctx, api.Document{Collection: "more", ID: "x", Text: "some more words"}))
		}},
		{"load", func(ctx context.Context, db *engine.DB) (string, error) {
			var b engine.Batch
			b.Put(api.Document{Collection: "more", ID: "y", Text: "some more words again"})
			return ok(db.Load(ctx, Stream([]*engine.Batch{&b}), nil))
		}},
		{"put new", func(ctx context.Context, db *engine.DB) (string, error) {
			return ok(db.PutNew(ctx, api.Document{Collection: "more", ID: fmt.Sprint(rand.Uint64()), Text: "some"}))
		}},
		{"delete", func(ctx context.Context, db *engine.DB) (string, error) { return ok(db.Delete(ctx, "more", "x")) }},
		{"compact", func(ctx context.Context, db *engine.DB) (string, error) { return ok(db.Compact(ctx)) }},
		{"metrics", func(_ context.Context, db *engine.DB) (string, error) { db.Metrics(); return "ok", nil }},
	}
}
