package overview

// The most similar pairs; of equally similar ones, the pairs with most shared shingles.

import (
	"cmp"
	"container/heap"
	"slices"

	"github.com/simdb/simdb/api"
)

// ranked collects pairs that arrive by descending similarity.
type ranked struct {
	most  int
	pairs []api.PairMatch
	level level // pairs of the lowest similarity so far
}

// add adds a pair.
func (r *ranked) add(row api.PairMatch) {
	if len(r.level) > 0 && r.level[0].Sim != row.Sim {
		r.flush()
	}
	room := r.most - len(r.pairs)
	switch {
	case len(r.level) < room:
		heap.Push(&r.level, row)
	case room > 0 && before(row, r.level[0]):
		r.level[0] = row
		heap.Fix(&r.level, 0)
	}
}

// flush appends the pairs of the level.
func (r *ranked) flush() {
	slices.SortFunc(r.level, compare)
	r.pairs, r.level = append(r.pairs, r.level...), r.level[:0]
}

// compare orders pairs of one similarity: most shared first, then by ids.
func compare(a, b api.PairMatch) int {
	return cmp.Or(cmp.Compare(b.Shared, a.Shared), cmp.Compare(a.A, b.A), cmp.Compare(a.B, b.B))
}

func before(a, b api.PairMatch) bool { return compare(a, b) < 0 }

// level is a heap with the last pair in front.
type level []api.PairMatch

func (l level) Len() int           { return len(l) }
func (l level) Less(i, j int) bool { return before(l[j], l[i]) }
func (l level) Swap(i, j int)      { l[i], l[j] = l[j], l[i] }
func (l *level) Push(x any)        { *l = append(*l, x.(api.PairMatch)) }
func (l *level) Pop() any {
	last := (*l)[len(*l)-1]
	*l = (*l)[:len(*l)-1]
	return last
}
