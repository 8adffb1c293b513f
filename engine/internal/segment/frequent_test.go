package segment_test

// Shingles that many sets of a segment have are bitmaps there, which are asked or read.

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/internal/torture"
)

func TestFrequentShinglesEqualScans(t *testing.T) {
	t.Parallel()
	const n, frequent, rare = 400, 40, 60
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(1, 1))
	o := enginetest.Options(vfs.NewMem())
	o.SegmentSets = 300
	db := enginetest.Open(t, o)
	defer db.Close()
	if err := db.CreateCollection(ctx, api.DefaultCollection, api.Settings{K: 1}); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		text := fmt.Sprintf("r%d r%d", rng.IntN(rare), rng.IntN(rare))
		for w := range frequent {
			if rng.IntN(2) == 0 {
				text += fmt.Sprint(" f", w)
			}
		}
		if err := db.Put(ctx, api.Document{ID: fmt.Sprint("d", i), Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	enginetest.Settled(t, db)
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	rows := 0
	for _, m := range []api.Measure{api.Jaccard, api.ContainmentOfQuery, api.ContainmentOfDoc, api.Multiset, api.Tversky} {
		for _, q := range []engine.Search{{Min: api.Ratio(1, 2)}, {Min: api.Ratio(3, 5)}, {Min: api.Ratio(7, 10)}, {Limit: 5}} {
			q.Measure = m
			for i := 0; i < n; i += torture.Few(12, 4) {
				q.Access = api.AccessAuto
				id := api.ByID(fmt.Sprint("d", i))
				got := enginetest.SimilarRows(t, s, id, q)
				q.Access = api.AccessScan
				if want := enginetest.SimilarRows(t, s, id, q); !reflect.DeepEqual(got, want) {
					t.Fatalf("%v by %v, %v: %v, want %v", id, m, q.Min, got, want)
				}
				rows += len(got)
			}
		}
	}
	if rows < 2*n {
		t.Errorf("%d rows tell little", rows)
	}
}
