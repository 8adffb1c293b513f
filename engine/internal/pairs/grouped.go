package pairs

// Groups in terms of sets: sets that similar pairs connect, and sets with several documents.
// CLUSTERS and DUPLICATES derive from them.

import (
	"cmp"
	"context"
	"slices"

	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/index/join"
	"github.com/simdb/simdb/internal/measure"
)

// grouped holds the sets of all groups, ordered by their first documents. A rank is a place
// in this order.
type grouped struct {
	*found
	ranks     [][]uint32 // by side and set: rank + 1; 0 if in no group
	sets      []groupedSet
	connected join.UnionFind // by rank
}

// groupedSet is a set of a group.
type groupedSet struct {
	node
	documents uint32 // number of documents in groups
	written   bool   // a document is newer than the mark
	place     string // sort key of the first document
	first     record.Written
	like      uint32        // rank of the set that replaces it; its own if it stays
	score     measure.Score // with that set; or of its own documents with each other, if several
}

// compare orders sets by their first documents.
func (s *groupedSet) compare(t *groupedSet) int {
	return cmp.Or(cmp.Compare(s.place, t.place), s.first.Compare(t.first), cmp.Compare(s.side, t.side))
}

// gather lists the sets of all groups.
func (f *found) gather(ctx context.Context) (*grouped, error) {
	c := &grouped{found: f, ranks: make([][]uint32, len(f.views))}
	for i, v := range f.views {
		c.ranks[i] = make([]uint32, v.Table.Len())
	}
	add := func(n node) *groupedSet {
		at := &c.ranks[n.side][n.set]
		if *at == 0 {
			c.sets = append(c.sets, groupedSet{node: n})
			*at = uint32(len(c.sets))
		}
		return &c.sets[*at-1]
	}
	err := f.list.pieces(func(list []edge) error {
		for _, x := range list {
			add(x.from())
			add(x.to())
		}
		return f.m.Interrupted(ctx)
	})
	for side := range f.views {
		// Sets with several documents form groups without edges.
		if err == nil {
			err = f.shared(ctx, side, nil, func(s sharedSet) error {
				add(node{s.set, uint16(side)}).score = s.score
				return nil
			})
		}
	}
	return c, err
}

// rank sorts the sets by their first documents, which must be known.
func (c *grouped) rank() {
	slices.SortFunc(c.sets, func(a, b groupedSet) int { return a.compare(&b) })
	for i := range c.sets {
		s := &c.sets[i]
		c.ranks[s.side][s.set], s.like = uint32(i)+1, uint32(i)
	}
	c.connected = join.NewUnionFind(uint32(len(c.sets)))
}

// rankOf returns the rank of a set.
func (c *grouped) rankOf(n node) uint32 { return c.ranks[n.side][n.set] - 1 }

// groups yields the ranks of each group, ascending, in the order of their first ranks.
func (c *grouped) groups(yield func(ranks []uint32) bool) {
	ranks := make([]uint32, len(c.sets))
	for i := range ranks {
		ranks[i] = uint32(i)
	}
	slices.SortStableFunc(ranks, func(a, b uint32) int { return cmp.Compare(c.connected.Find(a), c.connected.Find(b)) })
	for from, i := 0, 1; i <= len(ranks); i++ {
		if i < len(ranks) && c.connected.Find(ranks[i]) == c.connected.Find(ranks[from]) {
			continue
		}
		if !yield(ranks[from:i:i]) {
			return
		}
		from = i
	}
}
