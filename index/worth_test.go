package index

import (
	"testing"

	"github.com/simdb/simdb/internal/drawn"
)

// What a set is worth by postings is no more than what it is worth.
func TestWorthIsABound(t *testing.T) {
	of := func(documents uint64) uint32 { return uint32(27720 / max(documents, 1)) }
	bound, whole := uint64(0), uint64(0)
	drawn.Worlds(t, newWorld, func(t *testing.T, seed uint64, w *world) {
		documents, have := make([]uint8, len(w.bags)), map[uint64]uint64{}
		for i, bag := range w.bags {
			documents[i] = uint8(1 + i%3)
			for _, h := range bag.Set {
				have[h] += uint64(documents[i])
			}
		}
		sums, err := Worth(w.cut(t, 1+int(seed)%3, nil), documents, of)
		if err != nil {
			t.Fatal(err)
		}
		for i, bag := range w.bags {
			exact := uint64(0)
			for _, h := range bag.Set {
				exact += uint64(of(have[h]))
			}
			if bound, whole = bound+uint64(sums[i]), whole+exact; uint64(sums[i]) > exact {
				t.Fatalf("seed %d: set %d is worth %d, Worth says %d", seed, i, exact, sums[i])
			}
		}
	})
	if bound < whole/8 { // tokens of some worlds are few
		t.Errorf("Worth finds %d of %d", bound, whole)
	}
}
