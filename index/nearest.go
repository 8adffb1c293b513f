package index

// Finding the sets nearest to a probe: members are counted list by list, rarest first, while the
// threshold rises.

import (
	"cmp"
	"slices"

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
	need    uint64      // members that a set of the current threshold shares at least
}

// NewNearest returns a Nearest without counts, for sets with bounded repeats.
func NewNearest(l Layout, segments []Stored, v View, bag shingle.Bag, f Facts, formula measure.Formula, repeats measure.Repeats) *Nearest {
	s := Search{layout: l, bag: bag, facts: f, formula: formula, tier: lastTier, ranked: l.Order.Rank(nil, bag.Set)}
	return newNearest(s, segments, v, repeats)
}

// NewNearestWeighed is NewNearest for a bag of weighted members. Use ReadWeight instead of
// ReadFor.
func NewNearestWeighed(l Layout, segments []Stored, v View, w *Weighing, f Facts) *Nearest {
	return newNearest(Search{layout: l, facts: f, tier: lastTier, weighing: w, ranked: w.members}, segments, v, 0)
}

// newNearest takes counters for each segment.
func newNearest(s Search, segments []Stored, v View, repeats measure.Repeats) *Nearest {
	n := &Nearest{search: s, repeats: repeats, view: v}
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

// ReadFor looks up enough members to meet every set that scores at least t. more is false if no
// further members were needed.
func (n *Nearest) ReadFor(t api.Threshold) (more bool, err error) {
	w, ok := n.search.formula.Window(n.search.facts.Size, t, n.repeats)
	if !ok {
		return false, nil
	}
	n.need, n.search.t, n.search.needs = w.Need, t, nil
	return n.readTo(len(n.search.ranked) - int(w.Need) + 1)
}

// ReadWeight is ReadFor for weighted members: it meets every set that shares at least this
// weight.
func (n *Nearest) ReadWeight(weight uint64) (more bool, err error) {
	w := n.search.weighing
	n.need = w.Need(weight)
	n.search.need = n.need
	return n.readTo(w.first(n.need))
}

// readTo looks up the members before index end.
func (n *Nearest) readTo(end int) (more bool, err error) {
	if end <= n.read {
		return false, nil
	}
	at, block := n.read, n.search.ranked[n.read:end]
	n.read = end
	for _, c := range n.counted {
		if err := c.count(&n.search, at, block, Parts, lastTier); err != nil {
			return false, err
		}
	}
	return true, nil
}

// Tally is a set with an upper bound on its looked-up members.
type Tally struct {
	Set    uint32
	Shared uint64
}

// Most returns the k sets with the highest counts, or all if there are fewer.
func (n *Nearest) Most(k int) (top []Tally) {
	order := func(a, b Tally) int { return cmp.Or(cmp.Compare(b.Shared, a.Shared), cmp.Compare(a.Set, b.Set)) }
	least := uint64(1)
	for _, c := range n.counted {
		c.each(least, func(rel uint32, shared uint64) uint64 {
			s := Tally{c.seg.Lo + rel, shared}
			at, _ := slices.BinarySearchFunc(top, s, order)
			if top = slices.Insert(top, at, s); len(top) > k {
				top = top[:k]
				least = top[k-1].Shared + 1
			}
			return least
		})
	}
	return top
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
	if _, err := n.readTo(len(n.search.ranked)); err != nil {
		return dst, err
	}
	for _, c := range n.counted {
		c.each(n.need, func(rel uint32, shared uint64) uint64 {
			if set := c.seg.Lo + rel; n.search.admits(n.view.Size(set), shared) {
				dst = append(dst, Tally{set, shared})
			}
			return n.need
		})
	}
	return dst, nil
}
