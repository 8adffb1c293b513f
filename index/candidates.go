package index

// The sets of a segment that may match, filtered by counts and then by signatures.

import (
	"slices"

	"github.com/simdb/simdb/internal/measure"
)

// Passed counts the sets that pass each filter: Met in a posting, Counted with enough common
// members, Signature with near enough signatures. Asked sets were then checked for more members,
// and Had passed; of these, AskedColumns and HadColumns were checked for frequent members.
// Postings is the number read.
type Passed struct{ Postings, Met, Counted, Signature, Asked, Had, AskedColumns, HadColumns int }

// Candidates appends the sets of a segment that may match, ascending, and adds to passed. On
// error it returns dst unchanged.
func (s *Search) Candidates(seg Stored, v View, dst []uint32, passed *Passed) ([]uint32, error) {
	c := takeCounters(seg)
	defer c.giveBack()
	if err := c.count(s, 0, s.prefix, s.parts(), s.tier); err != nil {
		return dst, err
	}
	start := len(dst)
	passed.Postings += c.read
	passed.Met += len(c.touched)
	for _, rel := range c.touched {
		set := seg.Lo + rel
		size := v.Size(set)
		if !s.admits(size, s.sharedAtMost(size, c.shared(rel))) {
			continue
		}
		passed.Counted++
		bound := SharedBound(s.facts.Distinct, size.Distinct, s.facts.Signature, v.Signature(set))
		if s.weighing != nil {
			bound = s.weighing.ofMost(bound)
		}
		if s.admits(size, bound) {
			dst = append(dst, set)
		}
	}
	found := len(dst) - start
	passed.Signature += found
	if more := s.remaining(found); len(more) > 0 {
		c.mark(dst[start:], s.All())
		kept, err := c.narrow(s, more, dst[start:], v)
		if err != nil {
			return dst[:start], err
		}
		dst = dst[:start+len(kept)]
		passed.Asked += found
		passed.Had += len(kept)
		if c.columns > 0 {
			passed.AskedColumns += found
			passed.HadColumns += len(kept)
		}
	}
	slices.Sort(dst[start:])
	return dst, nil
}

// sharedAtMost bounds the members that a set can share, given the counted ones.
func (s *Search) sharedAtMost(size measure.Size, counted uint64) uint64 {
	if s.intervals != nil {
		return s.facts.Distinct // the others may be in other intervals
	}
	return counted + max(s.left(), max(s.share.Ceil(size.Distinct), 1)-1)
}

// Costs in nanoseconds: looking up one key in one segment, and reading and analysing a text.
// Only their ratio matters.
const (
	nanosPerLookUp = 120
	nanosPerText   = 20000
)

// remaining returns the members, rarest first, for which so many sets should be checked; nil if
// comparing the texts costs less. If only some tiers were read, it returns all members.
func (s *Search) remaining(sets int) []uint64 {
	switch {
	case sets == 0 || s.intervals != nil:
		return nil
	case s.All() && s.left() == 0: // everything is counted
		return nil
	case !s.All() && sets*nanosPerText < len(s.bag.Set)*Parts*nanosPerLookUp:
		return nil
	case s.weighing != nil && sets*nanosPerText < (len(s.ranked)-len(s.prefix))*Parts*nanosPerLookUp:
		return nil
	}
	if s.ranked == nil {
		s.ranked = s.layout.Order.Rank(nil, s.bag.Set)
	}
	if s.All() {
		return s.ranked[len(s.prefix):]
	}
	return s.ranked
}
