package engine

// A change of a collection's postings: a new order, or a segment from the tail. The build
// writes segments as they are ready; they count only once publish has written the manifest
// (docs/decisions/0022).

import (
	"context"
	"errors"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/host"
	"github.com/simdb/simdb/engine/internal/segment"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/keys"
	"github.com/simdb/simdb/internal/shingle"
)

// build is one change of a collection's postings. Only publish makes the segments that it
// writes count.
type build struct {
	db        *DB
	m         *view.Snapshot
	v         *view.View
	c         *collection
	old       *segment.Postings
	new       segment.Postings
	written   []uint32              // numbers of all segments written
	published []*segment.Segment    // segments of the collection after publish
	under     map[uint32]index.View // facts that each segment of written was built from
	memory    int64                 // bytes for the postings of one segment
}

// newBuild returns a build for collection i of a snapshot.
func newBuild(db *DB, s *Snapshot, i int) *build {
	v := s.view.Views[i]
	b := &build{db: db, m: s.view, v: v, c: s.collections[i], old: v.Postings, new: *v.Postings, under: map[uint32]index.View{}, memory: db.opts.MemoryBytes / 4}
	b.new.Segments = slices.Clone(v.Postings.Segments)
	return b
}

// rebuild creates a new order from a sample, and all postings below hi in that order.
func (b *build) rebuild(ctx context.Context, hi uint32) error {
	if err := b.renew(ctx, hi); err != nil {
		return err
	}
	for b.new.Built < hi {
		if err := b.extend(ctx, hi); err != nil {
			return err
		}
	}
	if err := b.mergeFrom(ctx, 0); !disk.NoRoom(err) { // without room they stay many
		return err
	}
	return nil
}

// renew begins postings in a new order, created from a sample of the sets below hi.
func (b *build) renew(ctx context.Context, hi uint32) error {
	var counts *index.OrderBuilder
	live, err := b.eachOf(ctx, hi, orderSample, func(members uint64) { counts = index.NewOrderBuilder(members) },
		func(s shingle.Set) { counts.Add(s) })
	if err != nil {
		return err
	}
	b.new = segment.Postings{Order: counts.Order(), OrderNumber: b.db.newSegmentNumber(), Ordered: live}
	return nil
}

// eachOf reads up to most of the live sets below hi, evenly spaced. It first calls begin
// with the number of their members, and returns the number of live sets.
func (b *build) eachOf(ctx context.Context, hi uint32, most int, begin func(members uint64), yield func(shingle.Set)) (live int64, err error) {
	alive := b.db.alive(b.c, 0, hi)
	for _, is := range alive {
		if is {
			live++
		}
	}
	step := max((live+int64(most)-1)/int64(max(most, 1)), 1)
	var sample []uint32
	var members uint64
	i := int64(0)
	for set, is := range alive {
		if !is {
			continue
		}
		if i%step == 0 {
			sample = append(sample, uint32(set))
			members += b.v.Table.Size(uint32(set)).Distinct
		}
		i++
	}
	begin(members)
	return live, view.EachSet(ctx, b.m, b.v, sample, (*view.Reader).Once, func(_ uint32, bag shingle.Bag) error {
		yield(bag.Set)
		return nil
	})
}

// extend writes one segment that begins at the end of the postings and reaches hi, or ends
// earlier if memory runs short.
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

// write creates a segment from the pages that fill emits.
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
		b.db.files.Remove(number) // at once, because the rest of the build may need the room
		return nil, err
	}
	return b.db.files.Open(segment.Span{Number: number, Lo: seg.Lo, Hi: seg.Hi, Sets: seg.Sets})
}

// newSegmentNumber returns an unused segment number.
func (db *DB) newSegmentNumber() uint32 {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.files.Take()
}

// live lists the sets in [lo,hi) that have a document now.
func (b *build) live(lo, hi uint32) []uint32 {
	var out []uint32
	for i, alive := range b.db.alive(b.c, lo, hi) {
		if alive {
			out = append(out, lo+uint32(i))
		}
	}
	return out
}

// afterLive returns the number after the n-th live set from lo on.
func (b *build) afterLive(lo uint32, n int) uint32 {
	live := b.live(lo, b.v.Table.Len())
	if len(live) <= n {
		return b.v.Table.Len()
	}
	return live[n-1] + 1
}

// alive reports for each set in [lo,hi) whether it has a document now.
func (db *DB) alive(c *collection, lo, hi uint32) []bool {
	db.mu.Lock()
	defer db.mu.Unlock()
	out := make([]bool, hi-lo)
	for set := lo; set < min(hi, c.shares.len()); set++ {
		out[set-lo] = c.shares.of(set) > 0
	}
	return out
}

// Publishing new postings, and retiring the files of old ones. The manifest comes last: a
// file that it does not name does not count (docs/decisions/0022).

// end publishes the build and deletes the files it no longer needs; on an error, all that
// it wrote. A collection dropped during the build is no error.
func (b *build) end(err error) error {
	if err == nil {
		err = b.publish()
	}
	b.db.mu.Lock()
	defer b.db.mu.Unlock()
	for _, number := range b.written {
		if !slices.ContainsFunc(b.published, func(s *segment.Segment) bool { return s.Number == number }) {
			b.db.files.Drop(number)
		}
	}
	if b.c.dropped {
		return nil
	}
	return err
}

// publish writes the manifest and makes the new postings visible to readers. Earlier
// snapshots keep the old segments open.
func (b *build) publish() error {
	c := b.c
	b.new.Words = segment.NewWordCounts()
	if len(b.written) > 0 { // the files must be durable before the manifest names them
		if err := b.db.files.Sync(); err != nil {
			return err
		}
	}
	batch := b.db.disk.Pebble().NewBatch()
	defer batch.Close()
	if b.new.Order != b.old.Order {
		if b.new.Order != nil {
			if err := segment.WriteOrder(batch, c.Schema, b.new.OrderNumber, b.new.Order); err != nil {
				return err
			}
		}
		if b.old.Order != nil {
			if err := segment.RemoveOrder(batch, c.Schema, b.old.OrderNumber); err != nil {
				return err
			}
		}
	}
	m, err := b.new.EncodeManifest()
	if err != nil {
		return err
	}
	if err := batch.Set(c.Key(keys.Index), m, nil); err != nil {
		return err
	}
	if err := b.db.disk.Fits(batch.Len()); err != nil {
		return err
	}
	moved, err := b.moved()
	if err != nil {
		return err
	}
	b.db.mu.Lock()
	defer b.db.mu.Unlock()
	if c.dropped {
		return nil
	}
	over := slices.DeleteFunc(slices.Clone(b.old.Segments), func(s *segment.Segment) bool { return slices.Contains(b.new.Segments, s) })
	if err := b.noteEnded(batch, over); err != nil {
		return err
	}
	if err := b.db.files.Retire(batch, over); err != nil {
		return err
	}
	if err := b.db.disk.Apply(batch); err != nil {
		return b.db.disk.Poison(err)
	}
	published := b.new // not &b.new, which would keep the build and its buffers alive
	c.postings = &published
	c.table.Move(moved)
	b.published = published.Segments
	c.noteAlive()
	c.fresh.Drop(b.new.Built)
	b.db.disk.Advance()
	return nil
}

// noteEnded updates keys.Ended in the batch that publishes segments in place of over. It
// adds the sets that ended while the build wrote the new segments, which may still contain
// their facts. The caller holds db.mu.
func (b *build) noteEnded(batch *pebble.Batch, over []*segment.Segment) error {
	c := b.c
	for _, s := range over {
		if err := batch.DeleteRange(c.Key(keys.Ended, s.Lo), keys.End(c.Key(keys.Ended, s.Hi-1)), nil); err != nil {
			return err
		}
	}
	for _, s := range b.new.Segments {
		if slices.Contains(b.old.Segments, s) {
			continue
		}
		facts := b.under[s.Number]
		for set := s.Lo; set < s.Hi; set++ {
			if c.shares.of(set) > 0 || facts.Size(set).Distinct == 0 {
				continue
			}
			if err := batch.Set(c.Key(keys.Ended, set), nil, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// removeRetired deletes segments that no store or snapshot uses. Running searches keep the
// files open and continue. If more bytes than a memtable wait for a flush, removeRetired flushes.
func (db *DB) removeRetired(ctx context.Context) error {
	if err := db.builder.building.Acquire(ctx, 1); err != nil { // a checkpoint may be linking them
		return err
	}
	defer db.builder.building.Release(1)
	return db.removeUnused(ctx)
}

// removeUnused is removeRetired for a caller that holds builder.building.
func (db *DB) removeUnused(ctx context.Context) error {
	removable, waiting, err := db.removable()
	if err == nil && waiting > db.opts.memTableBytes {
		if err = db.disk.Flush(ctx); err == nil {
			removable, _, err = db.removable()
		}
	}
	if err != nil {
		return err
	}
	for _, number := range removable {
		if err := db.files.Remove(number); err != nil {
			db.opts.Logger.Debug("a segment that is no longer needed stays for now", "error", err)
			continue
		}
		db.mu.Lock()
		db.files.Removed(number)
		db.mu.Unlock()
	}
	return nil
}

// removable returns the segments that may be deleted, and the bytes of those that wait for a flush.
func (db *DB) removable() (numbers []uint32, waiting int64, err error) {
	durable, err := db.disk.DurableNumber(keys.Retired)
	if err := errors.Join(err, db.disk.Poisoned()); err != nil {
		return nil, 0, err
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	numbers, waiting = db.files.Removable(durable)
	return numbers, waiting, nil
}

// The location of facts once new segments count: in the segment files, so that memory holds
// little more than the facts of the tail, and replaced files can be deleted
// (docs/decisions/0022).

// moved lists the slabs whose facts change location when the build counts. A slab that lies
// entirely in a new segment is read from its file on demand. A slab that lies entirely only
// in an old segment is copied to memory: the tail of a compacted collection, and the few
// slabs split between two segments.
func (b *build) moved() (all []index.Elsewhere, err error) {
	defer segment.CatchUnreadable(&err)()
	for _, s := range b.new.Segments {
		if slices.Contains(b.old.Segments, s) {
			continue
		}
		for first, end := s.Slabs(); first < end; first++ {
			all = append(all, index.Elsewhere{Number: first, Left: b.db.fetch(b.c, s, first)})
		}
	}
	for _, s := range b.old.Segments {
		if slices.Contains(b.new.Segments, s) {
			continue
		}
		for first, end := s.Slabs(); first < end; first++ {
			if !slices.ContainsFunc(b.new.Segments, func(s *segment.Segment) bool { return s.HasSlab(first) }) {
				all = append(all, index.Elsewhere{Number: first, Facts: b.copySlab(first)})
			}
		}
	}
	return all, nil
}

// copySlab loads the facts of a slab into memory.
func (b *build) copySlab(k uint32) *index.SlabWriter {
	p := (&index.Table{Memory: host.Words}).NewSlab(k)
	for set := k * index.SlabSets; set < (k+1)*index.SlabSets; set++ {
		if f := b.v.Facts(set); f.Distinct > 0 {
			p.Put(set, f)
		}
	}
	return p
}
