package index

// This file finds the sets nearest to a probe: it counts members list by list, the rarest
// first, while the threshold rises.

import (
	"cmp"
	"slices"

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
}

// NewNearest makes one that has counted nothing. The repeats of the sets are bounded.
func NewNearest(l Layout, segments []Stored, v View, bag shingle.Bag, f Facts, formula measure.Formula, repeats measure.Repeats) *Nearest {
	n := &Nearest{search: Search{layout: l, bag: bag, facts: f, formula: formula, tier: lastTier}, repeats: repeats, view: v}
	n.search.ranked = l.Order.Rank(nil, bag.Set)
	for _, s := range segments {
		n.counted = append(n.counted, takeCounters(s))
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

// left is how many members are not looked up.
func (n *Nearest) left() int { return len(n.search.ranked) - n.read }

// ReadFor looks as many members up as it takes to meet every set that scores t or more. more
// is false if there were no others to look up.
func (n *Nearest) ReadFor(t measure.Threshold) (more bool, err error) {
	w, ok := n.search.formula.Window(n.search.facts.Size, t, n.repeats)
	if !ok {
		return false, nil
	}
	end := len(n.search.ranked) - int(w.Need) + 1
	if end <= n.read {
		return false, nil
	}
	block := n.search.ranked[n.read:end]
	n.read = end
	for _, c := range n.counted {
		if err := c.count(&n.search, block, Parts, lastTier); err != nil {
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
	least := uint64(0) // of the top, once there are k
	for _, c := range n.counted {
		c.each(func(rel uint32, shared uint64) {
			if shared <= least {
				return
			}
			s := Tally{c.seg.Lo + rel, shared}
			at, _ := slices.BinarySearchFunc(top, s, order)
			if at == k {
				return
			}
			if top = slices.Insert(top, at, s); len(top) >= k {
				top = top[:k]
				least = top[k-1].Shared
			}
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

// Reach appends the sets that may score t or more, after ReadFor(t), with how many members they
// may share. Nothing can be read after that.
func (n *Nearest) Reach(t measure.Threshold, dst []Tally) ([]Tally, error) {
	s := &n.search
	s.t, s.needs = t, needs{}
	w, ok := s.formula.Window(s.facts.Size, t, n.repeats)
	if !ok {
		return dst, nil
	}
	for _, c := range n.counted {
		var sets []uint32
		left := uint64(n.left())
		c.each(func(rel uint32, shared uint64) {
			if set := c.seg.Lo + rel; shared+left >= w.Need && s.admits(n.view.Size(set), shared+left) {
				sets = append(sets, set)
			}
		})
		c.mark(sets, true)
		sets, asked, err := c.narrow(s, s.ranked[n.read:], sets, n.view)
		if err != nil {
			return dst, err
		}
		for _, set := range sets {
			dst = append(dst, Tally{set, c.have(set) + uint64(len(s.ranked)-n.read-asked)})
		}
	}
	return dst, nil
}
