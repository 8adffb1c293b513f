package index

// This file counts the members of a probe list by list, for the sets nearest to it.

import (
	"cmp"
	"slices"

	"github.com/simdb/simdb/internal/shingle"
)

// Nearest counts what the sets of some segments share with a bag, the rarest members
// first. It must be closed after use.
type Nearest struct {
	search  Search
	counted []*counters // by segment
	read    int         // members looked up
}

// NewNearest makes one that has counted nothing.
func NewNearest(l Layout, segments []Stored, bag shingle.Bag) *Nearest {
	n := &Nearest{search: Search{layout: l, bag: bag, ranked: l.Order.Rank(nil, bag.Set)}}
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

// Left is how many members are not looked up. A set that was met shares at most its count
// and these, any other set these.
func (n *Nearest) Left() int { return len(n.search.ranked) - n.read }

// Read looks so many more members up.
func (n *Nearest) Read(members int) error {
	block := n.search.ranked[n.read:][:min(members, n.Left())]
	n.read += len(block)
	for _, c := range n.counted {
		if err := c.count(&n.search, block, Parts, lastTier); err != nil {
			return err
		}
	}
	return nil
}

// Tally is a set with how many of the members that were looked up it has, at most.
type Tally struct {
	Set    uint32
	Shared uint64
}

// Met appends the sets that were met.
func (n *Nearest) Met(dst []Tally) []Tally {
	for _, c := range n.counted {
		for _, rel := range c.touched {
			dst = append(dst, Tally{c.seg.Lo + rel, c.shared(rel)})
		}
	}
	return dst
}

// Most returns the k sets with the highest counts, or all if there are fewer.
func Most(sets []Tally, k int) []Tally {
	top := slices.Clone(sets[:min(k, len(sets))])
	order := func(a, b Tally) int { return cmp.Or(cmp.Compare(b.Shared, a.Shared), cmp.Compare(a.Set, b.Set)) }
	slices.SortFunc(top, order)
	for _, s := range sets[len(top):] {
		if len(top) > 0 && order(s, top[len(top)-1]) < 0 {
			at, _ := slices.BinarySearchFunc(top, s, order)
			copy(top[at+1:], top[at:len(top)-1])
			top[at] = s
		}
	}
	return top
}
