package engine

// Which segments are merged, and how. Merging reads no texts, because all segments of
// a collection use one order (docs/decisions/0003).

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/simdb/simdb/engine/internal/segment"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/shingle"
)

const (
	// tidiesUp is how many times the sets of a load are merged with them at its end.
	tidiesUp = 4
	// growsBy is how many times larger than its largest part a merged segment is,
	// at least. The next two stand in for it while a load goes on, until its end has merged all.
	// A load makes segments of 4,096 sets, or up to 16,384: those of millions are merged at its
	// end alone, those of more once on the way. A load that asks whether texts are there already
	// asks every segment.
	growsBy       = 3
	askingGrowsBy = 32
	loadGrowsBy   = 512
	neverGrows    = math.MaxUint32 // the dead are left out, and empty segments merged
)

// mergeable chooses neighbours to merge: one with a fifth of its sets dead, or the
// least of those that have so many times the sets of the largest among them that
// no posting is written again before its segment has grown as much.
func mergeable(segments []*segment.Segment, by uint32) (first, n int) {
	for i, s := range segments {
		if d := s.Dead.Load(); d > 0 && d*5 >= int64(s.Sets) {
			return i, 1
		}
	}
	least := uint32(math.MaxUint32)
	for i := range segments {
		sum, largest := uint32(0), uint32(0)
		for j, s := range segments[i:] {
			if s.Hi-segments[i].Lo > index.MaxSegmentSpan {
				break
			}
			sum, largest = sum+s.Sets, max(largest, s.Sets)
			if uint64(sum) >= uint64(by)*uint64(largest) && sum < least && j > 0 {
				first, n, least = i, j+1, sum
			}
		}
	}
	return first, withLike(segments, first, n)
}

// withLike takes segments behind the n from first on along that are no larger than the largest
// of them. A load that did not end leaves hundreds, which are then merged once, not by threes.
func withLike(segments []*segment.Segment, first, n int) int {
	largest := uint32(0)
	for _, s := range segments[first:][:n] {
		largest = max(largest, s.Sets)
	}
	for n > 1 && first+n < len(segments) && segments[first+n].Sets <= largest && segments[first+n].Hi-segments[first].Lo <= index.MaxSegmentSpan {
		n++
	}
	return n
}

// tidy makes what loads have left quick to search: a tail of more than an eighth
// of a segment becomes one, and the segments loaded are merged, with those before
// them that have up to four times as many sets alive: each posting of the load pays for
// five to be written once more. Other segments that have many dead lose them. from has
// the first set of the loads.
func (db *DB) tidy(ctx context.Context, from map[*collection]uint32) error {
	return db.eachBuild(ctx, func(b *build) error {
		v := b.v
		began := from[b.c]
		if v.Table.Len() == began {
			return nil // the builder leaves out the dead
		}
		var err error
		if v.Postings.Order != nil && v.Tail > int64(v.Cut(db.opts.SegmentSets)/tailShare) {
			err = b.extend(ctx, v.Table.Len())
		}
		if err == nil {
			err = b.mergeFrom(ctx, b.tidyFrom(began))
		}
		for err == nil {
			i, n := mergeable(b.new.Segments, neverGrows)
			if n == 0 {
				break
			}
			err = b.merge(ctx, i, n)
		}
		if len(b.written) == 0 {
			return err
		}
		return b.end(err)
	})
}

// tidyFrom returns where the segments begin that are merged after a load whose first
// set was began.
func (b *build) tidyFrom(began uint32) uint32 {
	room := tidiesUp * uint64(b.v.Table.Len()-began)
	for _, s := range slices.Backward(b.new.Segments) {
		if s.Lo >= began {
			continue
		}
		alive := uint64(max(0, int64(s.Sets)-s.Dead.Load()))
		if alive > room {
			break
		}
		room -= alive
		began = s.Lo
	}
	return began
}

// mergeFrom merges the segments whose first set is lo or above into as few as can be. Those
// that come meanwhile stay.
func (b *build) mergeFrom(ctx context.Context, lo uint32) error {
	hi := b.new.Built
	for i := 0; i < len(b.new.Segments) && b.new.Segments[i].Lo < hi; i++ {
		first, n := b.new.Segments[i].Lo, 1
		for i+n < len(b.new.Segments) && b.new.Segments[i+n].Hi <= min(hi, first+index.MaxSegmentSpan) {
			n++
		}
		if first >= lo && n > 1 {
			if err := b.merge(ctx, i, n); err != nil {
				return err
			}
		}
	}
	return nil
}

// merge replaces n segments from first on by one, without the dead.
func (b *build) merge(ctx context.Context, first, n int) error {
	parts := b.new.Segments[first : first+n]
	stored := make([]index.Stored, n)
	for i, s := range parts {
		stored[i] = s.ReadThrough(n, nil)
	}
	lo := parts[0].Lo
	alive := b.db.alive(b.c, lo, parts[n-1].Hi)
	seg, err := b.write(func(emit index.Emit) (*index.Segment, error) {
		return index.Merge(ctx, b.v.Layout(b.new.Order), stored, func(set uint32) bool { return alive[set-lo] }, b.besideTail(ctx, emit))
	})
	if err != nil {
		return segment.PageError(err)
	}
	b.new.Segments = slices.Replace(b.new.Segments, first, first+n, seg)
	return nil
}

// besideTail emits pages, and makes segments of a tail that becomes long meanwhile. A merge
// of millions takes minutes, and loads wait once a tail has many times the sets of a segment.
// At least half of the time stays for the merge. No more segments are made than are merged at
// once: each is an open file.
func (b *build) besideTail(ctx context.Context, emit index.Emit) index.Emit {
	pages, segments, next := 0, uint32(0), time.Now()
	return func(k index.Kind, page int, data []byte) error {
		if pages++; pages%64 == 1 && time.Now().After(next) && segments < b.mostBeside() {
			begun := time.Now()
			segments++
			switch err := b.extendBeside(ctx); {
			case ctx.Err() != nil:
				return ctx.Err()
			case err != nil: // of the tail, not of the merge
				b.db.noteFailed(err)
				segments = math.MaxUint32
			}
			next = time.Now().Add(time.Since(begun))
		}
		return emit(k, page, data)
	}
}

// mostBeside is how many segments the tail of the collection may become beside a merge: none
// while it is short, or the build has a segment of it or a new order.
func (b *build) mostBeside() uint32 {
	if b.new.Order != b.old.Order || b.new.Built != b.old.Built {
		return 0
	}
	b.db.mu.Lock()
	defer b.db.mu.Unlock()
	if b.c.dropped || !b.db.tailIsLong(b.c) {
		return 0
	}
	return b.db.mergesBy()
}

// extendBeside makes a segment of the tail, and counts it among what the build began with.
func (b *build) extendBeside(ctx context.Context) error {
	s := b.db.snapshot()
	defer s.close()
	i := slices.Index(s.collections, b.c)
	if i < 0 {
		return nil // dropped
	}
	if err := newBuild(b.db, s, i).extendTail(ctx); err != nil {
		return err
	}
	b.db.mu.Lock()
	now := b.c.postings
	b.db.mu.Unlock()
	b.new.Segments = append(b.new.Segments, now.Segments[len(b.old.Segments):]...)
	b.new.Built, b.old = now.Built, now
	if err := b.db.trimLog(); err != nil { // the merge needs no shorter log
		b.db.noteFailed(err)
	}
	return nil
}

// Making a store small again: postings without the dead, Pebble compacted, the log cut.

// Compact rebuilds the postings of every collection in a fresh order, without
// what was deleted, and lets the store give the space back. It leaves what an
// import of the same documents would: sets too few for a segment stay without
// postings. It also removes the traces of documents that were erased.
func (db *DB) Compact(ctx context.Context) error {
	if err := db.enterToWrite(ctx); err != nil {
		return err
	}
	defer db.lifecycle.leave()
	if err := db.disk.Poisoned(); err != nil {
		return err
	}
	ctx, cancel := db.shared.Bound(ctx)
	defer cancel()
	waiting, err := db.erasures()
	if err == nil {
		err = db.rebuildAll(ctx)
	}
	if err == nil {
		err = db.disk.Flush(ctx)
	}
	if err != nil {
		return db.shared.ClosedOr(err)
	}
	if waiting.last > 0 {
		return db.shared.ClosedOr(db.compactErasing(ctx, waiting))
	}
	if err := db.disk.Compact(ctx); err != nil {
		return db.shared.ClosedOr(err)
	}
	err = errors.Join(db.resetLog(), db.shared.ClosedOr(db.removeRetired(ctx)))
	_, late := db.atLength(ctx, db.disk.Obsolete) // Pebble removes them behind our back
	return errors.Join(err, db.shared.ClosedOr(late))
}

// resetLog gives back the log too: its current segment as well, unless something
// was written since Pebble was flushed.
func (db *DB) resetLog() error {
	if err := db.trimLog(); err != nil {
		return err
	}
	db.builder.trimming.Lock()
	defer db.builder.trimming.Unlock()
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.disk.ResetLog(db.seq)
}

func (db *DB) rebuildAll(ctx context.Context) error {
	err := db.eachBuild(ctx, func(b *build) error {
		v := b.v
		if v.Table.Len() == 0 {
			return nil
		}
		b.new = segment.Postings{} // what is too short for a segment has none
		var err error
		cut, posted := int(v.Cut(db.opts.SegmentSets)), int(v.Sets)
		if rest := posted % cut; posted < cut || rest <= cut/tailShare {
			posted -= rest
		}
		if posted > 0 {
			err = b.rebuild(ctx, b.afterLive(0, posted))
		}
		return b.end(err)
	})
	if err != nil {
		return err
	}
	db.mu.Lock()
	for _, c := range db.collections {
		c.unbuilt = unbuilt{}
	}
	db.mu.Unlock()
	return nil
}

// notCounted stands for a number of documents that no one knows.
const notCounted = -1

// When a collection gets a new order: it has grown, and its order is stale. All postings
// are made once more then (docs/decisions/0039).

const (
	// growth is by how much a collection grows before its order is looked at.
	growth = 8
	// orderSample is how many sets an order counts at most: measured elsewhere,
	// an order from 64 k of 1 M documents reads hardly more postings than one
	// from all.
	orderSample = 1 << 16
	// An order is tried with a quarter of the sets, of which every eighth is asked how
	// often it meets another one, and the others make the order that it is compared with.
	triedShare, askedShare = 4, 8
	// An order is made anew if searches read half as much again with it, and there
	// are so many meetings that this is no chance.
	fewMeetings = 128
)

// outgrown says that a collection has grown so much that its order should be looked at.
// db.mu is held.
func (c *collection) outgrown() bool {
	o := c.postings.Order
	return o != nil && (c.Sets >= growth*max(c.postings.Ordered, 1) || countsFew(o.Counted(), int(c.Sets))) && !time.Now().Before(c.unordered.again)
}

// reorder looks at the order of a collection, and makes it and all postings anew if it is
// stale. Where that fails it is tried again later; meanwhile postings go on to be made in
// the order that there is.
func (b *build) reorder(ctx context.Context) error {
	stale, err := b.stale(ctx)
	if err == nil && stale {
		err = b.rebuild(ctx, b.v.Table.Len())
	} else if err == nil {
		b.new.Ordered = b.v.Sets
	}
	if err = b.end(err); ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		b.db.opts.Logger.Error("making a new order", "collection", b.c.Name, "error", err)
		b.db.noteFailed(err)
	}
	b.db.noteUnbuilt(&b.c.unordered, err)
	return b.db.disk.Poisoned()
}

// countsFew says that an order of so many sets is stale in a collection of so many, whatever
// they are: one of a sample reads a fraction of the postings. A load's first order counts
// 12,000 to 16,384 sets, and is made anew once, with 131,072, rather than with the first million.
func countsFew(counted, sets int) bool { return counted < orderSample/2 && sets >= 2*orderSample }

// stale says whether searches would read much less in an order that is made now of the
// sets, rather than in the one in use. It reads some of them, unless the one in use counts
// so few that there is no doubt.
func (b *build) stale(ctx context.Context) (bool, error) {
	if countsFew(b.old.Order.Counted(), int(b.v.Sets)) {
		return true, nil
	}
	var asked []shingle.Set
	var counts *index.OrderBuilder
	room, i := b.m.MemoryBytes/16, 0
	_, err := b.eachOf(ctx, b.v.Table.Len(), min(orderSample, int(b.v.Sets)/triedShare), func(members uint64) { counts = index.NewOrderBuilder(members) },
		func(s shingle.Set) {
			if i++; i%askedShare == 0 && int64(8*len(s)) <= room {
				asked, room = append(asked, s), room-int64(8*len(s))
				return
			}
			counts.Add(s)
		})
	if err != nil {
		return false, err
	}
	now, fresh := index.Meetings(b.old.Order, asked), index.Meetings(counts.Order(), asked)
	b.db.opts.Logger.Debug("the order of a collection was tried", "collection", b.c.Name, "sets", b.v.Sets, "asked", len(asked), "meetings", now, "fresh", fresh)
	return now > fresh+fresh/2+fewMeetings, nil
}
