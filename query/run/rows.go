package run

// The rows of a search: each record that passes the WHERE becomes a row, and OFFSET and
// LIMIT select a range of them.

import (
	"context"
	"iter"
	"math"
	"slices"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/query/plan"
)

// counts holds the numbers of records before and after the WHERE of a plan. They are equal
// without a WHERE.
type counts struct{ in, out int64 }

// searchRecords runs the search of a plan and yields the records that pass the WHERE, for
// SIMILAR TO at most p.Want.
func searchRecords(ctx context.Context, p *plan.Plan, n *counts) (iter.Seq2[*plan.Record, error], *api.Plan, error) {
	first, found, err := p.Start(ctx, p.Search)
	if err != nil {
		return nil, nil, err
	}
	keep := func(in iter.Seq2[*plan.Record, error]) iter.Seq2[*plan.Record, error] {
		// Every search starts the counts again, because it repeats the records of the
		// previous one.
		*n = counts{}
		rows := CutRows(p.Cut, filterRecords(ctx, p, in, n), (*plan.Record).Score)
		if !p.Cut.ByScore() {
			return rows
		}
		return func(yield func(*plan.Record, error) bool) {
			var out int64 // without the record past the cut
			rows(func(rec *plan.Record, err error) bool {
				out++
				return yield(rec, err)
			})
			n.out = out
		}
	}
	// Without a bound a single search returns everything.
	if p.Want == 0 {
		return keep(first), found, nil
	}
	again := func(limit int) (iter.Seq2[*plan.Record, error], error) {
		// The first search has already started, so that its errors appear before the first
		// row.
		if limit == p.Search.Limit {
			return first, nil
		}
		q := p.Search
		q.Limit = limit
		more, other, err := p.Start(ctx, q)
		return func(yield func(*plan.Record, error) bool) {
			// The plan of the caller is that of the first search; later ones add to its
			// counts.
			defer func() { plan.AddCounts(found, other) }()
			more(yield)
		}, err
	}
	return Enough(p.Want, p.Search.Limit, again, keep), found, nil
}

// CutRows ends the rows of a search for one target at the cut. Rows must come best first.
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

// filterRecords yields the records for which the WHERE is true, and counts both kinds.
func filterRecords(ctx context.Context, p *plan.Plan, in iter.Seq2[*plan.Record, error], n *counts) iter.Seq2[*plan.Record, error] {
	return func(yield func(*plan.Record, error) bool) {
		for rec, err := range in {
			keep := false
			if err == nil {
				rows, of := rec.Rows()
				// The engine has already rejected the rows by tests of their documents.
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

// Enough yields the first want rows of a search that keep passes. It calls ask with growing
// limits until there are enough or the search has no more rows. At one snapshot the order
// of rows is fixed, so the rows kept from a search begin with the rows kept before,
// and Enough skips them. A keep that stops reading ends the search.
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
				// An earlier search already gave this row to the caller.
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
			// Fewer rows than the limit mean that the search has no more.
			if ended || all < limit || limit == math.MaxInt32 {
				return
			}
		}
	}
}

// start runs a plan.
func start(ctx context.Context, p *plan.Plan) (*Answer, error) {
	var n counts
	in, found, err := searchRecords(ctx, p, &n)
	if err != nil {
		return nil, err
	}
	if p.Limit >= 0 {
		// With a LIMIT the reading stops early, so the number of pairs would be wrong.
		found.Pairs = 0
	}
	all := rows(ctx, p, in)
	return &Answer{
		Columns: p.Columns, Plan: found,
		Notes: func() []string { return slices.Concat(p.Notes(), p.Met(), plan.ChainNotes(found)) },
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

// finish completes the plan of the engine: the WHERE as a filter, and the number of rows.
// For count(*) that is the number of rows counted.
func finish(p *plan.Plan, found *api.Plan, n counts, out int64) {
	p.Filtered(found, n.in, n.out)
	found.Matches = out
	if p.Count {
		found.Matches = n.out
	}
}

// rows converts the records that pass the WHERE to rows.
func rows(ctx context.Context, p *plan.Plan, in iter.Seq2[*plan.Record, error]) iter.Seq2[[]any, error] {
	// Groups first: COUNT, ORDER BY and LIMIT then apply to the groups.
	if p.Groups != nil {
		in = groupRecords(ctx, p.Groups, in)
	}
	switch {
	case p.Count:
		return cutPage(p, countRecords(in))
	case len(p.Order) > 0:
		return cutPage(p, sortRecords(ctx, p, in))
	}
	return cutPage(p, func(yield func([]any, error) bool) {
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

// countRecords yields the only row of count(*).
func countRecords(in iter.Seq2[*plan.Record, error]) iter.Seq2[[]any, error] {
	return func(yield func([]any, error) bool) {
		n, err := plan.CountRows(in)
		if err != nil {
			yield(nil, err)
			return
		}
		yield([]any{n}, nil)
	}
}

// cellsAtOnce is the number of cells read between two checks of the context. SELECT * has a
// column for every metadata field of a document.
const cellsAtOnce = 10_000

// row reads the cells of a record.
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

// cutPage applies OFFSET and LIMIT. It reads no record past the last row of the page, which
// might need another search.
func cutPage(p *plan.Plan, in iter.Seq2[[]any, error]) iter.Seq2[[]any, error] {
	return func(yield func([]any, error) bool) {
		// LIMIT 0 must not run the search at all.
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
