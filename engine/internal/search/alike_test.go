// The same documents in stores of other options, that came in another order and by other
// ways: the answers are the same.

package search_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/engine/internal/testmodel"
	"github.com/simdb/simdb/internal/torture"
)

// TestAnswersAlike fills two stores with the same documents. One is as plain as can be, the
// other has drawn options; its documents come in another order, some after an older text of
// theirs, some after they were deleted, and in between it is compacted, closed and opened
// (durability Q2).
func TestAnswersAlike(t *testing.T) {
	t.Parallel()
	tries := torture.Tries(t, "Q2")
	queries := 0
	for seed := range uint64(tries) {
		rng := rand.New(rand.NewPCG(seed, 71))
		g := &testmodel.Texts{Rng: rng, Prose: true}
		texts := map[string]string{}
		for i := range 20 + rng.IntN(60) {
			texts[fmt.Sprintf("d%02d", i)] = g.Next()
		}
		unit, k := []string{"", "char"}[rng.IntN(2)], 1+rng.IntN(4)
		plain := filledPlain(t, texts, api.Settings{Unit: unit, K: k})
		drawn := filledDrawn(t, rng, texts, g, api.Settings{Unit: unit, K: k})
		queries += sameOfBoth(t, rng, plain, drawn)
		for _, db := range []*engine.DB{plain, drawn} {
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	t.Logf("%d queries", queries)
	torture.Report(t, "Q2", tries)
}

func filledPlain(t *testing.T, texts map[string]string, s api.Settings) *engine.DB {
	t.Helper()
	ctx := context.Background()
	db := enginetest.Open(t, enginetest.WithHooks(&engine.Options{}, vfs.NewMem(), 0))
	if err := db.CreateCollection(ctx, api.DefaultCollection, s); err != nil {
		t.Fatal(err)
	}
	var b engine.Batch
	for id, text := range texts {
		b.Put(api.Document{ID: id, Text: text})
	}
	if _, err := db.Commit(ctx, &b); err != nil {
		t.Fatal(err)
	}
	return db
}

func filledDrawn(t *testing.T, rng *rand.Rand, texts map[string]string, g *testmodel.Texts, s api.Settings) *engine.DB {
	t.Helper()
	ctx := context.Background()
	o := &engine.Options{SegmentSets: 4 << rng.IntN(5)}
	enginetest.WithHooks(o, vfs.NewMem(), 32<<10<<rng.IntN(3))
	o.MemoryBytes, o.CacheBytes = 1<<(18+rng.IntN(6)), 1<<(10+rng.IntN(12))
	if rng.IntN(3) == 0 {
		enginetest.Sleepy(o)
	}
	s.Versions, s.Entities, s.Words, s.Patricia = rng.IntN(3) == 0, rng.IntN(3) == 0, rng.IntN(3) == 0, rng.IntN(3) == 0
	s.Index = []string{"", "year"}[rng.IntN(2)]
	db := enginetest.Open(t, o)
	if err := db.CreateCollection(ctx, api.DefaultCollection, s); err != nil {
		t.Fatal(err)
	}
	var first, last []func(b *engine.Batch)
	for id, text := range texts {
		var before func(b *engine.Batch)
		switch rng.IntN(4) {
		case 0:
			old := g.Next()
			before = func(b *engine.Batch) { b.Put(api.Document{ID: id, Text: old}) }
		case 1:
			old := g.Next()
			before = func(b *engine.Batch) { b.Put(api.Document{ID: id, Text: old}); b.Delete("", id) }
		}
		if before != nil {
			first = append(first, before)
		}
		last = append(last, func(b *engine.Batch) { b.Put(api.Document{ID: id, Text: text}) })
	}
	return applyAll(t, rng, db, o, append(first, last...))
}

// applyAll does operations in batches of any size.
func applyAll(t *testing.T, rng *rand.Rand, db *engine.DB, o *engine.Options, ops []func(*engine.Batch)) *engine.DB {
	t.Helper()
	ctx := context.Background()
	for len(ops) > 0 {
		n := min(len(ops), 1+rng.IntN(12))
		b := &engine.Batch{}
		for _, op := range ops[:n] {
			op(b)
		}
		ops = ops[n:]
		var err error
		if rng.IntN(2) == 0 {
			_, err = db.Commit(ctx, b)
		} else {
			err = db.Load(ctx, enginetest.Stream([]*engine.Batch{b}), nil)
		}
		switch {
		case err != nil:
		case rng.IntN(5) == 0:
			err = db.Compact(ctx)
		case rng.IntN(5) == 0:
			if err = db.Close(); err == nil {
				db = enginetest.Open(t, o)
			}
		case rng.IntN(5) == 0:
			enginetest.Settled(t, db)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return db
}

// sameOfBoth asks two stores the same by every measure, and returns how often.
func sameOfBoth(t *testing.T, rng *rand.Rand, plain, drawn *engine.DB) (queries int) {
	t.Helper()
	a, err := plain.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	b, err := drawn.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	same := func(what string, q engine.Search, ask func(s *engine.Snapshot) []string) {
		t.Helper()
		queries++
		if got, want := ask(b), ask(a); !slices.Equal(got, want) {
			t.Errorf("%s by %v from %v: the other store answers\n%s", what, q.Method(), q.Min, testmodel.Difference(got, want))
		}
	}
	for _, m := range enginetest.Methods(testmodel.KeepsAll) {
		if m.Measure == api.SI { // answered only of what is stored for it
			continue
		}
		for _, min := range []api.Threshold{api.Ratio(9, 10), api.Ratio(1, 2), api.Ratio(1, 5)}[rng.IntN(3):] {
			q := engine.Search{Measure: m.Measure, Args: m.Args, Min: min}
			if m.Measure.OfBags() { // pairs of texts want what is stored for their measure
				same("pairs", q, func(s *engine.Snapshot) []string { return enginetest.PairRows(t, s, q) })
			}
			if m.Measure.OfBags() && m.Symmetric() {
				same("groups", q, func(s *engine.Snapshot) []string { return enginetest.ClusterRows(t, s, q) })
			}
			id := fmt.Sprintf("d%02d", rng.IntN(20))
			same("similar to "+id, q, func(s *engine.Snapshot) []string { return enginetest.SimilarRows(t, s, api.ByID(id), q) })
			q.Limit = 5
			same("nearest to "+id, q, func(s *engine.Snapshot) []string { return enginetest.SimilarRows(t, s, api.ByID(id), q) })
		}
	}
	return queries
}
