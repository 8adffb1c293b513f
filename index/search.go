package index

// Searches for the sets that score enough by any measure of bags: which members are looked up,
// and how many of them a match has.

import (
	"math"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/shingle"
)

// Search looks a bag up in the postings and counts what each set has of it. It must be used
// from one goroutine at a time.
//
// Two sets share at least Window.Need members. In the order of the postings the first of these
// is among the rarest |Q| − Need + 1 of the query, which are looked up. And it is among
// the rarest |D| − ⌈T·|D|⌉ + 1 of the other set, which are posted down to the tier of T,
// if each match shares ⌈T·|D|⌉ members (Window.NeedsShare). The last tier has all members.
//
// A set of which c members are counted shares at most c + max(|Q| − looked up, |D| −
// posted) with the query: of the shared members that are not counted, all are beyond the
// one prefix or all beyond the other, whichever ends first. Two members with one token are
// counted too often, never too seldom.
//
// Sets that are left, but may still have too few members, are asked for the others: see
// counters.narrow.
type Search struct {
	layout  Layout
	bag     shingle.Bag
	facts   Facts
	formula measure.Formula
	t       api.Threshold
	tier    uint8
	share   api.Threshold // T
	prefix  []uint64      // the members that are looked up, the rarest first
	ranked  []uint64      // all of them; nil until it is needed
	needs   needs

	weighing *Weighing // members weigh, and counts are units; nil: they are members
	need     uint64    // units

	intervals []int // of the prefix, which postings must share; nil: any will do
}

// Search prepares a search for the sets that score ≥ t against the bag and whose repeats
// are bounded. ok is false for a bag without members, which is like none.
func (l Layout) Search(bag shingle.Bag, f Facts, formula measure.Formula, t api.Threshold, repeats measure.Repeats) (s *Search, ok bool) {
	w, ok := formula.Window(f.Size, t, repeats)
	if !ok {
		return nil, false
	}
	tier, n := tierFor(&w), len(bag.Set)
	return &Search{
		layout: l, bag: bag, facts: f, formula: formula, t: t, tier: tier, share: tiers[tier],
		prefix: l.Order.First(nil, bag.Set, n-int(w.Need)+1),
	}, true
}

// Weigh prepares a search for the sets that have members of a bag whose weight is need or
// more.
func (l Layout) Weigh(w *Weighing, f Facts, need uint64) *Search {
	s := &Search{layout: l, facts: f, tier: lastTier, weighing: w, ranked: w.members, need: w.Need(need)}
	s.prefix = w.members[:w.first(s.need)]
	return s
}

// WithinIntervals looks only for members that are repeated as often, as far as the
// intervals of the layout tell. This is lossy for every measure (paper 003, section 5).
func (s *Search) WithinIntervals() {
	for _, h := range s.prefix {
		s.intervals = append(s.intervals, s.layout.Intervals.of(s.bag, h))
	}
}

// All says whether all postings of the members are read.
func (s *Search) All() bool { return s.tier == lastTier }

// parts is how many parts of the keys are looked up.
func (s *Search) parts() int { return PartOf(s.tier) + 1 }

// from is what a set can have of the members from a place on, the rarest or the heaviest first.
func (s *Search) from(place int) uint64 {
	if s.weighing != nil {
		return s.weighing.left[place]
	}
	return uint64(len(s.bag.Set) - place)
}

// left is what a set can have of the members that are not looked up.
func (s *Search) left() uint64 { return s.from(len(s.prefix)) }

// LookUps is how many keys are looked up in each segment.
func (s *Search) LookUps() int { return len(s.prefix) * s.parts() }

// EstimatePostings predicts how many postings are read in an index of n sets, by the
// frequencies of the order.
func (s *Search) EstimatePostings(n int) float64 {
	sum := 0.0
	for _, h := range s.prefix {
		sum += s.layout.Order.Frequency(h, n)
	}
	return sum
}

// admits says whether a set with at most so many shared members, or units, may match.
func (s *Search) admits(size measure.Size, shared uint64) bool {
	if s.weighing != nil {
		return size.Distinct > 0 && shared >= s.need
	}
	return size.Distinct > 0 && shared >= s.needs.of(s.formula, s.facts.Size, size, s.t)
}

// units is what a member counts.
func (s *Search) units(place int) uint16 {
	if s.weighing != nil {
		return s.weighing.units[place]
	}
	return 1
}

// needs remembers, by size, how many shared members a match has.
type needs [1024]struct {
	size measure.Size
	need uint64
}

// of returns the need, more than there can be where no such set matches.
func (n *needs) of(f measure.Formula, query, size measure.Size, t api.Threshold) uint64 {
	if f.OfSets() {
		size.Total = size.Distinct // which does not matter
	}
	at := &n[(size.Distinct+(size.Total-size.Distinct)*37)%uint64(len(n))]
	if at.size != size {
		need, ok := f.Need(query, size, t)
		if !ok {
			need = math.MaxUint64
		}
		at.size, at.need = size, need
	}
	return at.need
}
