package run

// The rows of a search. Records that the WHERE keeps become rows one by one,
// and OFFSET and LIMIT choose among them.

import (
	"context"
	"iter"
	"slices"

	"github.com/simdb/simdb/api"

	"github.com/simdb/simdb/query/plan"
)

// start runs a plan.
func start(ctx context.Context, p *plan.Plan) (*Answer, error) {
	var n counts
	in, found, err := kept(ctx, p, &n)
	if err != nil {
		return nil, err
	}
	all := rows(ctx, p, in)
	return &Answer{
		Columns: p.Columns, Plan: found,
		Notes: func() []string { return slices.Concat(p.Notes(), p.Lists()) },
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

// counts are the records that reach the WHERE of a plan, and those that it keeps. Without a
// WHERE all are kept.
type counts struct{ in, out int64 }

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
		n, err := plan.Length(in)
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
