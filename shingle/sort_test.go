package shingle

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Sorting must hold for hashes that are not evenly spread, too: equal ones,
// and unequal ones with the same high bits.
func TestSortHashes(t *testing.T) {
	const seed = 5
	rng := rand.New(rand.NewPCG(seed, 0))
	var other []uint64
	for _, n := range []int{0, 1, 2, fewHashes, fewHashes + 1, 500, 5000, 300_000} {
		for _, mask := range []uint64{1<<64 - 1, 0xff, 0x8000_0000_0000_0001, 0, 1<<50 - 1, 0xfff << 52} {
			hashes := make([]uint64, n)
			for i := range hashes {
				hashes[i] = rng.Uint64() & mask
			}
			want := slices.Sorted(slices.Values(hashes))
			other = sortHashes(hashes, other)
			if !slices.Equal(hashes, want) {
				t.Errorf("seed %d: %d hashes under mask %x are not sorted", seed, n, mask)
			}
		}
	}
}
