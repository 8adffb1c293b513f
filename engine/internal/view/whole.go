package view

// Postings of the tail in memory, in blocks that grow with it.

import (
	"context"
	"slices"

	"golang.org/x/sync/semaphore"

	"github.com/simdb/simdb/engine/internal/segment"
	"github.com/simdb/simdb/index"
)

// tailTable holds postings in memory for the sets that postings does not contain.
type tailTable struct {
	postings *segment.Postings
	use      *semaphore.Weighted // of weight 1, guards the rest
	order    *index.Order        // nil: none yet
	blocks   []tailBlock
	held     heldTable
}

// tailBlock is a segment in memory with the live sets of the state changed. It serves all later
// states too, because set numbers are never reused.
type tailBlock struct {
	index.Stored
	changed uint64
	bytes   int64
}

const (
	// mostTails is the capacity in tails, within their room.
	mostTails = 4
	// A block has a power of two sets between these bounds; the last may have fewer.
	leastBlock, mostBlock = 64, 2048
)

// tailOf returns the tail of a collection, new if necessary.
func (s *Shared) tailOf(v *View) *tailTable {
	t := &s.tables
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, x := range t.tails {
		if x.postings == v.Postings {
			return x
		}
	}
	x := &tailTable{postings: v.Postings, use: semaphore.NewWeighted(1), order: v.Postings.Order}
	x.held.drop = func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.tails = slices.DeleteFunc(t.tails, func(o *tailTable) bool { return o == x })
	}
	if t.tails = append(t.tails, x); len(t.tails) > mostTails {
		s.tails.release(&t.tails[0].held)
		t.tails = slices.Delete(t.tails, 0, 1)
	}
	return x
}

// Whole returns the segments of a collection with sets ≥ from, followed by the tail as segments in
// memory, for searches that signatures filter badly. As the tail grows, it merges blocks by building
// larger ones, so it builds each set a few times.
func (m *Snapshot) Whole(ctx context.Context, v *View, from uint32) (_ []index.Stored, l index.Layout, err error) {
	t := m.tailOf(v)
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
	segments := m.LookFrom(ctx, v, from)
	var blocks []tailBlock
	bytes := int64(0)
	for lo := v.Postings.Built; lo < v.Table.Len(); lo = blocks[len(blocks)-1].Hi {
		b, err := m.tailBlock(ctx, v, l, t.blocks, lo)
		if err != nil {
			return nil, l, err
		}
		bytes += b.bytes
		if blocks = append(blocks, b); b.Hi > from {
			segments = append(segments, b.Stored)
		}
	}
	if !slices.ContainsFunc(t.blocks, func(b tailBlock) bool { return b.changed > v.Changed }) {
		t.blocks = blocks
		m.tails.use(&t.held, bytes)
	}
	return segments, l, nil
}

// tailBlock returns the largest block of the tail from a set on, of the built ones if possible.
func (m *Snapshot) tailBlock(ctx context.Context, v *View, l index.Layout, built []tailBlock, lo uint32) (b tailBlock, err error) {
	size := uint32(mostBlock)
	for at := lo - v.Postings.Built; size > leastBlock && (at%size > 0 || lo+size > v.Table.Len()); {
		size /= 2
	}
	hi := min(lo+size, v.Table.Len())
	for _, b := range built {
		if b.Lo == lo && b.Hi == hi && b.changed <= v.Changed {
			return b, nil
		}
	}
	seg, bytes, err := m.tailSegment(ctx, v, l, lo, hi)
	return tailBlock{seg, v.Changed, bytes}, err
}
