// The nearest of two collections, with ties, equal texts and much repeated ones, against
// brute force.

package search_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/engine/internal/testmodel"
	"github.com/simdb/simdb/internal/torture"
)

func TestNearestOfTwoCollections(t *testing.T) {
	seeds := uint64(6)
	if torture.Short() {
		seeds = 2
	}
	for seed := range seeds {
		settings := api.Settings{K: 1 + int(seed)%2, Unit: []string{"word", "char"}[seed/2%2]}
		whole, s := nearestStore(t, seed, settings)
		rng := rand.New(rand.NewPCG(seed, 2))
		ids := whole.IDs()
		found, plans := 0, map[string]bool{}
		for _, m := range enginetest.Methods(api.Settings{}) {
			for range 12 {
				q := engine.Search{Measure: m.Measure, Args: m.Args, In: []string{"left", "right"}, Limit: 1 + rng.IntN(12)}
				id := ids[rng.IntN(len(ids))]
				want := whole.Similar(q, whole.Texts[id], id)
				if len(want) > q.Limit {
					want = want[:q.Limit]
				}
				if got := enginetest.SimilarRows(t, s, api.ByID(id), q); !slices.Equal(got, want) {
					t.Fatalf("seed %d: the %d nearest to %s by %v:\n%s", seed, q.Limit, id, m, testmodel.Difference(got, want))
				}
				found += len(want)
				r, err := s.Similar(context.Background(), api.ByID(id), q)
				testmodel.Collect(t, r, err)
				plans[r.Plan.Access] = true
			}
		}
		if found == 0 || len(plans) != 1 || !plans[string(api.AccessNearest)] {
			t.Errorf("seed %d: %d rows by %v", seed, found, plans)
		}
	}
}

// nearestStore puts texts into two collections. Some
// texts are there many times, some repeat few shingles many times.
func nearestStore(t *testing.T, seed uint64, settings api.Settings) (*testmodel.Model, *engine.Snapshot) {
	ctx := context.Background()
	o := enginetest.Options(vfs.NewMem())
	if seed%3 == 2 {
		o.SegmentSets = 1 << 20
	}
	db := enginetest.Open(t, o)
	t.Cleanup(func() { db.Close() })
	rng := rand.New(rand.NewPCG(seed, 1))
	g := &testmodel.Texts{Rng: rng}
	whole := testmodel.NewModel(enginetest.AnalysisOf(settings))
	for _, name := range []string{"left", "right"} {
		if err := db.CreateCollection(ctx, name, settings); err != nil {
			t.Fatal(err)
		}
	}
	texts := []string{"a", strings.Repeat("a ", 40), strings.Repeat("a b ", 30), strings.Repeat("w1 ", 100)}
	for i := range 120 {
		text := g.Next()
		if rng.IntN(6) == 0 {
			text = texts[rng.IntN(len(texts))] + text[:rng.IntN(len(text)/4+1)]
		}
		c, id := []string{"left", "right"}[rng.IntN(2)], fmt.Sprintf("d%03d", i)
		if err := db.Put(ctx, api.Document{Collection: c, ID: id, Text: text}); err != nil {
			t.Fatal(err)
		}
		whole.Put(id, text)
		if i%10 == 9 {
			gone := fmt.Sprintf("d%03d", rng.IntN(i))
			for _, c := range []string{"left", "right"} {
				if err := db.Delete(ctx, c, gone); err != nil {
					t.Fatal(err)
				}
			}
			whole.Delete(gone)
		}
	}
	if seed%2 == 0 {
		enginetest.Settled(t, db)
	}
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return whole, s
}
