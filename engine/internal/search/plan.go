package search

// The plan of a search, which says what was done, and the answer that it comes with.

import (
	"iter"

	"github.com/simdb/simdb/api"
)

// Result is a running answer: a plan and its rows, in order. All may be ranged
// over once.
type Result[T any] struct {
	Plan *api.Plan
	All  iter.Seq2[T, error]
}

// NewPlan begins the plan of a search that goes by an access.
func NewPlan(q Search, a api.Access, why string) *api.Plan {
	return &api.Plan{
		Measure: q.Measure.Describe(q.Args), MinSim: q.Min.String(),
		Access: string(a), Exact: a != api.AccessInterval, Why: why, Filters: []api.FilterStat{},
	}
}

// Limited ends a sequence after n items; 0 means all.
func Limited[T any](seq iter.Seq2[T, error], n int) iter.Seq2[T, error] {
	if n <= 0 {
		return seq
	}
	return func(yield func(T, error) bool) {
		left := n
		for item, err := range seq {
			if !yield(item, err) {
				return
			}
			if left--; left == 0 {
				return
			}
		}
	}
}
