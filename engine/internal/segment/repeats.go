package segment

// A bound on repeated members per set, computed once per segment. Without it the repetition
// similarity could not find all matches by postings (docs/decisions/0041).

import (
	"sync"

	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/measure"
)

// repeats is a segment's bound, and the sets that exceed it.
type repeats struct {
	mu     sync.Mutex
	known  bool
	asOf   uint64 // log record of the count
	bound  measure.Repeats
	beyond []uint32
}

// beyondShare limits the sets beyond the bound to 1/beyondShare of the live sets, because every
// search that uses the bound checks each of them.
const beyondShare = 256

// mostRepeats exceeds the highest bound by one. Sets with as many repeats or more are beyond any
// bound.
const mostRepeats = 64

// Repeats returns a bound on the repeats of the segment's sets and the sets that exceed it, as
// of a log record. A result for a later record lacks sets that ended in between, so a reader of
// an earlier record counts again. Safe for concurrent use.
func (s *Segment) Repeats(v index.View, asOf uint64) (measure.Repeats, []uint32) {
	r := &s.repeats
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known && r.asOf <= asOf {
		return r.bound, r.beyond
	}
	bound, beyond := boundRepeats(v, s.Lo, s.Hi)
	if !r.known {
		r.known, r.asOf, r.bound, r.beyond = true, asOf, bound, beyond
	}
	return bound, beyond
}

// boundRepeats returns the least bound that all but 1/beyondShare of the live sets in [lo, hi)
// satisfy; if no bound is that high, the highest. beyond lists the sets that exceed it.
func boundRepeats(v index.View, lo, hi uint32) (bound measure.Repeats, beyond []uint32) {
	var sets [mostRepeats + 1]int // number of sets by the least bound that they satisfy
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
	at := mostRepeats - 1 // the last group has no bound
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
