// Puts with conditions, against a model.

package condition_test

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

// Batches of every mixture leave what the model has, and say the same of what was dropped
// or refused, also after the store was opened again.
func TestUnlessModel(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	settings := []api.Settings{{}, {UniqueSim: "0.7"}, {UniqueSim: "1", Unit: "char"}, {UniqueSim: "0.5"}, {Words: true, UniqueSim: "0.8"}, {UniqueSim: "0.2"}, {K: 1}}
	stores := 40
	if torture.Short() {
		stores = 8
	}
	for seed := range uint64(stores) {
		rng := rand.New(rand.NewPCG(seed, 14))
		with := settings[int(seed)%len(settings)]
		fs := vfs.NewMem()
		db := enginetest.Open(t, enginetest.Options(fs))
		if err := db.CreateCollection(ctx, api.DefaultCollection, with); err != nil {
			t.Fatal(err)
		}
		w := enginetest.World{api.DefaultCollection: enginetest.ModelOfCollection(t, db, api.DefaultCollection)}
		g := &testmodel.Texts{Rng: rng}
		for batch := range 60 {
			kinds := []string{"put", "put", "unless", "unless", "unless", "new", "delete", "meta", "newest", "longest"}
			if rng.IntN(2) == 0 { // a batch that nothing refuses
				kinds = []string{"unless", "unless", "longest", "newest", "delete", "meta"}
			}
			steps := enginetest.DrawSteps(rng, g, kinds)
			after, dropped, evicted, wrong := w.Run(batch, steps)
			b := enginetest.BatchOf(steps)
			stats, err := db.Commit(ctx, b)
			what := fmt.Sprintf("seed %d, batch %d", seed, batch)
			enginetest.SameOutcome(t, what, b, stats, err, dropped, evicted, wrong)
			w = after
			m := w[api.DefaultCollection]
			enginetest.SameDocuments(t, db, m.Texts)
			if t.Failed() {
				t.Fatalf("%s: not as the model", what)
			}
			probe := enginetest.Step{Doc: api.Document{ID: []string{"", "d01"}[rng.IntN(2)], Text: g.Next()}}
			row, _, found, _ := m.KeepsOut(probe.Doc, &probe.Q)
			if isNew, got, err := db.IsNew(ctx, probe.Doc, probe.Q, nil); err != nil || isNew == found || got != row {
				t.Fatalf("%s: IsNew = %v, %+v, %v, want %v, %+v", what, isNew, got, err, !found, row)
			}
			if rng.IntN(20) == 0 {
				if err := db.Close(); err != nil {
					t.Fatal(err)
				}
				db = enginetest.Open(t, enginetest.Options(fs))
			}
		}
		enginetest.Settled(t, db)
		enginetest.CheckClean(t, db, fmt.Sprint("seed ", seed))
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// Conditions that make no sense are refused, before anything is made or stored.
func TestUnlessInvalid(t *testing.T) {
	ctx := context.Background()
	db := enginetest.Open(t, enginetest.Options(vfs.NewMem()))
	defer db.Close()
	for _, q := range []engine.Search{
		{Measure: api.Words}, {Measure: 200}, {In: []string{"docs"}}, {Against: []string{"docs"}}, {Limit: 1},
		{Access: api.AccessScan}, {Args: api.Args{Min: 3}}, {Since: "mark"}, {Where: &engine.Fields{}}, {WhereB: &engine.Fields{}},
		{Tests: search.Tests{Keep: func(string, api.DocInfo) (bool, error) { return true, nil }}},
		{Measure: api.Weighted}, {Ignoring: api.Ignoring{MoreThan: 3}},
	} {
		d := api.Document{Collection: "new", ID: "a", Text: "one two three four"}
		if _, o, err := db.PutUnlessSimilar(ctx, d, q, nil); !errors.Is(err, api.ErrInvalid) || o != "" {
			t.Errorf("PutUnlessSimilar(%+v) = %q, %v, want ErrInvalid", q, o, err)
		}
		if _, _, err := db.IsNew(ctx, d, q, nil); !errors.Is(err, api.ErrInvalid) {
			t.Errorf("IsNew(%+v): %v, want ErrInvalid", q, err)
		}
	}
	if err := enginetest.CollectionError(t, db, "new"); !errors.Is(err, api.ErrNotFound) {
		t.Errorf("a refused put made its collection: %v", err)
	}
}

// A load decides as one writer would, however its batches overlap.
func TestLoadUnless(t *testing.T) {
	ctx := context.Background()
	for seed := range uint64(4) {
		rng := rand.New(rand.NewPCG(seed, 15))
		db := enginetest.Open(t, enginetest.Options(vfs.NewMem()))
		with := api.Settings{}
		if seed%2 == 1 {
			with.UniqueSim = "0.7"
		}
		if err := db.CreateCollection(ctx, api.DefaultCollection, with); err != nil {
			t.Fatal(err)
		}
		w := enginetest.World{api.DefaultCollection: enginetest.ModelOfCollection(t, db, api.DefaultCollection)}
		g := &testmodel.Texts{Rng: rng}
		var want [][]api.Dropped
		source := func(yield func(*engine.Batch, error) bool) {
			for range 150 {
				steps := enginetest.DrawSteps(rng, g, []string{"unless", "unless", "unless", "delete"})
				after, dropped, _, err := w.Run(0, steps)
				if err != nil {
					t.Error(err)
				}
				w, want = after, append(want, dropped)
				if !yield(enginetest.BatchOf(steps), nil) {
					return
				}
			}
		}
		var got [][]api.Dropped
		if err := db.Load(ctx, source, func(b *engine.Batch, _ api.BatchStats) { got = append(got, b.Dropped()) }); err != nil {
			t.Fatal(err)
		}
		if !slices.EqualFunc(got, want, func(a, b []api.Dropped) bool { return slices.Equal(a, b) }) {
			t.Errorf("seed %d: the load dropped %v, want %v", seed, got, want)
		}
		enginetest.SameDocuments(t, db, w[api.DefaultCollection].Texts)
		enginetest.CheckClean(t, db, fmt.Sprint("seed ", seed))
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
