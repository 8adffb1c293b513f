package shingle

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// Sorting must hold for hashes that are not evenly spread, too: equal ones,
// and unequal ones with the same high bits.
func TestSortHashes(t *testing.T) {
	const seed = 5
	rng := rand.New(rand.NewPCG(seed, 0))
	var by sorter
	for _, n := range []int{0, 1, 2, fewHashes, fewHashes + 1, 90, 325, 500, 1<<maxDigit - 1, 1 << maxDigit, 5000, 300_000} {
		for _, mask := range []uint64{1<<64 - 1, 0xff, 0x8000_0000_0000_0001, 0, 1<<50 - 1, 0xfff << 52} {
			hashes := make([]uint64, n)
			for i := range hashes {
				hashes[i] = rng.Uint64() & mask
			}
			want := slices.Sorted(slices.Values(hashes))
			if got := by.sort(hashes); !slices.Equal(got, want) {
				t.Errorf("seed %d: %d hashes under mask %x are not sorted", seed, n, mask)
			}
		}
	}
}

// How a text repeats its shingles does not matter to what the bag counts.
func TestNewBag(t *testing.T) {
	const seed = 6
	rng := rand.New(rand.NewPCG(seed, 0))
	var s scratch
	for n := range 300 {
		mask := []uint64{^uint64(0), 0xff << 56, 7, 0}[n%4]
		hashes, want := make([]uint64, n), map[uint64]uint32{}
		for i := range hashes {
			hashes[i] = rng.Uint64() & mask
			want[hashes[i]]++
		}
		bag := s.newBag(hashes)
		if !slices.Equal(bag.Set, slices.Sorted(maps.Keys(want))) || bag.Total != uint64(n) || (bag.Counts == nil) != (len(want) == n) {
			t.Fatalf("seed %d: bag of %d hashes has %d members, %d counts, total %d, want %d", seed, n, len(bag.Set), len(bag.Counts), bag.Total, len(want))
		}
		for i, h := range bag.Set {
			if bag.Count(i) != want[h] {
				t.Fatalf("seed %d: bag of %d hashes counts %x %d times, want %d", seed, n, h, bag.Count(i), want[h])
			}
		}
	}
}
