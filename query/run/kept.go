package run

// The records that a WHERE keeps. The engine stops early if it knows how many rows are wanted,
// but it does not know the WHERE.

import (
	"context"
	"iter"
	"math"

	"github.com/simdb/simdb/api"

	"github.com/simdb/simdb/query/plan"
)

// kept yields the records that the WHERE keeps, no more than are wanted of SIMILAR TO.
func kept(ctx context.Context, p *plan.Plan, n *counts) (iter.Seq2[*plan.Record, error], *api.Plan, error) {
	first, found, err := p.Start(ctx, p.Search)
	if err != nil {
		return nil, nil, err
	}
	keep := func(in iter.Seq2[*plan.Record, error]) iter.Seq2[*plan.Record, error] {
		*n = counts{}
		return keeping(ctx, p, in, n)
	}
	if p.Want == 0 {
		return keep(first), found, nil
	}
	again := func(limit int) (iter.Seq2[*plan.Record, error], error) {
		if limit == p.Search.Limit {
			return first, nil
		}
		q := p.Search
		q.Limit = limit
		more, other, err := p.Start(ctx, q)
		return func(yield func(*plan.Record, error) bool) {
			defer func() { plan.AddCounts(found, other) }()
			more(yield)
		}, err
	}
	return Enough(p.Want, p.Search.Limit, again, keep), found, nil
}

// keeping drops the records for which the WHERE is not true.
func keeping(ctx context.Context, p *plan.Plan, in iter.Seq2[*plan.Record, error], n *counts) iter.Seq2[*plan.Record, error] {
	return func(yield func(*plan.Record, error) bool) {
		for rec, err := range in {
			keep := false
			if err == nil {
				n.in++
				keep, err = p.Keeps(ctx, rec)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if !keep {
				continue
			}
			n.out++
			if !yield(rec, nil) {
				return
			}
		}
	}
}

// Enough yields the first rows of a search that keep lets through, so many. It asks with
// ever higher limits, until there are enough or the search has no more. The rows of one
// moment always come in one order, so that those kept of a search begin with those kept of
// the one before.
func Enough[T any](want, limit int, ask func(limit int) (iter.Seq2[T, error], error), keep func(iter.Seq2[T, error]) iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for given := 0; ; limit = int(min(8*int64(limit), math.MaxInt32)) {
			found, err := ask(limit)
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			all, kept := 0, 0
			for row, err := range keep(func(yield func(T, error) bool) {
				for row, err := range found {
					if all++; !yield(row, err) {
						return
					}
				}
			}) {
				if kept++; err == nil && kept <= given {
					continue
				}
				if !yield(row, err) || err != nil {
					return
				}
				if given++; given == want {
					return
				}
			}
			if all < limit || limit == math.MaxInt32 {
				return
			}
		}
	}
}
