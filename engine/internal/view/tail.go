package view

// Tail as segments in memory, for callers that cannot scan it.

import (
	"context"
	"slices"

	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/shingle"
)

// memoryPages holds the pages of a temporary segment.
type memoryPages struct {
	runs  [index.Kinds][][]byte
	bytes int64
}

// emit is an index.Emit that copies the page.
func (m *memoryPages) emit(k index.Kind, _ int, data []byte) error {
	m.runs[k] = append(m.runs[k], slices.Clone(data))
	m.bytes += int64(len(data))
	return nil
}

// Pages implements index.Reader.
func (m *memoryPages) Pages(k index.Kind) index.Pages { return memoryRun(m.runs[k]) }

type memoryRun [][]byte

// Page returns page n, or an error if there is none.
func (r memoryRun) Page(n int) ([]byte, error) {
	if n < 0 || n >= len(r) {
		return nil, fault.Corrupt("page %d of %d", n, len(r))
	}
	return r[n], nil
}

// WithTail appends the tail to the segments, as segments built in memory for one join: Whole keeps
// its blocks for the searches that follow. If the collection has no
// order yet, WithTail derives one from the tail.
func (m *Snapshot) WithTail(ctx context.Context, v *View, segments []index.Stored) ([]index.Stored, index.Layout, error) {
	order := v.Postings.Order
	if order == nil {
		var err error
		if order, err = m.orderOf(ctx, v, v.Live(v.Postings.Built, v.Table.Len())); err != nil {
			return nil, index.Layout{}, err
		}
	}
	l, out := v.Layout(order), segments
	for lo := v.Postings.Built; lo < v.Table.Len(); {
		seg, _, err := m.tailSegment(ctx, v, l, lo, min(v.Table.Len(), lo+index.MaxSegmentSpan))
		if err != nil {
			return nil, l, err
		}
		out = append(out, seg)
		lo = seg.Hi
	}
	return out, l, nil
}

// tailSegment builds the segment of the sets from lo to below hi in memory, of so many bytes.
func (m *Snapshot) tailSegment(ctx context.Context, v *View, l index.Layout, lo, hi uint32) (_ index.Stored, bytes int64, err error) {
	var pages memoryPages
	seg, err := m.BuildSegment(ctx, v, l, lo, hi, v.Live(lo, hi), m.MemoryBytes/4, pages.emit)
	return index.Stored{Segment: seg, Reader: &pages}, pages.bytes, err
}

// orderOf derives an order from some sets.
func (m *Snapshot) orderOf(ctx context.Context, v *View, numbers []uint32) (*index.Order, error) {
	var members uint64
	for _, set := range numbers {
		members += v.Table.Size(set).Distinct
	}
	counts := index.NewOrderBuilder(members)
	err := EachSet(ctx, m, v, numbers, (*Reader).Once, func(_ uint32, bag shingle.Bag) error {
		counts.Add(bag.Set)
		return nil
	})
	return counts.Order(), err
}
