// Clumps count as merging does.

package pairs

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/simdb/simdb/internal/shingle"
)

// randomClump is sets drawn from few shingles, most of them from the first.
func randomClump(rng *rand.Rand, sets, shingles, longest int) (out []*heldSet) {
	all := make([]uint64, shingles)
	for i := range all {
		all[i] = rng.Uint64()
	}
	for range sets {
		h := &heldSet{}
		for range 1 + rng.IntN(longest) {
			h.bag.Set = append(h.bag.Set, all[min(rng.IntN(shingles), rng.IntN(shingles))])
		}
		slices.Sort(h.bag.Set)
		h.bag.Set = slices.Compact(h.bag.Set)
		h.bag.Total = uint64(len(h.bag.Set))
		out = append(out, h)
	}
	return out
}

func TestClumpCountsAsMerging(t *testing.T) {
	const seed = 3
	rng := rand.New(rand.NewPCG(seed, 0))
	for _, shingles := range []int{1, 10, 64*clumpWords - 1, 64 * clumpWords, 3000, 100_000} {
		sets := randomClump(rng, 60, shingles, 900)
		clump(sets)
		for _, a := range sets {
			for _, b := range sets {
				if a == b {
					continue // what no other set has is left out
				}
				if got, want := a.clumped.shared(b.clumped), shingle.Shared(a.bag.Set, b.bag.Set, 0); got != uint64(want) {
					t.Fatalf("seed %d: of %d shingles: %d shared, want %d", seed, shingles, got, want)
				}
			}
		}
	}
}

func BenchmarkClump(b *testing.B) {
	sets := randomClump(rand.New(rand.NewPCG(1, 0)), 1000, 700, 400)
	b.Run("merge", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			shingle.Shared(sets[i%1000].bag.Set, sets[i/1000%1000].bag.Set, 0)
		}
	})
	clump(sets)
	b.Run("clump", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			sets[i%1000].clumped.shared(sets[i/1000%1000].clumped)
		}
	})
}
