package engine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/keys"
	"github.com/simdb/simdb/shingle"
)

const (
	// growth is by how much a collection grows before its order is made anew.
	// All rebuilds together then read a seventh of the documents once more.
	growth = 8
	// orderSample is how many sets an order counts at most: measured elsewhere,
	// an order from 64 k of 1 M documents reads hardly more postings than one
	// from all.
	orderSample = 1 << 16
	// tailShare is the part of a segment that is left to the tail when all is tidied
	// up.
	tailShare = 8
	// tidiesUp is how many times the sets of a load are merged with them at its end.
	tidiesUp = 4
	// growsBy is how many times larger than its largest part a merged segment is,
	// at least; loadGrowsBy until a load has merged all in the end.
	growsBy     = 3
	loadGrowsBy = 8
	neverGrows  = math.MaxUint32 // the dead are left out, and empty segments merged
)

// builder is the one goroutine that turns tails into segments, merges them and
// cuts the log, whenever a commit or a flush wakes it.
func (db *DB) builder() {
	defer close(db.builderDone)
	for {
		select {
		case <-db.ctx.Done():
			return
		case <-db.wake:
		}
		err := db.maintain(db.ctx)
		if err != nil && db.ctx.Err() == nil {
			db.opts.Logger.Error("building the index", "error", err)
		}
		db.mu.Lock()
		db.buildErr = err
		db.mu.Unlock()
		db.advanced.broadcast()
	}
}

func (db *DB) wakeBuilder() {
	select {
	case db.wake <- struct{}{}:
	default:
	}
}

// maintain does whatever there is to do.
func (db *DB) maintain(ctx context.Context) error {
	if err := db.poisoned(); err != nil {
		return err
	}
	if err := db.trimLog(); err != nil {
		return err
	}
	return errors.Join(db.buildAll(ctx), db.removeRetired(ctx))
}

func (db *DB) buildAll(ctx context.Context) error {
	db.mu.Lock()
	var names []string
	for n := range db.collections {
		names = append(names, n)
	}
	db.mu.Unlock()
	slices.Sort(names)
	for _, n := range names {
		for {
			more, err := db.buildNext(ctx, n)
			if err != nil {
				return fmt.Errorf("collection %q: %w", n, err)
			}
			if !more {
				break
			}
		}
	}
	return nil
}

// buildNext takes one step: a new order, a new segment from the tail, or a merge.
func (db *DB) buildNext(ctx context.Context, name string) (more bool, err error) {
	if err := db.building.lock(ctx); err != nil {
		return false, err
	}
	defer db.building.unlock()
	s := db.snapshot()
	defer s.close()
	v, err := s.view(name)
	if err != nil {
		return false, nil // dropped
	}
	if v.wantsDictionary(v.sets, db.opts.segmentSets) {
		return true, db.makeDictionary(ctx, s, v)
	}
	b := newBuild(db, s, v)
	db.mu.Lock()
	cut, by := db.cut(v.collection), uint32(growsBy)
	if db.untidy > 0 {
		by = loadGrowsBy
	}
	tidies := db.untidy > 0 && db.loads == 0
	long := tailIsLong(v.tail, v.next-v.index.built, cut)
	outgrown := v.index.order != nil && v.sets >= growth*v.index.ordered
	if long && !outgrown {
		db.extending = v.collection
		defer db.extended()
	}
	db.mu.Unlock()
	switch {
	case long && (v.index.order == nil || outgrown):
		err = b.rebuild(ctx, v.next)
	case long:
		err = b.extend(ctx, b.afterLive(v.index.built, int(cut)))
	case tidies: // and merges what there is
		return false, nil
	default:
		i, n := mergeable(v.index.segments, by)
		if n == 0 {
			return false, nil
		}
		err = b.merge(ctx, i, n)
	}
	return true, b.end(err)
}

// extended lets loads go on that wait for a segment.
func (db *DB) extended() {
	db.mu.Lock()
	db.extending = nil
	db.mu.Unlock()
	db.advanced.broadcast()
}

// end publishes what was built. What it wrote besides can go: all of it on an
// error. That the collection was dropped meanwhile is no error.
func (b *build) end(err error) error {
	if err == nil {
		err = b.publish()
	}
	b.db.mu.Lock()
	defer b.db.mu.Unlock()
	for _, number := range b.written {
		if !slices.ContainsFunc(b.published, func(s *segment) bool { return s.number == number }) {
			b.db.retired[number] = 0 // at once
		}
	}
	if b.v.collection.dropped {
		return nil
	}
	return err
}

// mergeable chooses neighbours to merge: one with a fifth of its sets dead, or the
// least of those that have so many times the sets of the largest among them that
// no posting is written again before its segment has grown as much.
func mergeable(segments []*segment, by uint32) (first, n int) {
	for i, s := range segments {
		if d := s.dead.Load(); d > 0 && d*5 >= int64(s.Sets) {
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
	return first, n
}

// tidy makes what loads have left quick to search: a tail of more than an eighth
// of a segment becomes one, and the segments loaded are merged, with those before
// them that have up to four times as many sets alive: each posting of the load pays for
// five to be written once more. Other segments that have many dead lose them. from has
// the first set of the loads.
func (db *DB) tidy(ctx context.Context, from map[*collection]uint32) error {
	return db.eachBuild(ctx, func(b *build) error {
		v := b.v
		began := from[v.collection]
		if v.next == began {
			return nil // the builder leaves out the dead
		}
		var err error
		if v.index.order != nil && v.tail > int64(v.cut(db.opts.segmentSets)/tailShare) {
			err = b.extend(ctx, v.next)
		}
		if err == nil {
			err = b.mergeFrom(ctx, b.tidyFrom(began))
		}
		for err == nil {
			i, n := mergeable(b.new.segments, neverGrows)
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
	room := tidiesUp * uint64(b.v.next-began)
	for _, s := range slices.Backward(b.new.segments) {
		if s.Lo >= began {
			continue
		}
		alive := uint64(max(0, int64(s.Sets)-s.dead.Load()))
		if alive > room {
			break
		}
		room -= alive
		began = s.Lo
	}
	return began
}

// eachBuild calls do with a build for each collection.
func (db *DB) eachBuild(ctx context.Context, do func(*build) error) error {
	if err := db.building.lock(ctx); err != nil {
		return err
	}
	defer db.building.unlock()
	s := db.snapshot()
	defer s.close()
	for _, v := range s.views {
		if err := do(newBuild(db, s, v)); err != nil {
			return fmt.Errorf("collection %q: %w", v.name, err)
		}
	}
	return nil
}

// build is one change of a collection's postings. Segments are written as they
// come; only publish makes them count.
type build struct {
	db        *DB
	s         *Snapshot
	v         *view
	old       *postings
	new       postings
	written   []uint32   // numbers of all segments written
	published []*segment // those of the collection from now on
}

func newBuild(db *DB, s *Snapshot, v *view) *build {
	b := &build{db: db, s: s, v: v, old: v.index, new: *v.index}
	b.new.segments = slices.Clone(v.index.segments)
	return b
}

// rebuild makes a new order from a sample and all postings below hi anew.
func (b *build) rebuild(ctx context.Context, hi uint32) error {
	all := b.live(0, hi)
	step := (len(all) + orderSample - 1) / orderSample
	var sample []uint32
	var members uint64
	for i := 0; i < len(all); i += max(step, 1) {
		sample = append(sample, all[i])
		members += b.v.table.Size(all[i]).Distinct
	}
	counts := index.NewOrderBuilder(members)
	err := eachSet(ctx, b.s, b.v, sample, (*bagReader).once, func(_ uint32, bag shingle.Bag) error {
		counts.Add(bag.Set)
		return nil
	})
	if err != nil {
		return err
	}
	b.new = postings{order: counts.Order(), orderNumber: b.db.newSegmentNumber(), ordered: int64(len(all))}
	for b.new.built < hi {
		if err := b.extend(ctx, hi); err != nil {
			return err
		}
	}
	return b.mergeFrom(ctx, 0)
}

// mergeFrom merges the segments whose first set is lo or above into as few as can be.
func (b *build) mergeFrom(ctx context.Context, lo uint32) error {
	for i := 0; i < len(b.new.segments); i++ {
		first, n := b.new.segments[i].Lo, 1
		for i+n < len(b.new.segments) && b.new.segments[i+n].Hi-first <= index.MaxSegmentSpan {
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

// extend writes one segment that begins where the postings end and reaches hi,
// or less far when memory asks for it.
func (b *build) extend(ctx context.Context, hi uint32) error {
	lo := b.new.built
	hi = min(hi, lo+index.MaxSegmentSpan)
	seg, err := b.write(func(emit index.Emit) (*index.Segment, error) {
		return b.s.buildSegment(ctx, b.v, b.v.layout(b.new.order), lo, hi, b.live(lo, hi), emit)
	})
	if err != nil {
		return err
	}
	b.new.segments = append(b.new.segments, seg)
	b.new.built = seg.Hi
	return nil
}

// buildSegment makes one segment of the sets named, which lie in [lo,hi). It
// reaches less far than hi when memory asks for it.
func (s *Snapshot) buildSegment(ctx context.Context, v *view, l index.Layout, lo, hi uint32, sets []uint32, emit index.Emit) (*index.Segment, error) {
	posts := index.NewBuilder(l, lo)
	err := eachSet(ctx, s, v, sets, (*bagReader).posted, func(set uint32, p posted) error {
		posts.Add(set, p.bag, v.table.SimHash(set))
		v.kept.postings(p, posts.Post)
		if int64(posts.Bytes()) > s.db.opts.MemoryBytes/4 {
			hi = set + 1
			return errStop
		}
		return nil
	})
	if err != nil && !errors.Is(err, errStop) {
		return nil, err
	}
	return posts.Finish(hi, emit)
}

// merge replaces n segments from first on by one, without the dead.
func (b *build) merge(ctx context.Context, first, n int) error {
	parts := b.new.segments[first : first+n]
	stored := make([]index.Stored, n)
	for i, s := range parts {
		stored[i] = index.Stored{Segment: s.Segment, Reader: inOrder{file: s.file}}
	}
	lo := parts[0].Lo
	alive := b.db.alive(b.v.collection, lo, parts[n-1].Hi)
	seg, err := b.write(func(emit index.Emit) (*index.Segment, error) {
		return index.Merge(ctx, stored, func(set uint32) bool { return alive[set-lo] }, emit)
	})
	if err != nil {
		return pageError(err)
	}
	b.new.segments = slices.Replace(b.new.segments, first, first+n, seg)
	return nil
}

// write makes a segment of the pages that fill emits.
func (b *build) write(fill func(index.Emit) (*index.Segment, error)) (*segment, error) {
	number := b.db.newSegmentNumber()
	b.written = append(b.written, number)
	w, err := b.db.newSegmentWriter(number)
	if err != nil {
		return nil, err
	}
	seg, err := fill(w.emit)
	if err == nil {
		err = w.writeFacts(seg.Lo, seg.Hi, b.v.table, b.db.alive(b.v.collection, seg.Lo, seg.Hi))
	}
	if err == nil {
		err = w.finish(seg)
	}
	if err := errors.Join(err, w.close()); err != nil {
		return nil, err
	}
	return b.db.openSegment(manifestSegment{number, seg.Lo, seg.Hi, seg.Sets})
}

func (db *DB) newSegmentNumber() uint32 {
	db.mu.Lock()
	defer db.mu.Unlock()
	db.lastSegment++
	return db.lastSegment
}

// live lists the sets in [lo,hi) that some document has now.
func (b *build) live(lo, hi uint32) []uint32 {
	var out []uint32
	for i, alive := range b.db.alive(b.v.collection, lo, hi) {
		if alive {
			out = append(out, lo+uint32(i))
		}
	}
	return out
}

// afterLive returns the number behind the n-th live set from lo on.
func (b *build) afterLive(lo uint32, n int) uint32 {
	live := b.live(lo, b.v.next)
	if len(live) <= n {
		return b.v.next
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

// publish writes the manifest and lets readers see the new postings. Snapshots
// taken before have the old segments open.
func (b *build) publish() error {
	c := b.v.collection
	b.new.words = newCountedWords()
	if len(b.written) > 0 { // the manifest must not come before the files it names
		if err := syncDir(b.db.opts.fs, b.db.file(postingsName)); err != nil {
			return err
		}
	}
	batch := b.db.pebble.NewBatch()
	defer batch.Close()
	if b.new.order != b.old.order {
		if b.new.order != nil {
			if err := writeOrder(batch, c, b.new.orderNumber, b.new.order); err != nil {
				return err
			}
		}
		if b.old.order != nil {
			if err := deleteUnder(batch, c.key(keys.Order, b.old.orderNumber)); err != nil {
				return err
			}
		}
	}
	m, err := b.new.manifest()
	if err != nil {
		return err
	}
	if err := batch.Set(c.key(keys.Index), m, nil); err != nil {
		return err
	}
	b.db.mu.Lock()
	defer b.db.mu.Unlock()
	if c.dropped {
		return nil
	}
	over := slices.DeleteFunc(slices.Clone(b.old.segments), func(s *segment) bool { return slices.Contains(b.new.segments, s) })
	if err := b.noteEnded(batch, over); err != nil {
		return err
	}
	if err := b.db.retire(batch, over); err != nil {
		return err
	}
	if err := batch.Commit(pebble.NoSync); err != nil {
		return b.db.poison(err)
	}
	for _, s := range b.new.segments {
		s.countDead(c)
	}
	published := b.new // not &b.new, which would keep the build and with it what it read
	c.index = &published
	b.published = published.segments
	c.tail = c.liveIn(b.new.built, c.next)
	c.fresh.drop(b.new.built)
	b.db.advanced.broadcast()
	return nil
}
