package run

// ORDER BY: it collects and sorts the rows. With a LIMIT it keeps no more rows than the
// LIMIT requires.

import (
	"cmp"
	"container/heap"
	"context"
	"iter"
	"slices"

	"github.com/simdb/simdb/query/plan"
	"github.com/simdb/simdb/query/value"
)

// sortRecords collects the rows and yields them in order. With a LIMIT it holds at most
// OFFSET plus LIMIT rows.
func sortRecords(ctx context.Context, p *plan.Plan, in iter.Seq2[*plan.Record, error]) iter.Seq2[[]any, error] {
	return func(yield func([]any, error) bool) {
		most := -1
		// The sum may overflow, and a heap of 2^31 rows would not fit anyway.
		if n := p.Limit + p.Offset; p.Limit >= 0 && n >= p.Limit && n < 1<<31 {
			most = int(n)
		}
		h := &sortHeap{order: p.Order}
		var seq int64
		for rec, err := range in {
			if err != nil {
				yield(nil, err)
				return
			}
			it := sortItem{seq: seq, keys: make([]any, len(p.Order))}
			seq++
			for i, k := range p.Order {
				it.keys[i] = value.Of(rec.Value(k.Ref))
			}
			// Cells are read only for rows that enter the heap: reading them may load a
			// document.
			if most < 0 || len(h.items) < most || h.compare(it, h.items[0]) < 0 {
				it.row, err = row(ctx, p, rec)
				h.add(it, most)
			}
			if err = cmp.Or(err, rec.Err()); err != nil {
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

// sortItem is a row with its keys. Rows with equal keys keep their original order.
type sortItem struct {
	keys []any
	seq  int64
	row  []any
}

// sortHeap is a heap of rows with the last one in order on top, the first to be evicted.
type sortHeap struct {
	order []plan.Key
	items []sortItem
}

// compare orders two rows by the keys of ORDER BY.
func (h *sortHeap) compare(a, b sortItem) int {
	for i, k := range h.order {
		if c := value.Order(a.keys[i], b.keys[i], k.Desc); c != 0 {
			return c
		}
	}
	// The sequence number makes the order total, so the result does not depend on the heap.
	return cmp.Compare(a.seq, b.seq)
}

// add inserts a row. It keeps the first most rows, or all if most is negative.
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

// The methods of heap.Interface.
func (h *sortHeap) Len() int { return len(h.items) }

func (h *sortHeap) Less(i, j int) bool { return h.compare(h.items[i], h.items[j]) > 0 }

func (h *sortHeap) Swap(i, j int) { h.items[i], h.items[j] = h.items[j], h.items[i] }

func (h *sortHeap) Push(x any) { h.items = append(h.items, x.(sortItem)) }

func (h *sortHeap) Pop() any {
	last := len(h.items) - 1
	it := h.items[last]
	h.items = h.items[:last]
	return it
}
