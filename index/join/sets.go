package join

import (
	"context"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/shingle"
)

// Joins of sets by how many members they share, for every measure of bags and every
// threshold: what such a join takes and returns.

// Sets is a join by a measure of bags. It needs the tokens of all members, or, if it is
// Signed, no more than the facts of the sets.
type Sets struct {
	Formula measure.Formula
	Min     api.Threshold
	Sides   []Side  // one, which is joined with itself, or two: the queries and the documents
	Whole   bool    // two sides are parts of one collection: in one order, and a match in either direction counts
	Memory  Memory  // nil: the Go heap
	Scratch Scratch // nil: memory
	Signed  bool    // sets are compared by their signatures, and no tokens are read
	Wide    int     // signatures are made of Bags, so many times as wide as the sets' own; 0: these do
	Bags    Bags

	room   int    // set by tests: words in memory
	length uint32 // set by tests: of a stretch
}

// A Side is sets with their tokens.
type Side struct {
	Sets   index.View
	Tokens Tokens
}

// Bags reads the members of the sets of a side, and calls yield with each, maybe on several
// goroutines.
type Bags func(ctx context.Context, side int, yield func(set uint32, members shingle.Set)) error

// Stats counts what a join did.
type Stats struct {
	Postings  int64 // read
	Pairs     int64 // met in a bucket, as often as they meet
	Length    int64 // of a fitting size, that share enough as far as is counted
	Signature int64 // left by the signatures: the result
	Cells     int64 // that the join was dealt to
	Dealt     int64 // bytes written to scratch
}

// Pair is two set numbers, A < B.
type Pair struct{ A, B uint32 }

// packed returns the pair of two sets as the number a<<32 | b, a < b.
func packed(a, b uint32) uint64 { return uint64(min(a, b))<<32 | uint64(max(a, b)) }

// strangers says whether the sides are two collections, each in an order of its own.
func (s *Sets) strangers() bool { return len(s.Sides) > 1 && !s.Whole }

// needOf returns how many members a set of side and another one must share.
func (s *Sets) needOf(x, y measure.Size, side int) (need uint64, ok bool) {
	if s.strangers() {
		if side == 1 {
			x, y = y, x
		}
		return s.Formula.Need(x, y, s.Min)
	}
	need, ok = s.Formula.Need(x, y, s.Min)
	if !s.Formula.Symmetric() {
		if n, also := s.Formula.Need(y, x, s.Min); also && (!ok || n < need) {
			return n, true
		}
	}
	return need, ok
}
