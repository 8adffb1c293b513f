package simdb

import (
	"context"
	"fmt"
	"iter"
	"strconv"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"

	"github.com/simdb/simdb/query"
)

// A SearchOption narrows Similar, Pairs or Clusters. Without any they search
// the collection docs for resemblance ≥ 0.8, and return all there is.
type SearchOption func(*search)

// search gathers options; the first error in one is the answer's.
type search struct {
	engine.Search
	where   *condition
	limit   int  // of the rows that where keeps
	bounded bool // a threshold was given
	err     error
}

func newSearch(opts []SearchOption) (*search, error) {
	s := search{Search: engine.Search{Min: api.Ratio(4, 5)}}
	for _, o := range opts {
		o(&s)
	}
	if s.Nearest > 0 && !s.bounded {
		s.Min = api.Threshold{}
	}
	return &s, s.err
}

// ofOne makes Nearest a limit, which is all that the search for one target needs.
func (s *search) ofOne() {
	if s.Nearest == 0 {
		return
	}
	if s.Limit == 0 || s.Nearest < s.Limit {
		s.Limit = s.Nearest
	}
	if least := api.Ratio(1, 64); s.Measure == api.SimHash && s.Min.Cmp(least) < 0 {
		s.Min = least
	}
	s.Nearest = 0
}

func (s *search) fail(format string, args ...any) {
	if s.err == nil {
		s.err = invalid(format, args...)
	}
}

// MinSim keeps what is at least this similar. The float is read as the decimal
// it prints as, so that MinSim(0.8) is 4/5 exactly. ErrInvalid below 0 and above 1.
func MinSim(sim float64) SearchOption {
	return func(s *search) {
		t, err := api.ThresholdOf(sim)
		switch {
		case err == nil:
			s.Min, s.bounded = t, true
		case sim >= 2 && sim <= 100:
			meant, _ := api.ParseThreshold(strconv.FormatFloat(sim, 'f', -1, 64) + "%") // sim/100 as a float may have many digits
			s.fail("MinSim(%v): a similarity is from 0 to 1; did you mean %v?", sim, meant)
		default:
			s.fail("MinSim(%v): %v", sim, err)
		}
	}
}

// Min is MinSim with an exact threshold.
func Min(t api.Threshold) SearchOption { return func(s *search) { s.Min, s.bounded = t, true } }

// Nearest asks for the n most similar documents, whatever their similarity above 0, and not
// for those from 0.8 on. MinSim beside it bounds them. Of equally similar ones the first by
// id are taken. In Pairs it asks for the n most similar B of each A, and without Against
// every document is an A: a pair may come in both directions. With Where the nearest are
// those among the documents, or pairs, that satisfy it. Limit then counts what Nearest has
// found. ErrInvalid below 1, and in any other search.
func Nearest(n int) SearchOption {
	return func(s *search) {
		if s.Nearest = n; n < 1 {
			s.fail("Nearest(%d): want 1 or more", n)
		}
	}
}

// Mutual keeps, of Pairs with Nearest, those pairs whose A is also among the n most similar
// documents of B. By a symmetric measure each pair comes once, with A < B unless Against or
// Where tell them apart.
func Mutual() SearchOption { return func(s *search) { s.Search.Mutual = true } }

// Limit stops after n rows; 0 means all. ErrInvalid below 0.
func Limit(n int) SearchOption { return func(s *search) { s.Limit = n } }

// In searches these collections instead of docs.
func In(collections ...string) SearchOption { return func(s *search) { s.In = collections } }

// Against makes Pairs join the documents of In with those of these collections.
// ErrInvalid in any other search.
func Against(collections ...string) SearchOption {
	return func(s *search) { s.Search.Against = collections }
}

// Since keeps the pairs, of Pairs, and the groups, of Clusters, that have a document put
// since a mark: one that was new, or replaced, also by an equal text. Mark makes marks.
// The answer is ErrMark for what is no mark of this database.
func Since(mark string) SearchOption {
	return func(s *search) {
		if mark == "" && s.err == nil {
			s.err = fmt.Errorf("%w: an empty one", api.ErrMark)
		}
		s.Search.Since = mark
	}
}

// Using scores by another measure than Jaccard, with its arguments if they are
// not to be the defaults. ErrInvalid for arguments that the measure does not take. A
// measure of bags by another k than the collection's reads every text, and serves searches
// for one target alone: for pairs, groups and conditions it is ErrInvalid.
func Using(m api.Measure, args ...api.Args) SearchOption {
	return func(s *search) {
		if len(args) > 1 {
			s.fail("Using takes one Args, not %d", len(args))
		}
		s.Measure, s.Args = m, argsOf(args)
	}
}

// argsOf returns what is there of arguments that may be left out.
func argsOf(args []api.Args) (a api.Args) {
	if len(args) > 0 {
		a = args[0]
	}
	return a
}

// Via finds candidates in the way named, instead of the cheapest exact one.
func Via(a api.Access) SearchOption { return func(s *search) { s.Access = a } }

// Similar yields the documents similar to the target, sim descending, then id
// ascending. A stored target does not match itself. An error ends the loop;
// ErrNotFound if the target is not stored.
func (db *DB) Similar(ctx context.Context, target api.Target, opts ...SearchOption) iter.Seq2[api.Match, error] {
	return rowsOf(ctx, db, opts, query.ForSimilar, func(s *Snapshot, q *search, f *query.Filter) (iter.Seq2[api.Match, error], error) {
		return query.Enough(f, q.Limit+q.limit, func(limit int) (iter.Seq2[api.Match, error], error) {
			of := q.Search
			of.Limit = limit
			return rowsOfResult(s.Similar(ctx, target, of))
		}), nil
	})
}

// Pairs yields all pairs of similar documents, sim descending, then by their
// ids, in memory that does not grow with their number.
func (db *DB) Pairs(ctx context.Context, opts ...SearchOption) iter.Seq2[api.PairMatch, error] {
	return rowsOf(ctx, db, opts, query.ForPairs, func(s *Snapshot, q *search, f *query.Filter) (iter.Seq2[api.PairMatch, error], error) {
		rows, err := rowsOfResult(s.Pairs(ctx, q.Search))
		return query.Filtered(f, rows, q.limit), err
	})
}

// Clusters yields the members of the groups that similar pairs tie together,
// largest group first.
func (db *DB) Clusters(ctx context.Context, opts ...SearchOption) iter.Seq2[api.ClusterMember, error] {
	return rowsOf(ctx, db, opts, query.ForClusters, func(s *Snapshot, q *search, _ *query.Filter) (iter.Seq2[api.ClusterMember, error], error) {
		return rowsOfResult(s.Clusters(ctx, q.Search))
	})
}

// rowsOfResult leaves the plan of an answer out.
func rowsOfResult[T any](r *engine.Result[T], err error) (iter.Seq2[T, error], error) {
	if err != nil {
		return nil, err
	}
	return r.All, nil
}

// rowsOf runs a search on a snapshot of its own, each time it is ranged over.
func rowsOf[T any](ctx context.Context, db *DB, opts []SearchOption, is query.For, run func(*Snapshot, *search, *query.Filter) (iter.Seq2[T, error], error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		q, err := newSearch(opts)
		if err == nil {
			err = engine.CheckContext(ctx)
		}
		if err != nil {
			yield(none, err)
			return
		}
		s, err := db.Snapshot()
		if err != nil {
			yield(none, err)
			return
		}
		defer s.Close()
		if is == query.ForSimilar {
			q.ofOne()
		}
		filter, err := q.filter(ctx, query.One(s), is)
		if err != nil {
			yield(none, err)
			return
		}
		rows, err := run(s, q, filter)
		if err != nil {
			yield(none, err)
			return
		}
		for row, err := range rows {
			if !yield(row, err) || err != nil {
				return
			}
		}
	}
}
