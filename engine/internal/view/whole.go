package view

// Postings of the tail in memory, in blocks that grow with it.

import (
	"context"
	"slices"

	"golang.org/x/sync/semaphore"

	"github.com/simdb/simdb/engine/internal/segment"
	"github.com/simdb/simdb/index"
)

// tailTable holds the postings of a collection's tail, as of the postings of its other sets.
type tailTable struct {
	collection uint32
	postings   *segment.Postings
	use        *semaphore.Weighted // of weight 1, guards the rest
	order      *index.Order        // nil: none yet
	blocks     []tailBlock
}

// tailBlock is a segment in memory. It has the sets that lived in the state changed, and serves
// all later states, because a number is never given to another set.
type tailBlock struct {
	index.Stored
	changed uint64
}

// Blocks of a tail have a power of two sets, but for the last.
const leastBlock, mostBlock = 64, 2048

// tailOf returns the tail of a collection, new if necessary.
func (t *shingleTables) tailOf(v *View) *tailTable {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.IndexFunc(t.tails, func(x *tailTable) bool { return x.postings == v.Postings })
	if i < 0 {
		older := slices.IndexFunc(t.tails, func(x *tailTable) bool { return x.collection == v.Number })
		if newer := slices.IndexFunc(t.tails[older+1:], func(x *tailTable) bool { return x.collection == v.Number }); older >= 0 && newer >= 0 {
			t.tails = slices.Delete(t.tails, older, older+1) // two states may be in use
		}
		t.tails = append(t.tails, &tailTable{collection: v.Number, postings: v.Postings, use: semaphore.NewWeighted(1), order: v.Postings.Order})
		t.tails = t.tails[max(0, len(t.tails)-mostTables):]
		i = len(t.tails) - 1
	}
	return t.tails[i]
}

// Whole returns the segments of a collection with sets ≥ from, and the tail as more segments in
// memory, for searches that signatures filter badly. It builds each part of the tail a few times.
func (m *Snapshot) Whole(ctx context.Context, v *View, from uint32) (_ []index.Stored, l index.Layout, err error) {
	t := m.tables.tailOf(v)
	if err := t.use.Acquire(ctx, 1); err != nil {
		return nil, l, err
	}
	defer t.use.Release(1)
	if t.order == nil {
		if t.order, err = m.orderOf(ctx, v, v.Live(v.Postings.Built, v.Table.Len())); err != nil {
			return nil, l, err
		}
	}
	l = v.Layout(t.order)
	var blocks []tailBlock
	for lo := v.Postings.Built; lo < v.Table.Len(); lo = blocks[len(blocks)-1].Hi {
		b, err := m.tailBlock(ctx, v, l, t, lo)
		if err != nil {
			return nil, l, err
		}
		blocks = append(blocks, b)
	}
	if !slices.ContainsFunc(t.blocks, func(b tailBlock) bool { return b.changed > v.Changed }) {
		t.blocks = blocks
	}
	segments := m.LookFrom(ctx, v, from)
	for _, b := range blocks {
		if b.Hi > from {
			segments = append(segments, b.Stored)
		}
	}
	return segments, l, nil
}

// tailBlock returns the largest block of the tail from a set on.
func (m *Snapshot) tailBlock(ctx context.Context, v *View, l index.Layout, t *tailTable, lo uint32) (b tailBlock, err error) {
	size := uint32(mostBlock)
	for at := lo - v.Postings.Built; size > leastBlock && (at%size > 0 || lo+size > v.Table.Len()); {
		size /= 2
	}
	hi := min(lo+size, v.Table.Len())
	for _, b := range t.blocks {
		if b.Lo == lo && b.Hi == hi && b.changed <= v.Changed {
			return b, nil
		}
	}
	var pages memoryPages
	seg, err := m.BuildSegment(ctx, v, l, lo, hi, v.Live(lo, hi), m.MemoryBytes/4, pages.emit)
	return tailBlock{index.Stored{Segment: seg, Reader: &pages}, v.Changed}, err
}
