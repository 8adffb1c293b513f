package scale

// Strategy of the join: by tokens, or by signatures if tokens are so frequent that signatures
// cost less. The first task of stage order chooses with the cost model of a store.

import (
	"maps"
	"math"
	"slices"

	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/index/join"
)

// strategy is 0 for tokens. For signatures it is 1 plus the factor by which they are wider than
// the sets' own; 1 means the sets' own.
type strategy uint64

const byTokens strategy = 0

// wide returns the factor, or 0 for the sets' own signatures.
func (w strategy) wide() int { return max(int(w)-1, 0) }

// sets returns a join without its sides.
func (r rule) sets() join.Sets { return join.Sets{Formula: r.formula, Min: r.min, Whole: true} }

// choose estimates the cost of both strategies from token counters and numbers of sets by size.
func (r rule) choose(counters []uint32, sizes map[uint64]uint64) strategy {
	sets, members, tokens := 0.0, 0.0, 0.0
	for size, n := range sizes {
		sets += float64(n)
		members += float64(n) * float64(size)
		tokens += float64(n) * float64(r.prefixLen(int(size)))
	}
	byTokensNanos := join.TokenNanos(tokens, meets(counters, tokens/members))
	if byTokensNanos < join.SlowNanos || sets == 0 {
		return byTokens
	}
	// A sample represents all sets: each pair in it stands for so many pairs.
	var table index.Table
	const most = 256
	passed, next := 0.0, 0.0
	for _, size := range slices.Sorted(maps.Keys(sizes)) {
		for passed += float64(sizes[size]); next < passed; next += max(sets/most, 1) {
			table.Put(table.View().Len(), index.Facts{Size: sizeOf(uint32(size))})
		}
	}
	s := r.sets()
	s.Sides = []join.Side{{Sets: table.View()}}
	pairs := math.Pow(sets/float64(table.View().Len()), 2)
	if nanos, wide := s.SignedNanos(math.MaxInt64, members/pairs); nanos*pairs < byTokensNanos {
		return strategy(1 + wide)
	}
	return byTokens
}

// meets predicts the number of meetings of two sets at a token, for the rarest tokens that make
// up the given share of all occurrences.
func meets(counters []uint32, share float64) (n float64) {
	var tokens, pairs [256]float64 // by class
	all := 0.0
	for _, c := range counters {
		k, c := classOf(c), float64(c)
		tokens[k] += c
		pairs[k] += c * (c - 1) / 2
		all += c
	}
	left := share * all
	for k, t := range tokens {
		if t > 0 && left > 0 {
			n += pairs[k] * min(left/t, 1)
			left -= t
		}
	}
	return n
}
