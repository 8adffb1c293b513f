package query

// Predicates for searches by Go calls, with the meaning that they have in statements.

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

// Aliases of the types of query/plan that callers of a filter need.
type (
	Reader = plan.Reader // one store (see One), or a snapshot of query/shards
	Found  = plan.Found  // a row of a search in several stores
	Filter = plan.Filter // a predicate that tests the rows of a search; nil keeps all
	For    = plan.For    // the kind of search that a Filter serves
)

// The kinds of searches.
const (
	ForSimilar  = plan.ForSimilar  // fields of SIMILAR TO
	ForPairs    = plan.ForPairs    // fields of SIMILAR PAIRS: a.year, b.year, sim
	ForClusters = plan.ForClusters // fields of a document
)

// One returns a Reader of one snapshot. The caller still closes the snapshot.
func One(snap *engine.Snapshot) Reader { return plan.Of(snap) }

// NewFilter compiles a predicate for a search, and restricts q to the documents that
// metadata indexes admit. The caller must pass every row through the filter, except for
// Clusters and for Pairs with Nearest: there the engine evaluates the predicate. A wrong
// predicate is an *api.ParseError.
func NewFilter(ctx context.Context, all Reader, search For, q *engine.Search, predicate string, args ...any) (*Filter, error) {
	return plan.NewFilter(ctx, all, search, q, predicate, Options{}.with(args))
}

// Filtered yields the rows that the filter keeps, at most limit; a limit of 0 means all. An
// error ends the rows.
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

// Enough yields the rows of Similar that the filter keeps, up to the cut and at most want;
// a want of 0 means all. It calls ask with growing limits, because the filter may drop any
// number of rows.
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
