package query

import (
	"cmp"
	"container/heap"
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/simdb/simdb/engine"
)

// Row holds one value per column: string, int64, uint64, float64, bool, nil,
// json.Number, or what metadata holds beside these: lists and objects.
type Row []any

// Rows is the running answer of a statement. Range over All once, then Close.
type Rows struct {
	Columns []string

	notes []string
	plan  *engine.Plan
	all   iter.Seq2[Row, error]
	close func() error
}

var errRead = errors.New("query: rows were read already")

// All goes through the rows; an error is the last thing it yields. It can be
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

// Notes says what a reader of the rows should know, such as a threshold that
// was assumed. It is complete when the rows are read.
func (r *Rows) Notes() []string { return r.notes }

// Plan tells how a search went, with its counts once the rows are read; nil
// for a statement that searches nothing.
func (r *Rows) Plan() *engine.Plan { return r.plan }

// Close frees what the rows hold on to. Rows not read are dropped; closing
// again does nothing.
func (r *Rows) Close() error {
	r.all = nil
	if r.close == nil {
		return nil
	}
	c := r.close
	r.close = nil
	return c()
}

// fixed returns rows that are at hand.
func fixed(columns []string, rows ...Row) *Rows {
	return &Rows{Columns: columns, all: func(yield func(Row, error) bool) {
		for _, r := range rows {
			if !yield(r, nil) {
				return
			}
		}
	}}
}

// filterCount counts what the WHERE of a plan is given and keeps: all, if there
// is none.
type filterCount struct{ in, out int64 }

// rows turns the records of a plan into its rows.
func (p *plan) rows(ctx context.Context, in iter.Seq2[*record, error], n *filterCount) iter.Seq2[Row, error] {
	in = p.kept(ctx, in, n)
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

// kept drops the records that the WHERE does not hold for. A test that the
// context ends half-way has decided nothing.
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

// cellsAtOnce is how many cells of a row are read between two looks at the
// context: SELECT * makes a column of every field that a document has.
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

// paged applies OFFSET and LIMIT, and asks for no row behind them.
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

// sorted collects the rows and yields them in order. With a LIMIT it keeps no
// more than the rows asked for.
func (p *plan) sorted(ctx context.Context, in iter.Seq2[*record, error]) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		most := -1
		if n := p.limit + p.offset; p.limit >= 0 && n >= p.limit && n < 1<<31 {
			most = int(n)
		}
		h := &sortHeap{order: p.order}
		var seq int64
		for rec, err := range in {
			if err != nil {
				yield(nil, err)
				return
			}
			it := sortItem{seq: seq, keys: make([]any, len(p.order))}
			seq++
			for i, k := range p.order {
				it.keys[i] = normal(rec.value(k.ref))
			}
			if most < 0 || len(h.items) < most || h.compare(it, h.items[0]) < 0 {
				it.row, err = p.row(ctx, rec)
				h.add(it, most)
			}
			if err = cmp.Or(err, rec.err); err != nil {
				yield(nil, err)
				return
			}
		}
		slices.SortFunc(h.items, h.compare)
		for _, it := range h.items {
			if !yield(it.row, nil) {
				return
			}
		}
	}
}

// sortItem is a row with its keys; rows with equal keys stay in the order they
// came in.
type sortItem struct {
	keys []any
	seq  int64
	row  Row
}

// sortHeap holds rows with the last of them on top.
type sortHeap struct {
	order []sortKey
	items []sortItem
}

func (h *sortHeap) compare(a, b sortItem) int {
	for i, k := range h.order {
		if c := orderValues(a.keys[i], b.keys[i], k.desc); c != 0 {
			return c
		}
	}
	return cmp.Compare(a.seq, b.seq)
}

// add takes a row; at most rows are kept, unless that is negative.
func (h *sortHeap) add(it sortItem, most int) {
	switch {
	case most < 0:
		h.items = append(h.items, it)
	case len(h.items) < most:
		heap.Push(h, it)
	default:
		h.items[0] = it
		heap.Fix(h, 0)
	}
}

// Len, Less, Swap, Push and Pop make a heap.Interface.

func (h *sortHeap) Len() int           { return len(h.items) }
func (h *sortHeap) Less(i, j int) bool { return h.compare(h.items[i], h.items[j]) > 0 }
func (h *sortHeap) Swap(i, j int)      { h.items[i], h.items[j] = h.items[j], h.items[i] }
func (h *sortHeap) Push(x any)         { h.items = append(h.items, x.(sortItem)) }
func (h *sortHeap) Pop() any {
	last := len(h.items) - 1
	it := h.items[last]
	h.items = h.items[:last]
	return it
}
