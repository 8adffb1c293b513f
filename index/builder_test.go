package index

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/simdb/simdb/internal/shingle"
)

// Rotated tables have each set once, by its turned fingerprint, also where
// fingerprints differ in few bits, or in none.
func TestBuilderOfRotatedTables(t *testing.T) {
	for seed := range uint64(24) {
		rng := rand.New(rand.NewPCG(seed, 2))
		b := NewBuilder(Layout{Order: orderOf(4, nil)}, 7)
		var all [Blocks][]entry
		set := uint32(7)
		mask := []uint64{^uint64(0), 0, 0xff, 0xff << 56, 0x8001_8001_8001_8001, 1<<22 | 1}[seed%6]
		for range rng.IntN(3 * digits) {
			set += 1 + rng.Uint32N(3)
			h := rng.Uint64() & mask
			b.Add(set, shingle.Bag{Set: shingle.Set{1}}, h)
			for turn := range all {
				all[turn] = append(all[turn], entry{bits.RotateLeft64(h, turn*BlockBits), set})
			}
		}
		var m memory
		seg, err := b.Finish(set+1, m.emit)
		if err != nil {
			t.Fatal(err)
		}
		for turn, want := range all {
			slices.SortFunc(want, compareEntries)
			if got := entriesOf(t, Stored{seg, &m}, Rotated0+Kind(turn)); !slices.Equal(got, want) {
				t.Fatalf("seed %d: table %d of %d sets is not in order", seed, turn, len(want))
			}
		}
	}
}
