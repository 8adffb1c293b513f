package condition_test

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
	"github.com/simdb/simdb/engine/internal/search"
	"github.com/simdb/simdb/engine/internal/testmodel"
)

// Puts of large batches, which share one pass over segments and prefixes of the tail, are dropped
// for the same documents as puts one by one, which search alone.
func TestManyPutsAsOneByOne(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for _, at := range []api.Threshold{api.Ratio(4, 5), api.Ratio(1, 2), api.Ratio(1, 1)} {
		var outcomes [3][]string
		for i, size := range []int{1, 300, 300} {
			g := &testmodel.Texts{Rng: rand.New(rand.NewPCG(7, 3))}
			o := enginetest.Options(vfs.NewMem())
			o.SegmentSets = []uint32{8, 1 << 13, 1 << 9}[i] // many segments; a tail alone; both
			db := enginetest.Open(t, o)
			for n := 0; n < 4500; n += size {
				b := &engine.Batch{}
				for range size {
					id := fmt.Sprint("d", b.Len()+n)
					b.PutUnlessSimilar(api.Document{ID: id, Text: g.Next()}, search.Search{Min: at})
				}
				if _, err := db.Commit(ctx, b); err != nil {
					t.Fatal(err)
				}
				for _, d := range b.Dropped() {
					outcomes[i] = append(outcomes[i], fmt.Sprint(d.ID, " by ", d.Match.ID, " ", d.Match.Sim))
				}
			}
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		}
		for _, batches := range outcomes[1:] {
			if !slices.Equal(outcomes[0], batches) || len(batches) == 0 || len(batches) > 4300 {
				t.Errorf("%v: %d puts dropped one by one, %d in batches, or for other documents", at, len(outcomes[0]), len(batches))
			}
		}
	}
}
