package segment

// How often the sets of a segment repeat their members, found once for each segment.
// Without a bound on that no postings have all that is like a text by the repetition
// similarity (docs/decisions/0041).

import (
	"sync"

	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/measure"
)

// repeats is what is known of a segment: all sets keep to the bound but those beyond.
type repeats struct {
	mu     sync.Mutex
	known  bool
	asOf   uint64 // record of the log
	bound  measure.Repeats
	beyond []uint32
}

// beyondShare is which share of the sets may be beyond the bound: one in so many. Each
// of them is looked at in every search that needs the bound.
const beyondShare = 256

// mostRepeats is the highest bound that is told apart.
const mostRepeats = 64

// Repeats returns a bound on the repeats of the segment's sets, and the sets that do not
// keep to it, as of a record of the log. A set that ended after an older record is unknown
// to what was found at a younger one, so a reader of the older one counts for itself.
func (s *Segment) Repeats(v index.View, asOf uint64) (measure.Repeats, []uint32) {
	r := &s.repeats
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known && r.asOf <= asOf {
		return r.bound, r.beyond
	}
	bound, beyond := repeatsOf(v, s.Lo, s.Hi)
	if !r.known {
		r.known, r.asOf, r.bound, r.beyond = true, asOf, bound, beyond
	}
	return bound, beyond
}

func repeatsOf(v index.View, lo, hi uint32) (bound measure.Repeats, beyond []uint32) {
	var sets [mostRepeats + 1]int // by the least bound that they keep to
	live := 0
	least := func(set uint32) int {
		size := v.Size(set)
		if size.Distinct == 0 {
			return -1
		}
		return int(min((8*(size.Total-size.Distinct)+size.Distinct-1)/size.Distinct, mostRepeats))
	}
	for set := lo; set < hi; set++ {
		if n := least(set); n >= 0 {
			sets[n]++
			live++
		}
	}
	left := live / beyondShare
	at := mostRepeats - 1 // the last are not bounded
	for left -= sets[mostRepeats]; at > 0 && sets[at] <= left; at-- {
		left -= sets[at]
	}
	for set := lo; set < hi; set++ {
		if least(set) > at {
			beyond = append(beyond, set)
		}
	}
	return measure.Repeats(at), beyond
}
