package engine

// One change of a collection's postings: a new order, or a segment made of the tail.
// Segments are written as they come; only publishing makes them count
// (docs/decisions/0022).

import (
	"context"
	"errors"
	"slices"

	"github.com/simdb/simdb/engine/internal/segment"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/shingle"
)

// build is one change of a collection's postings. Segments are written as they
// come; only publish makes them count.
type build struct {
	db        *DB
	m         *view.Moment
	v         *view.View
	c         *collection
	old       *segment.Postings
	new       segment.Postings
	written   []uint32              // numbers of all segments written
	published []*segment.Segment    // those of the collection from now on
	under     map[uint32]index.View // the facts that each of written was written with
	memory    int64                 // for the postings of a segment that is made
}

// newBuild changes the postings of a collection of a snapshot.
func newBuild(db *DB, s *Snapshot, i int) *build {
	v := s.moment.Views[i]
	b := &build{db: db, m: s.moment, v: v, c: s.collections[i], old: v.Postings, new: *v.Postings, under: map[uint32]index.View{}, memory: db.opts.MemoryBytes / 4}
	b.new.Segments = slices.Clone(v.Postings.Segments)
	return b
}

// rebuild makes a new order from a sample and all postings below hi anew.
func (b *build) rebuild(ctx context.Context, hi uint32) error {
	if err := b.renew(ctx, b.live(0, hi)); err != nil {
		return err
	}
	for b.new.Built < hi {
		if err := b.extend(ctx, hi); err != nil {
			return err
		}
	}
	return b.mergeFrom(ctx, 0)
}

// renew begins postings in a new order, which it makes from a sample of all sets.
func (b *build) renew(ctx context.Context, all []uint32) error {
	var counts *index.OrderBuilder
	err := b.eachOf(ctx, all, orderSample, func(members uint64) { counts = index.NewOrderBuilder(members) },
		func(s shingle.Set) { counts.Add(s) })
	if err != nil {
		return err
	}
	b.new = segment.Postings{Order: counts.Order(), OrderNumber: b.db.newSegmentNumber(), Ordered: int64(len(all))}
	return nil
}

// eachOf reads so many of all sets, evenly chosen. First it says how many members
// they have together.
func (b *build) eachOf(ctx context.Context, all []uint32, most int, begin func(members uint64), yield func(shingle.Set)) error {
	step := (len(all) + most - 1) / max(most, 1)
	var sample []uint32
	var members uint64
	for i := 0; i < len(all); i += max(step, 1) {
		sample = append(sample, all[i])
		members += b.v.Table.Size(all[i]).Distinct
	}
	begin(members)
	return view.EachSet(ctx, b.m, b.v, sample, (*view.Reader).Once, func(_ uint32, bag shingle.Bag) error {
		yield(bag.Set)
		return nil
	})
}

// extend writes one segment that begins where the postings end and reaches hi,
// or less far when memory asks for it.
func (b *build) extend(ctx context.Context, hi uint32) error {
	lo := b.new.Built
	hi = min(hi, lo+index.MaxSegmentSpan)
	seg, err := b.write(func(emit index.Emit) (*index.Segment, error) {
		return b.m.BuildSegment(ctx, b.v, b.v.Layout(b.new.Order), lo, hi, b.live(lo, hi), b.memory, emit)
	})
	if err != nil {
		return err
	}
	b.new.Segments = append(b.new.Segments, seg)
	b.new.Built = seg.Hi
	return nil
}

// write makes a segment of the pages that fill emits.
func (b *build) write(fill func(index.Emit) (*index.Segment, error)) (*segment.Segment, error) {
	number := b.db.newSegmentNumber()
	b.written = append(b.written, number)
	b.under[number] = b.v.Table
	w, err := b.db.files.Create(number)
	if err != nil {
		return nil, err
	}
	seg, err := fill(w.Emit)
	if err == nil {
		err = w.WriteFacts(seg.Lo, seg.Hi, b.v.Table, b.db.alive(b.c, seg.Lo, seg.Hi))
	}
	if err == nil {
		err = w.Finish(seg)
	}
	if err := errors.Join(err, w.Close()); err != nil {
		return nil, err
	}
	return b.db.files.Open(segment.Span{Number: number, Lo: seg.Lo, Hi: seg.Hi, Sets: seg.Sets})
}

func (db *DB) newSegmentNumber() uint32 {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.files.Take()
}

// live lists the sets in [lo,hi) that some document has now.
func (b *build) live(lo, hi uint32) []uint32 {
	var out []uint32
	for i, alive := range b.db.alive(b.c, lo, hi) {
		if alive {
			out = append(out, lo+uint32(i))
		}
	}
	return out
}

// afterLive returns the number behind the n-th live set from lo on.
func (b *build) afterLive(lo uint32, n int) uint32 {
	live := b.live(lo, b.v.Table.Len())
	if len(live) <= n {
		return b.v.Table.Len()
	}
	return live[n-1] + 1
}

// alive tells which sets in [lo,hi) some document has now.
func (db *DB) alive(c *collection, lo, hi uint32) []bool {
	db.mu.Lock()
	defer db.mu.Unlock()
	out := make([]bool, hi-lo)
	for set := lo; set < min(hi, uint32(len(c.shares))); set++ {
		out[set-lo] = c.shares[set] > 0
	}
	return out
}
