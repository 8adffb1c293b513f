package index

import (
	"context"

	"github.com/simdb/simdb/measure"
)

// JoinStats counts what a join did.
type JoinStats struct {
	Postings, Pairs, Length, Signature int64 // read; met in a bucket (may repeat); left by length; left by signature, distinct
}

// Join finds candidate pairs for resemblance ≥ t among the sets of the
// segments: pairs that share a bucket of kind k (Prefix: no match is lost;
// Interval: lossy), pass the length filter and the parity signatures, each
// once, ascending by (a, b), a < b. It uses workers goroutines, honours ctx
// within 100 ms and holds at most about memory bytes beside the result.
func Join(ctx context.Context, segments []Stored, l Layout, k Kind, view View, t measure.Threshold, workers int, memory int64) ([]Pair, JoinStats, error) {
	panic("stub")
}

// Pair is two set numbers, A < B.
type Pair struct{ A, B uint32 }
