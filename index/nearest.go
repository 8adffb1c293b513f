package index

// This file finds the sets nearest to a probe: it counts members list by list, the rarest
// first, while the threshold rises.

import (
	"cmp"
	"slices"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/shingle"
)

// Nearest counts what the sets of some segments share with a bag, the rarest members
// first. It must be closed after use.
type Nearest struct {
	search  Search
	repeats measure.Repeats
	view    View
	counted []*counters // by segment
	read    int         // members looked up
	need    uint64      // that a set shares which scores as much as was read for
}

// NewNearest makes one that has counted nothing. The repeats of the sets are bounded.
func NewNearest(l Layout, segments []Stored, v View, bag shingle.Bag, f Facts, formula measure.Formula, repeats measure.Repeats) *Nearest {
	s := Search{layout: l, bag: bag, facts: f, formula: formula, tier: lastTier, ranked: l.Order.Rank(nil, bag.Set)}
	return newNearest(s, segments, v, repeats)
}

// NewNearestWeighed is NewNearest for a bag whose members weigh. ReadFor is replaced by ReadWeight.
func NewNearestWeighed(l Layout, segments []Stored, v View, w *Weighing, f Facts) *Nearest {
	return newNearest(Search{layout: l, facts: f, tier: lastTier, weighing: w, ranked: w.members}, segments, v, 0)
}

func newNearest(s Search, segments []Stored, v View, repeats measure.Repeats) *Nearest {
	n := &Nearest{search: s, repeats: repeats, view: v}
	for _, seg := range segments {
		n.counted = append(n.counted, takeCounters(seg))
	}
	return n
}

// Close gives the counters back.
func (n *Nearest) Close() {
	for _, c := range n.counted {
		c.giveBack()
	}
	n.counted = nil
}

// ReadFor looks as many members up as it takes to meet every set that scores t or more. more
// is false if there were no others to look up.
func (n *Nearest) ReadFor(t api.Threshold) (more bool, err error) {
	w, ok := n.search.formula.Window(n.search.facts.Size, t, n.repeats)
	if !ok {
		return false, nil
	}
	n.need, n.search.t, n.search.needs = w.Need, t, needs{}
	return n.readTo(len(n.search.ranked) - int(w.Need) + 1)
}

// ReadWeight is ReadFor where members weigh: every set is met that has members of this
// weight, or more.
func (n *Nearest) ReadWeight(weight uint64) (more bool, err error) {
	w := n.search.weighing
	n.need = w.Need(weight)
	n.search.need = n.need
	return n.readTo(w.first(n.need))
}

// readTo looks up the members before end.
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

// Tally is a set with how many of the members that were looked up it has, at most.
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

// Met is how many sets were met.
func (n *Nearest) Met() (sets int) {
	for _, c := range n.counted {
		sets += len(c.touched)
	}
	return sets
}

// Reach appends the sets that may score as much as was read for, with how many members they
// share, at most. The members that were not looked up are counted in the sets that were met.
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
