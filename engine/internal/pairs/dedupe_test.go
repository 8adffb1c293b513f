// Dedupe against its definition, by brute force, and deletions while others write.

package pairs_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/engine/internal/search"
	"github.com/simdb/simdb/engine/internal/testmodel"
	"github.com/simdb/simdb/internal/torture"
)

func dedupeRows(t *testing.T, s *engine.Snapshot, q engine.Search, keep api.Keep) (rows []string) {
	t.Helper()
	r, err := s.Dedupe(context.Background(), q, keep)
	for _, d := range testmodel.Collect(t, r, err) {
		rows = append(rows, dedupeString(d.Duplicate))
	}
	return rows
}

func dedupeString(d api.Duplicate) string {
	if d.Keep {
		return fmt.Sprintf("%d %s stays", d.Cluster, d.ID)
	}
	return fmt.Sprintf("%d %s like %s %d/%d", d.Cluster, d.ID, d.Like, d.Shared, d.Of)
}

func TestDedupeEqualsDefinition(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	all := []api.Settings{{}, {Unit: "char", K: 3}, {K: 2, SI: "m3a k4", Versions: true, Entities: true, Words: true, Patricia: true}, {K: 1}}
	seeds := uint64(3)
	if torture.Short() {
		seeds = 1
	}
	for i, settings := range all {
		for seed := range seeds {
			o := enginetest.Options(vfs.NewMem())
			o.MemoryBytes = 1 << (10 + 5*seed) // edges that have no room are sorted on disk
			db := enginetest.Open(t, o)
			if err := db.CreateCollection(ctx, api.DefaultCollection, settings); err != nil {
				t.Fatal(err)
			}
			h := &enginetest.Timeline{Model: testmodel.NewModel(enginetest.AnalysisOf(settings)), Last: map[string]int{}}
			g := &testmodel.Texts{Rng: rand.New(rand.NewPCG(seed, 38)), Prose: settings.Versions}
			for round := range 2 {
				for range 30 {
					h.Step(t, db, g)
				}
				if round == 1 {
					if err := db.Close(); err != nil {
						t.Fatal(err)
					}
					db = enginetest.Open(t, o)
					enginetest.Settled(t, db)
				}
				s, err := db.Snapshot()
				if err != nil {
					t.Fatal(err)
				}
				for _, method := range enginetest.Methods(settings) {
					if !method.Symmetric() {
						if _, err := s.Dedupe(ctx, engine.Search{Measure: method.Measure, Args: method.Args}, ""); !errors.Is(err, api.ErrInvalid) {
							t.Errorf("Dedupe by %s: %v, want ErrInvalid", method.Measure, err)
						}
						continue
					}
					for k, keep := range []api.Keep{"", api.KeepNewest, api.KeepLongest, api.KeepShortestID} {
						if i == 2 && k%2 != round { // slow
							continue
						}
						for _, th := range []string{"0.9", "1/2"} {
							q := engine.Search{Measure: method.Measure, Args: method.Args}
							if q.Min, err = api.ParseThreshold(th); err != nil {
								t.Fatal(err)
							}
							want := h.Dedupe(q, keep)
							if got := dedupeRows(t, s, q, keep); !slices.Equal(got, want) {
								t.Fatalf("settings %d, seed %d: %s >= %s keeping %q:\n%s", i, seed, q.Measure.Describe(q.Args), th, keep, testmodel.Difference(got, want))
							}
						}
					}
				}
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// What changes after the search is left alone, and so is what was similar to it; all
// else goes as it was told, and then nothing is left to go.
func TestDeleteDuplicatesWhileOthersWrite(t *testing.T) {
	ctx := context.Background()
	for seed := range uint64(4) {
		db := enginetest.Open(t, enginetest.Options(vfs.NewMem()))
		h := &enginetest.Timeline{Model: testmodel.NewModel(enginetest.AnalysisOf(api.Settings{})), Last: map[string]int{}}
		rng := rand.New(rand.NewPCG(seed, 39))
		g := &testmodel.Texts{Rng: rng}
		for range 60 {
			h.Step(t, db, g)
		}
		s, err := db.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		q := engine.Search{Min: api.Ratio(1, 2)}
		r, err := s.Dedupe(ctx, q, api.KeepLongest)
		if err != nil {
			t.Fatal(err)
		}
		told := h.Dedupe(q, api.KeepLongest)
		touched := map[string]bool{}
		for range 8 { // replaced by another or by an equal text, or deleted
			id := h.IDs()[rng.IntN(len(h.Texts))]
			touched[id] = true
			var b engine.Batch
			switch rng.IntN(3) {
			case 0:
				b.Delete("", id)
				h.Delete(id)
			case 1:
				b.Put(api.Document{ID: id, Text: h.Texts[id]})
			case 2:
				h.Put(id, g.Next())
				b.Put(api.Document{ID: id, Text: h.Texts[id]})
			}
			if _, err := db.Commit(ctx, &b); err != nil {
				t.Fatal(err)
			}
		}
		var rows []string
		left := 0
		for d, err := range db.DeleteDuplicates(ctx, q, r.All) {
			if err != nil {
				t.Fatal(err)
			}
			rows = append(rows, dedupeString(d))
			changed := !d.Keep && (touched[d.ID] || touched[d.Like])
			if changed {
				left++
			} else if !d.Keep {
				h.Delete(d.ID)
			}
			if d.Changed != changed {
				t.Errorf("seed %d: %q like %q: changed is %v, want %v", seed, d.ID, d.Like, d.Changed, changed)
			}
		}
		if !slices.Equal(rows, told) || left == 0 {
			t.Errorf("seed %d: %d left, rows:\n%s", seed, left, testmodel.Difference(rows, told))
		}
		enginetest.SameDocuments(t, db, h.Texts)
		enginetest.CheckClean(t, db, "after deleting")
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if s, err = db.Snapshot(); err != nil {
			t.Fatal(err)
		}
		if r, err = s.Dedupe(ctx, q, api.KeepFirst); err != nil {
			t.Fatal(err)
		}
		for _, err := range db.DeleteDuplicates(ctx, q, r.All) {
			if err != nil {
				t.Fatal(err)
			}
		}
		after, err := db.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		if rows := enginetest.PairRows(t, after, q); len(rows) > 0 {
			t.Errorf("seed %d: similar pairs are left: %v", seed, rows)
		}
		if err := errors.Join(s.Close(), after.Close(), db.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// Dedupe refuses what it could not do justice.
func TestDedupeRefuses(t *testing.T) {
	db := enginetest.Open(t, enginetest.Options(vfs.NewMem()))
	defer db.Close()
	if err := db.CreateCollection(context.Background(), api.DefaultCollection, api.Settings{Intervals: "paper"}); err != nil {
		t.Fatal(err)
	}
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, c := range []struct {
		q    engine.Search
		keep api.Keep
	}{
		{engine.Search{Limit: 3}, ""}, {engine.Search{Since: "x"}, ""}, {engine.Search{Against: []string{"b"}}, ""}, {engine.Search{}, "oldest"},
		{engine.Search{Where: &engine.Fields{}}, ""}, {engine.Search{WhereB: &engine.Fields{}}, ""}, {engine.Search{Tests: search.Tests{Keep: func(string, api.DocInfo) (bool, error) { return true, nil }}}, ""},
		{engine.Search{Min: api.Ratio(1, 1), Access: api.AccessInterval}, ""}, {engine.Search{Measure: api.ContainmentOfDoc}, ""},
	} {
		if _, err := s.Dedupe(context.Background(), c.q, c.keep); !errors.Is(err, api.ErrInvalid) {
			t.Errorf("Dedupe(%+v, %q): %v, want ErrInvalid", c.q, c.keep, err)
		}
		c.q.PlanOnly = true
		if _, err := s.Dedupe(context.Background(), c.q, c.keep); !errors.Is(err, api.ErrInvalid) {
			t.Errorf("the plan of Dedupe(%+v, %q): %v, want ErrInvalid", c.q, c.keep, err)
		}
	}
}
