// Batches of pairs that are verified together.

package pairs

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/index/join"
)

// Batches have every pair once, and their sets fit the budget but for a block
// of one set.
func TestBatchesHaveEveryPair(t *testing.T) {
	const seed, sets = 1, 300
	r := rand.New(rand.NewPCG(seed, 0))
	var table index.Table
	for i := range uint32(sets) {
		f := index.Facts{}
		f.Distinct = 1 + r.Uint64N(50)
		table.Put(i, f)
	}
	v := &verification{view: &view.View{Table: table.View()}}
	for _, budget := range []int64{1, 2_000, 20_000, 1 << 30} {
		for _, n := range []int{0, 1, 40, 2000} {
			var pairs []join.Pair
			for range n {
				a, b := r.Uint32N(sets), r.Uint32N(sets)
				if a != b {
					pairs = append(pairs, join.Pair{A: min(a, b), B: max(a, b)})
				}
			}
			slices.SortFunc(pairs, compareIndexPairs)
			pairs = slices.Compact(pairs)
			var got []join.Pair
			for _, b := range bytesOf(v.bytes).batches(components(slices.Clone(pairs)), budget) {
				all := slices.Concat(b...)
				bytes, most := int64(0), int64(0)
				for _, set := range setsOf(all) {
					bytes += v.bytes(set)
					most = max(most, v.bytes(set))
				}
				if len(all) > 1 && bytes > budget+2*most {
					t.Errorf("seed %d: a batch of %d bytes with %d for it", seed, bytes, budget)
				}
				got = append(got, all...)
			}
			slices.SortFunc(got, compareIndexPairs)
			if !slices.Equal(got, pairs) {
				t.Errorf("seed %d: %d pairs in batches of %d bytes, want %d", seed, len(got), budget, len(pairs))
			}
		}
	}
}

func compareIndexPairs(x, y join.Pair) int {
	if x.A != y.A {
		return int(x.A) - int(y.A)
	}
	return int(x.B) - int(y.B)
}

// Given pairs may name the greater set first. A list of many of them has the same sets as one of few,
// and a cell joins two blocks in both directions.
func TestPairsInBothDirections(t *testing.T) {
	var pairs []join.Pair
	for i := range uint32(clumpPairs) {
		pairs = append(pairs, join.Pair{A: 3*i + 200, B: 2 * i}, join.Pair{A: 2 * i, B: 3*i + 200})
	}
	var want []uint32
	for _, p := range pairs {
		want = append(want, p.A, p.B)
	}
	slices.Sort(want)
	if got := setsOf(pairs); !slices.Equal(got, slices.Compact(want)) {
		t.Errorf("%d sets, want %d", len(got), len(slices.Compact(want)))
	}
	cells := bytesOf(func(uint32) int64 { return 1 }).cells(pairs, 5000)
	if len(cells) > 3 {
		t.Errorf("%d cells of two blocks, want at most 3", len(cells))
	}
}
