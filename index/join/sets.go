package join

import (
	"context"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/shingle"
)

// Options and results of joins by shared members, for every measure of bags and every threshold.

// Sets configures a join by a measure of bags. It reads the tokens of all members or, if Signed,
// only the facts of the sets. Pairs runs it, once.
type Sets struct {
	Formula measure.Formula
	Min     api.Threshold
	Sides   []Side  // one side, joined with itself, or two: queries and documents
	Whole   bool    // two sides are parts of one collection: in one order, and a match in either direction counts
	Memory  Memory  // nil: the Go heap
	Scratch Scratch // nil: memory
	Signed  bool    // compare sets by signatures, without reading tokens
	Wide    int     // width of signatures made from Bags, as a multiple of the sets' own; 0: use the sets' own
	Bags    Bags

	room   int    // set by tests: words in memory
	length uint32 // set by tests: of a stretch
}

// Side is sets with their tokens.
type Side struct {
	Sets   index.View
	Tokens Tokens
}

// Bags calls yield with the members of each set of a side, possibly from several goroutines.
type Bags func(ctx context.Context, side int, yield func(set uint32, members shingle.Set)) error

// Stats counts the work of a join.
type Stats struct {
	Postings  int64 // tokens read
	Pairs     int64 // times that a set met another in a bucket
	Length    int64 // pairs of fitting sizes that share enough tokens
	Signature int64 // pairs that the signatures admit: the result
	Cells     int64 // cells of the join
	Dealt     int64 // bytes written to scratch
}

// Pair is two set numbers, A < B.
type Pair struct{ A, B uint32 }

// packed returns the pair of two sets as a<<32 | b, a < b.
func packed(a, b uint32) uint64 { return uint64(min(a, b))<<32 | uint64(max(a, b)) }

// separate reports whether the sides are two collections, each in its own order.
func (s *Sets) separate() bool { return len(s.Sides) > 1 && !s.Whole }

// needOf returns the number of members that a set x of a side and a set y must share; false if
// no number suffices.
func (s *Sets) needOf(x, y measure.Size, side int) (need uint64, ok bool) {
	if s.separate() {
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
