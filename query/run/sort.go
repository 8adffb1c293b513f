package run

// ORDER BY: it collects and sorts the rows, on disk if memory is short. With a LIMIT it keeps no
// more rows than the LIMIT requires.

import (
	"cmp"
	"container/heap"
	"context"
	"iter"
	"math"
	"slices"

	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/query/plan"
	"github.com/simdb/simdb/query/value"
)

// sortShare is the part of the memory setting that the rows of a sort may take.
const sortShare = 4

// sortRecords collects the rows and yields them in order. With a LIMIT it holds at most
// OFFSET plus LIMIT rows. Rows beyond the memory budget go to a scratch file.
func sortRecords(ctx context.Context, p *plan.Plan, in iter.Seq2[*plan.Record, error]) iter.Seq2[[]any, error] {
	return func(yield func([]any, error) bool) {
		h := &sortHeap{ctx: ctx, order: p.Order, most: math.MaxInt, room: p.Reader().MemoryBytes() / sortShare, create: p.Reader().Scratch}
		defer h.close()
		// The sum may overflow, and a heap of 2^31 rows would not fit anyway.
		if n := p.Limit + p.Offset; p.Limit >= 0 && n >= p.Limit && n < 1<<31 {
			h.most = int(n)
		}
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
			if len(h.items) < h.most || h.compare(it, h.items[0]) < 0 {
				if it.row, err = row(ctx, p, rec); err == nil {
					err = h.add(it)
				}
			}
			if err = cmp.Or(err, rec.Err()); err != nil {
				yield(nil, err)
				return
			}
		}
		for it, err := range h.sorted() {
			if !yield(it.row, err) || err != nil {
				return
			}
		}
	}
}

// sortItem is a row with its keys. Rows with equal keys keep their original order.
type sortItem struct {
	keys  []any
	seq   int64
	row   []any
	bytes int64 // approximate memory
}

// sortHeap is a heap of the first most rows with the last one in order on top, the first to be
// evicted. When they take more than room bytes, they become a sorted run in a scratch file.
type sortHeap struct {
	ctx         context.Context
	compared    int  // comparisons
	stopped     bool // the context has ended, and the order of the rows is meaningless
	order       []plan.Key
	items       []sortItem
	most        int
	room, bytes int64

	create func() (engine.ScratchFile, error)
	runs   sortRuns
}

// comparesAtOnce is the number of comparisons between two checks of the context. Keys may be texts.
const comparesAtOnce = 256

// compare orders two rows by the keys of ORDER BY.
func (h *sortHeap) compare(a, b sortItem) int {
	if h.compared++; h.compared%comparesAtOnce == 0 {
		h.stopped = h.stopped || h.ctx.Err() != nil
	}
	if h.stopped {
		return 0
	}
	for i, k := range h.order {
		if c := value.Order(a.keys[i], b.keys[i], k.Desc); c != 0 {
			return c
		}
	}
	// The sequence number makes the order total, so the result does not depend on the heap.
	return cmp.Compare(a.seq, b.seq)
}

// add inserts a row, or replaces the last one by it if there are most rows.
func (h *sortHeap) add(it sortItem) error {
	it.bytes = sizeOf(it.keys) + sizeOf(it.row)
	h.bytes += it.bytes
	switch {
	case h.most == math.MaxInt:
		h.items = append(h.items, it)
	case len(h.items) < h.most:
		heap.Push(h, it)
	default:
		h.bytes -= h.items[0].bytes
		h.items[0] = it
		heap.Fix(h, 0)
	}
	if h.bytes <= h.room {
		return nil
	}
	return h.spill()
}

// spill moves the rows to the scratch file.
func (h *sortHeap) spill() (err error) {
	if len(h.items) == 0 {
		return nil
	}
	if h.runs.file == nil {
		if h.runs.file, err = h.create(); err != nil {
			return failedScratch(err)
		}
	}
	slices.SortFunc(h.items, h.compare)
	if err := h.runs.write(h.ctx, h.items); err != nil {
		return err
	}
	clear(h.items)
	h.items, h.bytes = h.items[:0], 0
	return nil
}

// sorted yields all rows in order, those of runs too.
func (h *sortHeap) sorted() iter.Seq2[sortItem, error] {
	return func(yield func(sortItem, error) bool) {
		if h.runs.file != nil {
			if err := h.spill(); err != nil {
				yield(sortItem{}, err)
				return
			}
			h.runs.merge(h.ctx, len(h.order), h.compare, yield)
			return
		}
		slices.SortFunc(h.items, h.compare)
		if err := h.ctx.Err(); err != nil {
			yield(sortItem{}, err)
			return
		}
		for _, it := range h.items {
			if !yield(it, nil) {
				return
			}
		}
	}
}

// close removes the scratch file.
func (h *sortHeap) close() {
	if h.runs.file != nil {
		h.runs.file.Close()
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
