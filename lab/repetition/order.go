package repetition

// This file has the two global orders of shingles by which prefixes are taken:
// the paper's alphabetical one and simdb's, rarest first.

import (
	"cmp"
	"slices"

	"github.com/simdb/simdb/api"
)

// order is a global order of the symbols: place[s] is where symbol s stands.
// nil is the alphabetical one, in which a symbol stands where its number says.
type order []uint32

// rarestFirst orders the symbols by the number of documents that have them,
// ties alphabetically.
func rarestFirst(docs []document, symbols int) order {
	inDocuments := make([]uint32, symbols)
	for _, d := range docs {
		for _, s := range d.bag.Set {
			inDocuments[s]++
		}
	}
	sorted := make([]uint32, symbols)
	for i := range sorted {
		sorted[i] = uint32(i)
	}
	slices.SortStableFunc(sorted, func(a, b uint32) int { return cmp.Compare(inDocuments[a], inDocuments[b]) })
	place := make(order, symbols)
	for at, s := range sorted {
		place[s] = uint32(at)
	}
	return place
}

// prefix returns the first ⌊(1−J)·L⌋+1 of the L symbols of a document (eq. 2),
// as places in its set.
func (o order) prefix(d document, j api.Threshold) []int {
	if d.len() == 0 {
		return nil
	}
	at := make([]int, d.len())
	for i := range at {
		at[i] = i
	}
	if o != nil {
		slices.SortFunc(at, func(x, y int) int { return cmp.Compare(o[d.bag.Set[x]], o[d.bag.Set[y]]) })
	}
	return at[:prefixLen(d.len(), j)]
}

// prefixLen is ⌊(1−J)·n⌋+1 for n > 0, in integers. For 20 to 29 symbols and
// J = 0.9 it is 3; the paper's text says two there, its formula three.
func prefixLen(n int, j api.Threshold) int {
	return n - int(j.Ceil(uint64(n))) + 1
}
