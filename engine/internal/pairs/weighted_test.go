package pairs_test

// Joins by weight against searches that scan, over churn, shared sets and little memory.

import (
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
)

func TestWeightedJoinsEqualScans(t *testing.T) {
	t.Parallel()
	rows, joined := 0, 0
	for i, memory := range []int64{0, 0, 1 << 13} {
		rng := rand.New(rand.NewPCG(uint64(i), 9))
		o := enginetest.Options(vfs.NewMem())
		o.MemoryBytes, o.SegmentSets = memory, 40
		db := enginetest.Open(t, o)
		if err := db.CreateCollection(t.Context(), api.DefaultCollection, api.Settings{K: 1 + i%2}); err != nil {
			t.Fatal(err)
		}
		var old []string
		for range 3 {
			var b engine.Batch
			for range 60 {
				id := fmt.Sprintf("d%03d", rng.IntN(150))
				if rng.IntN(6) == 0 {
					b.Delete("", id)
					continue
				}
				text := repetitive(rng, old)
				if len(old) > 0 && rng.IntN(4) == 0 {
					text = old[rng.IntN(len(old))]
				}
				if old = append(old, text); rng.IntN(3) == 0 {
					text = fmt.Sprintf("%s own%d", text, rng.Int())
				}
				b.Put(api.Document{ID: id, Text: text})
			}
			if _, err := db.Commit(t.Context(), &b); err != nil {
				t.Fatal(err)
			}
			s, err := db.Snapshot()
			if err != nil {
				t.Fatal(err)
			}
			for _, ignoring := range []api.Ignoring{{}, {MoreThan: 9}} {
				for _, min := range []api.Threshold{{}, api.Ratio(1, 10), api.Ratio(1, 2), api.Ratio(9, 10), api.Ratio(1, 1)} {
					q := engine.Search{Measure: api.Weighted, Min: min, Ignoring: ignoring, Access: api.AccessScan}
					want := enginetest.PairRows(t, s, q)
					q.Access = api.AccessAuto
					got := enginetest.PairRows(t, s, q)
					if !slices.Equal(got, want) {
						t.Errorf("%d, %+v >= %v: %d rows, want %d\n%s", i, ignoring, min, len(got), len(want), testmodel.Difference(got, want))
					}
					rows += len(want)
					if p, err := enginetest.PairsPlan(t.Context(), s, q); err == nil && strings.Contains(p.Why, "heaviest") {
						joined++
					}
				}
			}
			s.Close()
		}
		db.Close()
	}
	if rows < 1000 || joined != 90 {
		t.Errorf("%d rows, %d joins", rows, joined)
	}
}
