package index

// Searching for the sets that score enough by any measure of bags: which members to look up, and
// counting them.

import (
	"math"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/shingle"
)

// Search looks up a bag in the postings and counts the common members of each set. Not safe for
// concurrent use.
//
// Two sets share at least Window.Need members. In the order of the postings the first shared
// member is among the rarest |Q| − Need + 1 of the query, which are looked up. It is also among
// the rarest |D| − ⌈T·|D|⌉ + 1 of the other set, which are posted down to the tier of T, if each
// match shares ⌈T·|D|⌉ members (Window.NeedsShare). The last tier has all members.
//
// A set with c counted members shares at most c + max(|Q| − looked up, |D| − posted) with the
// query: all uncounted shared members are beyond the query's prefix, or all beyond the other
// prefix, whichever ends first. Two members with one token are counted too often, never too
// seldom.
//
// Sets that remain, but may still share too few members, are checked for the others: see
// counters.narrow.
type Search struct {
	layout  Layout
	bag     shingle.Bag
	facts   Facts
	formula measure.Formula
	t       api.Threshold
	tier    uint8
	share   api.Threshold // T
	prefix  []uint64      // the members to look up, rarest first
	ranked  []uint64      // all members; nil until needed
	needs   *needs        // nil until needed

	weighing *Weighing // members are weighted and counts are units; nil: counts are members
	need     uint64    // units

	intervals []int // of the prefix, which postings must match; nil: any
}

// Search prepares a search for the sets with bounded repeats that score ≥ t against the bag. ok
// is false for a bag without members, which matches nothing.
func (l Layout) Search(bag shingle.Bag, f Facts, formula measure.Formula, t api.Threshold, repeats measure.Repeats) (s *Search, ok bool) {
	w, ok := formula.Window(f.Size, t, repeats)
	if !ok {
		return nil, false
	}
	return l.search(bag, f, formula, t, &w), true
}

// search is Search with a known window.
func (l Layout) search(bag shingle.Bag, f Facts, formula measure.Formula, t api.Threshold, w *measure.Window) *Search {
	tier := tierFor(w)
	return &Search{
		layout: l, bag: bag, facts: f, formula: formula, t: t, tier: tier, share: tiers[tier],
		prefix: l.Order.First(nil, bag.Set, len(bag.Set)-int(w.Need)+1),
	}
}

// Weigh prepares a search for the sets that share a weight of at least need with a bag.
func (l Layout) Weigh(w *Weighing, f Facts, need uint64) *Search {
	s := &Search{layout: l, facts: f, tier: lastTier, weighing: w, ranked: w.members, need: w.Need(need)}
	s.prefix = w.members[:w.first(s.need)]
	return s
}

// WithinIntervals restricts the search to members in the same repetition interval. This is lossy
// for every measure (paper 003, section 5).
func (s *Search) WithinIntervals() {
	for _, h := range s.prefix {
		s.intervals = append(s.intervals, s.layout.Intervals.of(s.bag, h))
	}
}

// All reports whether all postings of the members are read.
func (s *Search) All() bool { return s.tier == lastTier }

// parts returns the number of parts of the keys to look up.
func (s *Search) parts() int { return PartOf(s.tier) + 1 }

// from bounds the members, or units, that a set can have from a place on, rarest or heaviest
// first.
func (s *Search) from(place int) uint64 {
	if s.weighing != nil {
		return s.weighing.left[place]
	}
	return uint64(len(s.bag.Set) - place)
}

// left bounds the members that a set can have beyond the looked-up ones.
func (s *Search) left() uint64 { return s.from(len(s.prefix)) }

// LookUps returns the number of keys looked up in each segment.
func (s *Search) LookUps() int { return len(s.prefix) * s.parts() }

// EstimatePostings predicts the number of postings read in an index of n sets, from the
// frequencies of the order.
func (s *Search) EstimatePostings(n int) float64 {
	sum := 0.0
	for _, h := range s.prefix {
		sum += s.layout.Order.Frequency(h, n)
	}
	return sum
}

// admits reports whether a set that shares at most so many members, or units, may match.
func (s *Search) admits(size measure.Size, shared uint64) bool {
	if s.weighing != nil {
		return size.Distinct > 0 && shared >= s.need
	}
	if s.needs == nil {
		s.needs = new(needs)
	}
	return size.Distinct > 0 && shared >= s.needs.of(s.formula, s.facts.Size, size, s.t)
}

// units returns the weight of a member in counts.
func (s *Search) units(place int) uint16 {
	if s.weighing != nil {
		return s.weighing.units[place]
	}
	return 1
}

// longest bounds the sizes of matches by the members that they share at most. nil bounds none.
type longest struct {
	window measure.Window
	view   View
	known  [64]uint64 // the bound plus one; 0: unknown
}

// of returns the bound for so many members.
func (l *longest) of(shared uint64) uint64 {
	if l == nil || shared >= uint64(len(l.known)) {
		return math.MaxUint64
	}
	most := &l.known[shared]
	if *most == 0 {
		*most = l.window.Longest(shared) + 1
	}
	return *most - 1
}

// admits reports whether a set may match that shares so many members.
func (l *longest) admits(set uint32, shared uint64) bool {
	most := l.of(shared)
	return most == math.MaxUint64 || l.view.upTo(set, most)
}

// excludes reports whether it admits less than half of some sets relative to lo, by a sample.
func (l *longest) excludes(lo uint32, rels []uint32, shared uint64) bool {
	if l.of(shared) == math.MaxUint64 {
		return false
	}
	admitted, tested := 0, 0
	for i := 0; i < len(rels); i += len(rels)/32 + 1 {
		tested++
		if l.admits(lo+rels[i], shared) {
			admitted++
		}
	}
	return 2*admitted < tested
}

// needs caches, by size, the number of shared members that a match requires.
type needs [1024]struct {
	size measure.Size
	need uint64
}

// of returns the required number; the maximum if no set of that size matches.
func (n *needs) of(f measure.Formula, query, size measure.Size, t api.Threshold) uint64 {
	if f.OfSets() {
		size.Total = size.Distinct // repetitions do not matter
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
