package sketch

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/simdb/simdb/internal/shingle"
)

// A wide signature folds to the one that is stored, and at the same width is it.
func TestWideSignatures(t *testing.T) {
	const seed = 1
	r := rand.New(rand.NewPCG(seed, 0))
	for _, n := range []int{1, 40, 700} {
		var s shingle.Set
		for range n {
			s = append(s, r.Uint64())
		}
		slices.Sort(s)
		stored := NewSignature(nil, s)
		if got := AppendWide(nil, s, len(stored)); !slices.Equal(got, stored) {
			t.Errorf("seed %d: %d members at %d words differ from NewSignature", seed, n, len(stored))
		}
		for words := 1; words <= 512; words *= 2 {
			if d := Distance(AppendWide(nil, s, words), stored); d != 0 {
				t.Errorf("seed %d: %d members at %d words are %d bits from the stored signature", seed, n, words, d)
			}
		}
	}
}
