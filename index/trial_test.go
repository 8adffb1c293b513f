package index

// This file tests how orders are compared.

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/simdb/simdb/internal/shingle"
)

// Meetings counts the pairs of sets that have a shingle among the rarest of both.
func TestMeetingsEqualBruteForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for round := range 20 {
		counts := NewOrderBuilder(1000)
		var sets []shingle.Set
		for range 30 {
			var s shingle.Set
			for range 1 + rng.IntN(40) {
				s = append(s, uint64(rng.IntN(60))<<58|uint64(rng.IntN(3)))
			}
			slices.Sort(s)
			s = slices.Compact(s)
			counts.Add(s)
			sets = append(sets, s)
		}
		o, want := counts.Order(), uint64(0)
		for i := range sets {
			for j := range i {
				for _, h := range o.First(nil, sets[i], PrefixLen(len(sets[i]), nearSim)) {
					if slices.Contains(o.First(nil, sets[j], PrefixLen(len(sets[j]), nearSim)), h) {
						want++
					}
				}
			}
		}
		if got := Meetings(o, sets); got != want || want == 0 {
			t.Errorf("round %d: %d meetings, want %d", round, got, want)
		}
	}
}
