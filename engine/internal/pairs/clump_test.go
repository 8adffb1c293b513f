// Clumps count as merging does.

package pairs

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/simdb/simdb/internal/shingle"
)

// randomClump is sets drawn from few shingles, most of them from the first.
func randomClump(rng *rand.Rand, sets, shingles, longest int) (out []shingle.Set) {
	all := make([]uint64, shingles)
	for i := range all {
		all[i] = rng.Uint64()
	}
	for range sets {
		var set shingle.Set
		for range 1 + rng.IntN(longest) {
			set = append(set, all[min(rng.IntN(shingles), rng.IntN(shingles))])
		}
		slices.Sort(set)
		out = append(out, slices.Compact(set))
	}
	return out
}

func TestClumpCountsAsMerging(t *testing.T) {
	const seed = 3
	rng := rand.New(rand.NewPCG(seed, 0))
	for _, shingles := range []int{1, 10, 64*clumpWords - 1, 64 * clumpWords, 3000, 100_000} {
		sets := randomClump(rng, 60, shingles, 900)
		clumped, err := clump(t.Context().Err, sets)
		if err != nil {
			t.Fatal(err)
		}
		for i, a := range sets {
			for j, b := range sets {
				if i == j {
					continue // what no other set has is left out
				}
				if got, want := clumped[i].shared(&clumped[j]), shingle.Shared(a, b, 0); got != uint64(want) {
					t.Fatalf("seed %d: of %d shingles: %d shared, want %d", seed, shingles, got, want)
				}
			}
		}
	}
}

// A clump of long sets ends with its context at each of its steps.
func TestClumpEndsWithContext(t *testing.T) {
	sets := randomClump(rand.New(rand.NewPCG(1, 0)), 4, 1<<18, 1<<19)
	checks, most := 0, 0
	for i := 0; ; i++ {
		checks = 0
		_, err := clump(func() error {
			if checks++; checks > i {
				return context.Canceled
			}
			return nil
		}, sets)
		if err == nil {
			break
		}
		if checks != i+1 {
			t.Fatalf("%d checks after the end", checks-i-1)
		}
		most = i + 1
	}
	if want := 4 + 4 + 4; most < want { // of both sorts, and of the sets
		t.Errorf("%d checks, want at least %d", most, want)
	}
}

func BenchmarkClump(b *testing.B) {
	sets := randomClump(rand.New(rand.NewPCG(1, 0)), 1000, 700, 400)
	b.Run("merge", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			shingle.Shared(sets[i%1000], sets[i/1000%1000], 0)
		}
	})
	clumped, err := clump(b.Context().Err, sets)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("clump", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			clumped[i%1000].shared(&clumped[i/1000%1000])
		}
	})
}
