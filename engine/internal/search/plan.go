package search

// Search plans and results.

import (
	"iter"

	"github.com/simdb/simdb/api"
)

// Result is a running answer: a plan and its rows, in order. The counts of Plan are final
// once All has ended. All may be ranged over once, from one goroutine.
type Result[T any] struct {
	Plan *api.Plan
	All  iter.Seq2[T, error]
}

// NewPlan returns an empty plan of a search by access a, chosen for the reason why.
func NewPlan(q Search, a api.Access, why string) *api.Plan {
	return &api.Plan{
		Measure: q.Measure.Describe(q.Args), MinSim: q.Min.String(),
		Access: string(a), Exact: a != api.AccessInterval, Why: why, Filters: []api.FilterStat{},
	}
}

// Limited truncates a sequence after n items; 0 means no limit.
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
