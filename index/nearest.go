package index

// Finding the sets nearest to a probe: members are counted list by list, rarest first, while the
// threshold rises.

import (
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/shingle"
)

// Nearest counts the members of a bag in the sets of some segments, rarest members first. Close
// it. Not safe for concurrent use.
type Nearest struct {
	search  Search
	repeats measure.Repeats
	view    View
	counted []*counters // by segment
	read    int         // number of members looked up
	end     int         // number of members to look up for the current threshold
	need    uint64      // members that a set of the current threshold shares at least
	longest *longest    // for the current threshold; nil if members are weighted
	presume bool        // leave out other sets that cannot reach a presumed threshold
}

// NewNearest returns a Nearest without counts, for sets with bounded repeats.
func NewNearest(l Layout, segments []Stored, v View, bag shingle.Bag, f Facts, formula measure.Formula, repeats measure.Repeats) *Nearest {
	s := Search{layout: l, bag: bag, facts: f, formula: formula, tier: lastTier, ranked: l.Order.Rank(nil, bag.Set)}
	return newNearest(s, segments, v, repeats)
}

// NewNearestWeighed is NewNearest for a bag of weighted members. Use RequireWeight instead of
// Require.
func NewNearestWeighed(l Layout, segments []Stored, v View, w *Weighing, f Facts) *Nearest {
	return newNearest(Search{layout: l, facts: f, tier: lastTier, weighing: w, ranked: w.members}, segments, v, 0)
}

// newNearest takes counters for each segment.
func newNearest(s Search, segments []Stored, v View, repeats measure.Repeats) *Nearest {
	n := &Nearest{search: s, repeats: repeats, view: v, presume: s.weighing == nil && s.formula.OfSets()}
	for _, seg := range segments {
		n.counted = append(n.counted, takeCounters(seg))
	}
	return n
}

// Close returns the counters to the pool.
func (n *Nearest) Close() {
	for _, c := range n.counted {
		c.giveBack()
	}
	n.counted = nil
}

// Require sets the threshold and returns the number of members left to look up to meet every set
// that scores at least t.
func (n *Nearest) Require(t api.Threshold) (left int) {
	w, ok := n.search.formula.Window(n.search.facts.Size, t, n.repeats)
	if !ok {
		return 0
	}
	n.search.t, n.search.needs, n.longest = t, nil, &longest{window: w, view: n.view}
	return n.require(w.Need, len(n.search.ranked)-int(w.Need)+1)
}

// RequireWeight is Require for weighted members and the sets that share at least this weight.
func (n *Nearest) RequireWeight(weight uint64) (left int) {
	w := n.search.weighing
	n.search.need = w.Need(weight)
	return n.require(n.search.need, w.first(n.search.need))
}

// require sets the least number of shared members, or units, and the number of members to look up.
func (n *Nearest) require(need uint64, end int) (left int) {
	n.need, n.end = need, end
	for _, c := range n.counted {
		if c.fresh = nil; n.presume {
			c.fresh = n.longest
		}
	}
	return max(end-n.read, 0)
}

// Read looks up the rarest three quarters of the remaining members, as far as the threshold requires
// them.
func (n *Nearest) Read() error {
	return n.readTo(min(n.read+(3*(len(n.search.ranked)-n.read)+3)/4, n.end))
}

// readTo looks up the members before index end.
func (n *Nearest) readTo(end int) error {
	at, block := n.read, n.search.ranked[n.read:end]
	n.read = end
	for _, c := range n.counted {
		if err := c.count(&n.search, at, block, Parts, lastTier); err != nil {
			return err
		}
	}
	return nil
}

// Restart forgets the counts if they may lack sets, because a presumed threshold was too high. From
// then on they lack none.
func (n *Nearest) Restart() {
	if !n.presume {
		return
	}
	for i, c := range n.counted {
		seg := c.seg
		c.giveBack()
		n.counted[i] = takeCounters(seg)
	}
	n.read, n.presume = 0, false
}

// Tally is a set with an upper bound on its looked-up members.
type Tally struct {
	Set    uint32
	Shared uint64
}

// Each calls yield with the sets that would reach the threshold if they shared no members but those
// looked up. yield may raise the threshold.
func (n *Nearest) Each(yield func(Tally)) {
	for _, c := range n.counted {
		c.each(n.need, func(rel uint32, shared uint64) uint64 {
			if set := c.seg.Lo + rel; n.longest.admits(set, shared) {
				yield(Tally{set, shared})
			}
			return n.need
		})
	}
}

// Met returns the number of sets met.
func (n *Nearest) Met() (sets int) {
	for _, c := range n.counted {
		sets += len(c.touched)
	}
	return sets
}

// Reach appends the sets that may reach the current threshold, with upper bounds on their shared
// members. It counts the remaining members in the sets already met.
func (n *Nearest) Reach(dst []Tally) ([]Tally, error) {
	for _, c := range n.counted {
		c.marked = true
	}
	if err := n.readTo(len(n.search.ranked)); err != nil {
		return dst, err
	}
	n.Each(func(t Tally) {
		if n.search.admits(n.view.Size(t.Set), t.Shared) {
			dst = append(dst, t)
		}
	})
	return dst, nil
}
