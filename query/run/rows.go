package run

// The rows of a search: the records that the WHERE keeps become rows one by one, and OFFSET and
// LIMIT choose among them.

import (
	"context"
	"iter"
	"math"
	"slices"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/query/plan"
)

// counts are the records that reach the WHERE of a plan, and those that it keeps. Without a
// WHERE all are kept.
type counts struct{ in, out int64 }

// kept yields the records that the WHERE keeps, no more than are wanted of SIMILAR TO.
func kept(ctx context.Context, p *plan.Plan, n *counts) (iter.Seq2[*plan.Record, error], *api.Plan, error) {
	first, found, err := p.Start(ctx, p.Search)
	if err != nil {
		return nil, nil, err
	}
	keep := func(in iter.Seq2[*plan.Record, error]) iter.Seq2[*plan.Record, error] {
		*n = counts{}
		rows := CutRows(p.Cut, keeping(ctx, p, in, n), (*plan.Record).Score)
		if !p.Cut.ByScore() {
			return rows
		}
		return func(yield func(*plan.Record, error) bool) {
			var out int64 // without the one behind the cut
			rows(func(rec *plan.Record, err error) bool {
				out++
				return yield(rec, err)
			})
			n.out = out
		}
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

// CutRows ends the rows of a search for one target, which come best first.
func CutRows[T any](c measure.Cut, in iter.Seq2[T, error], score func(T) measure.Score) iter.Seq2[T, error] {
	if !c.ByScore() {
		return in
	}
	return func(yield func(T, error) bool) {
		end := measure.Ending{Cut: c}
		for row, err := range in {
			if err == nil {
				s := score(row)
				if end.Before(s) {
					return
				}
				end.Take(s)
			}
			if !yield(row, err) {
				return
			}
		}
	}
}

// keeping drops the records for which the WHERE is not true.
func keeping(ctx context.Context, p *plan.Plan, in iter.Seq2[*plan.Record, error], n *counts) iter.Seq2[*plan.Record, error] {
	return func(yield func(*plan.Record, error) bool) {
		for rec, err := range in {
			keep := false
			if err == nil {
				rows, of := rec.Rows()
				if n.in += of; rows == 0 {
					continue
				}
				keep, err = p.Keeps(ctx, rec)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if !keep {
				continue
			}
			rows, _ := rec.Rows()
			n.out += rows
			if !yield(rec, nil) {
				return
			}
		}
	}
}

// Enough yields the first rows of a search that keep lets through, so many. It asks with
// ever higher limits, until there are enough or the search has no more. The rows of one
// moment always come in one order, so that those kept of a search begin with those kept of
// the one before. A keep that takes no more rows ends the search.
func Enough[T any](want, limit int, ask func(limit int) (iter.Seq2[T, error], error), keep func(iter.Seq2[T, error]) iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for given := 0; ; limit = int(min(8*int64(limit), math.MaxInt32)) {
			found, err := ask(limit)
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			all, kept, ended := 0, 0, false
			for row, err := range keep(func(yield func(T, error) bool) {
				for row, err := range found {
					all++
					if ended = !yield(row, err); ended {
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
			if ended || all < limit || limit == math.MaxInt32 {
				return
			}
		}
	}
}

// start runs a plan.
func start(ctx context.Context, p *plan.Plan) (*Answer, error) {
	var n counts
	in, found, err := kept(ctx, p, &n)
	if err != nil {
		return nil, err
	}
	if p.Limit >= 0 {
		found.Pairs = 0
	}
	all := rows(ctx, p, in)
	return &Answer{
		Columns: p.Columns, Plan: found,
		Notes: func() []string { return slices.Concat(p.Notes(), p.Met()) },
		All: func(yield func([]any, error) bool) {
			var out int64
			defer func() { finish(p, found, n, out) }()
			for row, err := range all {
				if err == nil {
					out++
				}
				if !yield(row, err) {
					return
				}
			}
			p.Ended(ctx, out, n.out)
		},
	}, nil
}

// finish adds to the plan of the engine what happened to its rows: the
// WHERE as a filter, and how many rows came out. For count(*) it takes the
// number of rows counted.
func finish(p *plan.Plan, found *api.Plan, n counts, out int64) {
	p.Filtered(found, n.in, n.out)
	found.Matches = out
	if p.Count {
		found.Matches = n.out
	}
}

// rows turns the records that a plan keeps into its rows.
func rows(ctx context.Context, p *plan.Plan, in iter.Seq2[*plan.Record, error]) iter.Seq2[[]any, error] {
	if p.Groups != nil {
		in = grouped(ctx, p.Groups, in)
	}
	switch {
	case p.Count:
		return paged(p, counted(in))
	case len(p.Order) > 0:
		return paged(p, sorted(ctx, p, in))
	}
	return paged(p, func(yield func([]any, error) bool) {
		for rec, err := range in {
			if err != nil {
				yield(nil, err)
				return
			}
			row, err := row(ctx, p, rec)
			if !yield(row, err) || err != nil {
				return
			}
		}
	})
}

func counted(in iter.Seq2[*plan.Record, error]) iter.Seq2[[]any, error] {
	return func(yield func([]any, error) bool) {
		n, err := plan.CountRows(in)
		if err != nil {
			yield(nil, err)
			return
		}
		yield([]any{n}, nil)
	}
}

// cellsAtOnce is how many cells of a row are read between two checks of the
// context. SELECT * makes a column of every field that a document has.
const cellsAtOnce = 10_000

func row(ctx context.Context, p *plan.Plan, rec *plan.Record) ([]any, error) {
	row := make([]any, len(p.Cells))
	for i, c := range p.Cells {
		if i%cellsAtOnce == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		row[i] = rec.Cell(c)
	}
	return row, rec.Err()
}

// paged applies OFFSET and LIMIT. It asks for no row after the last one that is
// wanted.
func paged(p *plan.Plan, in iter.Seq2[[]any, error]) iter.Seq2[[]any, error] {
	return func(yield func([]any, error) bool) {
		if p.Limit == 0 {
			return
		}
		skip, left := p.Offset, p.Limit
		for row, err := range in {
			if err == nil && skip > 0 {
				skip--
				continue
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
