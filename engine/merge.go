package engine

// The choice of segments to merge, and the merge. A merge reads no texts, because all
// segments of a collection share one order (docs/decisions/0003).

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/segment"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/shingle"
)

const (
	// tidiesUp limits the older sets merged at the end of a load, as a multiple of the
	// load's sets.
	tidiesUp = 4
	// growsBy is the minimum ratio between a merged segment and its largest part. The other
	// two replace it while a load runs, until its end merges all. A load creates segments
	// of 4,096 to 16,384 sets: with loadGrowsBy a load of millions of sets is merged only
	// at the end, larger loads once before. A conditional load searches every segment,
	// hence conditionalGrowsBy.
	growsBy            = 3
	conditionalGrowsBy = 8
	loadGrowsBy        = 512
	neverGrows         = math.MaxUint32 // only drop dead sets, and merge empty segments
)

// mergeable chooses adjacent segments to merge: a single segment with a fifth of its sets
// dead, or otherwise the smallest run whose total is at least by times its largest segment.
// That ratio bounds the rewrites of each posting.
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

// withLike extends a run of n segments by the following segments up to the size of its
// largest. An aborted load leaves hundreds of segments, which are thus merged once, rather
// than in threes.
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

// tidy optimises the segments of finished loads for searching. A tail of more than an
// eighth of a segment becomes a segment. The loaded segments are merged, together with
// preceding ones of up to four times as many live sets, so each loaded posting pays for at
// most five rewrites. Other segments with many dead sets are rewritten. from has the first
// set of the loads per collection.
func (db *DB) tidy(ctx context.Context, from map[*collection]uint32) error {
	return db.eachBuild(ctx, func(b *build) error {
		v := b.v
		began := from[b.c]
		if v.Table.Len() == began {
			return nil // nothing was loaded; the builder drops dead sets
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

// tidyFrom returns the first set of the segments to merge after a load whose first set was
// began.
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

// mergeFrom merges the segments from set lo on into as few as possible. It leaves segments
// that are created during the merge.
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

// merge replaces n segments from index first on by one, without dead sets.
func (b *build) merge(ctx context.Context, first, n int) error {
	parts := b.new.Segments[first : first+n]
	stored := make([]index.Stored, n)
	for i, s := range parts {
		stored[i] = s.ReadThrough(n, nil)
	}
	lo := parts[0].Lo
	alive := b.db.alive(b.c, lo, parts[n-1].Hi)
	seg, err := b.write(func(emit index.Emit) (*index.Segment, error) {
		return index.Merge(ctx, b.v.Layout(b.new.Order), stored, func(set uint32) bool { return alive[set-lo] }, b.emitExtending(ctx, emit))
	})
	if err != nil {
		return segment.PageError(err)
	}
	b.new.Segments = slices.Replace(b.new.Segments, first, first+n, seg)
	return nil
}

// emitExtending returns an emit that also turns a growing tail into segments. A merge of
// millions of sets takes minutes, and loads wait once a tail is many times as long as a
// segment. At least half of the time remains for the merge. The number of new segments is
// bounded, because each is an open file.
func (b *build) emitExtending(ctx context.Context, emit index.Emit) index.Emit {
	pages, segments, next := 0, uint32(0), time.Now()
	return func(k index.Kind, page int, data []byte) error {
		if pages++; pages%64 == 1 && time.Now().After(next) && segments < b.extensionsAllowed() {
			begun := time.Now()
			segments++
			switch err := b.extendDuringMerge(ctx); {
			case ctx.Err() != nil:
				return ctx.Err()
			case err != nil: // the merge itself has not failed
				b.db.noteFailed(err)
				segments = math.MaxUint32
			}
			next = time.Now().Add(time.Since(begun))
		}
		return emit(k, page, data)
	}
}

// extensionsAllowed returns the number of segments that the tail may become during a merge: 0
// while the tail is short, or if the build itself changes the order or extends the
// postings.
func (b *build) extensionsAllowed() uint32 {
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

// extendDuringMerge turns the tail into a segment, and adds the segment to the base of the
// build.
func (b *build) extendDuringMerge(ctx context.Context) error {
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
	if err := b.db.trimLog(); err != nil { // the merge can go on without a shorter log
		b.db.noteFailed(err)
	}
	return nil
}

// Compaction: postings without dead sets, a compacted Pebble, an empty log.

// Compact rebuilds the postings of every collection in a fresh order, without deleted
// documents, and returns the freed space to the file system. The result equals that of a
// fresh import: too few sets for a segment stay without postings. Compact also removes the
// traces of erased documents, and returns ErrInvalid if an open snapshot still sees them.
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
	err := db.compact(ctx, db.rebuildAll)
	if disk.NoRoom(err) {
		err = db.compactFull(ctx)
	}
	return db.shared.ClosedOr(err)
}

// compact is Compact where the disk has room for new tables beside the old ones, and for rebuild.
func (db *DB) compact(ctx context.Context, rebuild func(context.Context) error) error {
	waiting, err := db.erasures()
	if err == nil {
		err = rebuild(ctx)
	}
	if err == nil {
		err = db.disk.Flush(ctx)
	}
	if err != nil {
		return err
	}
	if waiting.last > 0 {
		return db.compactErasing(ctx, waiting)
	}
	if err := db.disk.Compact(ctx); err != nil {
		return err
	}
	err = errors.Join(db.resetLog(), db.removeRetired(ctx))
	_, late := db.atLength(ctx, db.disk.Obsolete) // Pebble deletes obsolete files in the background
	return errors.Join(err, late)
}

// resetLog also releases the current segment of the log, unless it has records that Pebble
// has not flushed.
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

// rebuildAll rebuilds the postings of all collections, and clears their failures.
func (db *DB) rebuildAll(ctx context.Context) error {
	if err := db.eachBuild(ctx, func(b *build) error { return b.renewAll(ctx, b.v.Table.Len()) }); err != nil {
		return err
	}
	db.mu.Lock()
	for _, c := range db.collections {
		c.unbuilt = unbuilt{}
	}
	db.mu.Unlock()
	return nil
}

// renewAll rebuilds the postings of a collection, of the sets below hi.
func (b *build) renewAll(ctx context.Context, hi uint32) (err error) {
	v := b.v
	if v.Table.Len() == 0 {
		return nil
	}
	b.new = segment.Postings{} // without postings if all sets fit in the tail
	cut, posted := int(v.Cut(b.db.opts.SegmentSets)), int(v.Sets)
	if rest := posted % cut; posted < cut || rest <= cut/tailShare {
		posted -= rest
	}
	if posted > 0 && hi > 0 {
		err = b.rebuild(ctx, min(hi, b.afterLive(0, posted)))
	}
	return b.end(err)
}

// notCounted stands for an unknown number of documents.
const notCounted = -1

// Renewing the order of a collection: when the collection has grown and its order has
// become stale, all postings are rebuilt in a new order (docs/decisions/0039).

const (
	// growth is the factor of growth after which the order is examined.
	growth = 8
	// orderSample is the maximum number of sets that an order samples. An order from 64 k
	// of 1 M documents reads hardly more postings than an order from all of them.
	orderSample = 1 << 16
	// An examination reads a quarter of the sets. Every eighth of these serves as a query;
	// the others make the order to compare with.
	triedShare, queryShare = 4, 8
	// An order is renewed if searches read 1.5 times as much with it, plus fewMeetings to
	// exclude chance.
	fewMeetings = 128
)

// outgrown reports whether the collection has grown enough to examine its order. The caller
// holds db.mu.
func (c *collection) outgrown() bool {
	o := c.postings.Order
	return o != nil && (c.Sets >= growth*max(c.postings.Ordered, 1) || countsFew(o.Counted(), int(c.Sets))) && !time.Now().Before(c.unordered.again)
}

// reorder examines the order of a collection, and rebuilds order and postings if the order
// is stale. After a failure it is tried again later, and postings continue in the old
// order.
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
		b.db.opts.Logger.Error("renewing the order", "collection", b.c.Name, "error", err)
		b.db.noteFailed(err)
	}
	b.db.noteUnbuilt(&b.c.unordered, err)
	return b.db.disk.Poisoned()
}

// countsFew reports whether an order from counted sets is stale for any data, because a
// larger sample reads a fraction of the postings. The first order of a load counts 12,000
// to 16,384 sets. This rule renews it once, at 131,072 sets, rather than at the first
// million.
func countsFew(counted, sets int) bool { return counted < orderSample/2 && sets >= 2*orderSample }

// stale reports whether searches would read much less in a new order than in the present
// one. It samples sets to decide, unless the present order counts too few.
func (b *build) stale(ctx context.Context) (bool, error) {
	if countsFew(b.old.Order.Counted(), int(b.v.Sets)) {
		return true, nil
	}
	var queries []shingle.Set
	var counts *index.OrderBuilder
	room, i := b.m.MemoryBytes/16, 0
	_, err := b.eachOf(ctx, b.v.Table.Len(), min(orderSample, int(b.v.Sets)/triedShare), func(members uint64) { counts = index.NewOrderBuilder(members) },
		func(s shingle.Set) {
			if i++; i%queryShare == 0 && int64(8*len(s)) <= room {
				queries, room = append(queries, s), room-int64(8*len(s))
				return
			}
			counts.Add(s)
		})
	if err != nil {
		return false, err
	}
	now, fresh := index.Meetings(b.old.Order, queries), index.Meetings(counts.Order(), queries)
	b.db.opts.Logger.Debug("the order of a collection was examined", "collection", b.c.Name, "sets", b.v.Sets, "queries", len(queries), "meetings", now, "fresh", fresh)
	return now > fresh+fresh/2+fewMeetings, nil
}
