package query

// The rows of a statement. Records that the WHERE keeps become rows one by one,
// and OFFSET and LIMIT choose among them.

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/simdb/simdb/api"
)

// Row holds one value per column: string, int64, uint64, float64, bool, nil,
// json.Number, or a list or an object of metadata.
type Row []any

// Rows is the running answer of a statement. Range over All once, then call
// Close.
type Rows struct {
	Columns []string

	notes []string
	lists *listNotes // gathered while rows are read
	plan  *api.Plan
	all   iter.Seq2[Row, error]
	close func() error
	at    cursor
}

var errRead = errors.New("query: rows were read already")

// All yields the rows. If there is an error, it is yielded last. All can be
// ranged over once.
func (r *Rows) All() iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		all := r.all
		r.all = nil
		if all == nil {
			yield(nil, errRead)
			return
		}
		for row, err := range all {
			if !yield(row, err) || err != nil {
				return
			}
		}
	}
}

// Notes returns what a reader of the rows should know, such as a threshold that
// was assumed. The notes are complete when the rows have been read.
func (r *Rows) Notes() []string {
	if r.lists == nil {
		return r.notes
	}
	return slices.Concat(r.notes, r.lists.notes)
}

// Plan returns how a search went. It has the counts once the rows have been
// read. It is nil for a statement that searches nothing.
func (r *Rows) Plan() *api.Plan { return r.plan }

// Close frees what the rows hold. Rows that were not read are dropped. Closing
// again does nothing.
func (r *Rows) Close() error {
	r.all = nil
	if r.at.stop != nil {
		r.at.stop()
		r.at.row = nil
	}
	if r.close == nil {
		return nil
	}
	c := r.close
	r.close = nil
	return c()
}

// fixed returns the answer of a statement whose rows are known already.
func fixed(columns []string, rows ...Row) *Rows {
	return &Rows{Columns: columns, all: func(yield func(Row, error) bool) {
		for _, r := range rows {
			if !yield(r, nil) {
				return
			}
		}
	}}
}

// filterCount counts the records that reach the WHERE of a plan, and those that
// it keeps. Without a WHERE all are kept.
type filterCount struct{ in, out int64 }

// rows turns the records that a plan keeps into its rows.
func (p *plan) rows(ctx context.Context, in iter.Seq2[*record, error]) iter.Seq2[Row, error] {
	if p.groups != nil {
		in = p.groups.grouped(ctx, in)
	}
	switch {
	case p.count:
		return p.paged(counted(in))
	case len(p.order) > 0:
		return p.paged(p.sorted(ctx, in))
	}
	return p.paged(func(yield func(Row, error) bool) {
		for rec, err := range in {
			if err != nil {
				yield(nil, err)
				return
			}
			row, err := p.row(ctx, rec)
			if !yield(row, err) || err != nil {
				return
			}
		}
	})
}

// kept drops the records for which the WHERE is not true. It checks the context
// after each test, because a test that the context ended has decided nothing.
func (p *plan) kept(ctx context.Context, in iter.Seq2[*record, error], n *filterCount) iter.Seq2[*record, error] {
	return func(yield func(*record, error) bool) {
		for rec, err := range in {
			if err != nil {
				yield(nil, err)
				return
			}
			n.in++
			if p.keep != nil {
				keep := p.keep(rec)
				if err := cmp.Or(rec.err, ctx.Err()); err != nil {
					yield(nil, err)
					return
				}
				if keep != yes {
					continue
				}
			}
			n.out++
			if !yield(rec, nil) {
				return
			}
		}
	}
}

func counted(in iter.Seq2[*record, error]) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		var n int64
		for _, err := range in {
			if err != nil {
				yield(nil, err)
				return
			}
			n++
		}
		yield(Row{n}, nil)
	}
}

// cellsAtOnce is how many cells of a row are read between two checks of the
// context. SELECT * makes a column of every field that a document has.
const cellsAtOnce = 10_000

func (p *plan) row(ctx context.Context, rec *record) (Row, error) {
	row := make(Row, len(p.cells))
	for i, c := range p.cells {
		if i%cellsAtOnce == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		row[i] = rec.cell(c)
	}
	return row, rec.err
}

// paged applies OFFSET and LIMIT. It asks for no row after the last one that is
// wanted.
func (p *plan) paged(in iter.Seq2[Row, error]) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		if p.limit == 0 {
			return
		}
		skip, left := p.offset, p.limit
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
