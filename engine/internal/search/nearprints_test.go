package search

import (
	"math/bits"
	"math/rand/v2"
	"testing"
)

// The nearest is the first of those that differ least, whichever way it is found.
func TestNearPrints(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 4))
		prints := make([]uint32, 1+r.IntN(3000))
		for i := range prints {
			prints[i] = r.Uint32() & (1<<16 | 1<<31 - 1<<20 | r.Uint32())
		}
		for most := range 7 {
			n := newNearPrints(prints, most)
			for range 200 {
				p := prints[r.IntN(len(prints))]
				for range r.IntN(6) {
					p ^= 1 << r.IntN(32)
				}
				best, dist := -1, most+1
				for i, other := range prints {
					if d := bits.OnesCount32(other ^ p); d < dist {
						best, dist = i, d
					}
				}
				if got := n.nearest(p, func(int) bool { return true }); got != best {
					t.Errorf("seed %d, %d bits: the nearest of %#x is %d, want %d", seed, most, p, got, best)
				}
			}
		}
	}
}

// Of many fingerprints few are compared with each.
func TestNearPrintsComparesFew(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 4))
	prints := make([]uint32, 300_000)
	for i := range prints {
		prints[i] = r.Uint32()
	}
	n, compared := newNearPrints(prints, 3), 0
	for _, p := range prints[:1000] {
		for part := range n.parts {
			compared += len(n.by[part][n.key(p, part)])
		}
	}
	if most := 1000 * len(prints) / 50; compared > most {
		t.Errorf("compared %d fingerprints, want at most %d", compared, most)
	}
}
