package query

// A WHERE for the searches that are calls of Go: the same predicates as in statements.

import (
	"cmp"
	"context"
	"iter"
	"math"

	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/query/plan"
	"github.com/simdb/simdb/query/run"
)

// What the rooms below call so.
type (
	Reader = plan.Reader // what answers: One, or a snapshot of query/shards
	Found  = plan.Found  // a row of several stores
	Filter = plan.Filter // a WHERE that tests the rows of a search; nil keeps all
	For    = plan.For    // which search a Filter is for
)

// The searches.
const (
	ForSimilar  = plan.ForSimilar  // fields are those of SIMILAR TO
	ForPairs    = plan.ForPairs    // fields are those of SIMILAR PAIRS: a.year, b.year, sim
	ForClusters = plan.ForClusters // fields are those of a document
)

// One is one store.
func One(snap *engine.Snapshot) Reader { return plan.Of(snap) }

// NewFilter compiles a predicate for a search, and narrows the search to what indexes know
// of it. Its rows must then be tested; those of Clusters and of Pairs with Nearest
// need no test, as the engine asks the predicate. A wrong predicate gives an *api.ParseError.
func NewFilter(ctx context.Context, all Reader, search For, q *engine.Search, predicate string, args ...any) (*Filter, error) {
	return plan.NewFilter(ctx, all, search, q, predicate, Options{}.with(args))
}

// Filtered are the rows that a filter keeps, so many of them or, if that is 0, all.
func Filtered[T any](f *Filter, rows iter.Seq2[T, error], limit int) iter.Seq2[T, error] {
	if f == nil {
		return rows
	}
	return func(yield func(T, error) bool) {
		left := limit
		for row, err := range rows {
			if err == nil {
				var keep bool
				if keep, err = f.Row(row); err == nil && !keep {
					continue
				}
			}
			if !yield(row, err) || err != nil {
				return
			}
			if left--; left == 0 {
				return
			}
		}
	}
}

// Enough yields the rows of Similar that a filter keeps, up to the cut, so many or, if that is 0, all. ask
// makes a search with a limit.
func Enough(f *Filter, cut measure.Cut, want int, ask func(limit int) (iter.Seq2[Found, error], error)) iter.Seq2[Found, error] {
	keep := func(in iter.Seq2[Found, error]) iter.Seq2[Found, error] {
		return run.CutRows(cut, Filtered(f, in, 0), func(m Found) measure.Score {
			num, den := m.Ratio()
			return measure.Score{Shared: num, Of: den}
		})
	}
	if cut.ByScore() {
		return run.Enough(cmp.Or(want, math.MaxInt32), plan.FirstLimitOf(cut, f != nil), ask, keep)
	}
	if want > 0 && f != nil {
		return run.Enough(want, plan.FirstLimit(want), ask, keep)
	}
	return func(yield func(Found, error) bool) {
		rows, err := ask(want)
		if err != nil {
			yield(Found{}, err)
			return
		}
		keep(rows)(yield)
	}
}
