package index

// This file compares orders by what searches would read of the postings made with them.

import (
	"slices"

	"github.com/simdb/simdb/internal/shingle"
)

// Meetings says how often two of the sets meet in a bucket, if postings are made with
// an order: how many pairs of sets there are for each posted shingle, at the threshold
// that searches mostly have. A search for each of the sets reads twice as many
// postings beside those of the sets themselves.
func Meetings(o *Order, sets []shingle.Set) (pairs uint64) {
	var posted, ranked []uint64
	for _, s := range sets {
		ranked = o.First(ranked[:0], s, PrefixLen(len(s), nearSim))
		posted = append(posted, ranked...)
	}
	slices.Sort(posted)
	for i := 0; i < len(posted); {
		n := i + 1
		for n < len(posted) && posted[n] == posted[i] {
			n++
		}
		have := uint64(n - i)
		pairs += have * (have - 1) / 2
		i = n
	}
	return pairs
}
