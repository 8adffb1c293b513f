package engine

// The background builder: when it wakes, and its next step. One goroutine runs while there
// is work. Commits do not wait for postings, unless too many sets lack them (room.go).

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/simdb/simdb/engine/internal/host"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/keys"
	"github.com/simdb/simdb/internal/worker"
)

// tailShare bounds the tail that tidying leaves: 1/tailShare of a segment.
const tailShare = 8

// builder is the state of the goroutine that turns tails into segments, merges segments and
// trims the log.
type builder struct {
	worker *worker.Worker // runs from begin to finish

	building *semaphore.Weighted // one goroutine at a time changes postings
	trimming sync.Mutex          // held while the log is trimmed

	// The commit mutex guards the fields below.
	failed      failed
	loads       int         // running loads
	untidy      int         // loads that have not tidied their segments yet
	conditional bool        // a running load has conditional batches
	extending   *collection // its tail is becoming a segment
}

// build is one round of the worker. A commit, a flush or a load wakes it.
func (db *DB) build() {
	ctx := db.shared.Closing
	if ctx.Err() != nil {
		return
	}
	if err := db.use(); err != nil {
		db.noteFailed(err)
		return
	}
	defer db.unuse()
	err := db.maintain(ctx)
	if err != nil && ctx.Err() == nil {
		db.opts.Logger.Error("building the index", "error", err)
	}
	if err != nil {
		db.noteFailed(err)
	}
	db.disk.Advance()
}

// failed records the failures of the builder. A later success does not clear it.
type failed struct {
	why   string    // error of the last failure
	at    time.Time // time of the last failure
	times int64     // number of failed rounds
}

// noteFailed counts a failure of the builder, for Metrics.
func (db *DB) noteFailed(err error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	f := &db.builder.failed
	f.why, f.at = err.Error(), time.Now()
	f.times++
}

// unbuilt records that the builder cannot build the postings of a collection.
type unbuilt struct {
	err   error     // nil after a success
	row   int       // consecutive failures
	again time.Time // earliest time of the next attempt
}

// Pauses between attempts double from firstPause to lastPause.
const (
	firstPause = 50 * time.Millisecond
	lastPause  = 30 * time.Second
)

// note records the end of an attempt and returns the pause before the next one. Without a
// pause a persistent failure would recur with every commit that wakes the builder.
func (u *unbuilt) note(err error) (pause time.Duration) {
	if err == nil {
		*u = unbuilt{}
		return 0
	}
	pause = min(firstPause<<min(u.row, 20), lastPause)
	*u = unbuilt{err: err, row: u.row + 1, again: time.Now().Add(pause)}
	return pause
}

// noteUnbuilt records the end of an attempt in u, and schedules the next one.
func (db *DB) noteUnbuilt(u *unbuilt, err error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if pause := u.note(err); pause > 0 {
		time.AfterFunc(pause, db.wakeBuilder)
	}
}

// wakeBuilder starts a round, or another one after the running round.
func (db *DB) wakeBuilder() { db.builder.worker.Wake() }

// maintain trims the log, builds all collections and deletes retired files.
func (db *DB) maintain(ctx context.Context) error {
	if err := db.disk.Poisoned(); err != nil {
		return err
	}
	return errors.Join(db.trimLog(), db.buildAll(ctx), db.removeRetired(ctx))
}

// trimLog releases the log segments that Pebble no longer needs. It writes a document count
// to STATE only if the count belongs to the record that STATE names: the next Open compares
// the two.
func (db *DB) trimLog() error {
	db.builder.trimming.Lock()
	defer db.builder.trimming.Unlock()
	before, err := db.disk.DurableNumber(keys.Applied)
	if err != nil {
		return err
	}
	seq, documents := db.counted()
	return db.disk.Trim(func() int64 {
		// The durable number never decreases: equal values before and after mean that it
		// has not changed in between.
		if after, err := db.disk.DurableNumber(keys.Applied); err != nil || before != seq || after != seq {
			return notCounted
		}
		return documents
	})
}

// buildAll builds each collection until nothing is left to do, except collections that
// pause after a failure.
func (db *DB) buildAll(ctx context.Context) error {
	db.mu.Lock()
	var all []*collection
	for _, c := range db.collections {
		if c.unbuilt.err == nil || !time.Now().Before(c.unbuilt.again) {
			all = append(all, c)
		}
	}
	db.mu.Unlock()
	slices.SortFunc(all, func(a, b *collection) int { return cmp.Compare(a.Name, b.Name) })
	var errs []error
	for _, c := range all { // a failing collection must not keep the others without postings
		var err error
		for more := true; more && err == nil; {
			more, err = db.buildNext(ctx, c)
		}
		if err != nil {
			err = fmt.Errorf("collection %q: %w", c.Name, err)
			errs = append(errs, err)
		}
		db.noteUnbuilt(&c.unbuilt, err)
	}
	return errors.Join(errs...)
}

// buildNext takes one step for a collection: a dictionary, an order, a segment from the
// tail, or a merge. more reports whether to call it again.
func (db *DB) buildNext(ctx context.Context, c *collection) (more bool, err error) {
	if err := db.builder.building.Acquire(ctx, 1); err != nil {
		return false, err
	}
	defer db.builder.building.Release(1)
	if s := db.opts.Shared; s != nil {
		if err := s.builders.Acquire(ctx, 1); err != nil {
			return false, err
		}
		defer s.builders.Release(1)
	}
	s := db.snapshot()
	defer s.close()
	i := slices.Index(s.collections, c)
	if i < 0 {
		return false, nil // dropped
	}
	v := s.view.Views[i]
	if v.Dictionaries.Wants(v.Sets, db.opts.SegmentSets) {
		return true, db.makeDictionary(ctx, c, s.view, v)
	}
	b := newBuild(db, s, i)
	db.mu.Lock()
	by := db.mergesBy()
	tidies := db.builder.untidy > 0 && db.builder.loads == 0
	long := tailIsLong(v.Tail, v.Table.Len()-v.Postings.Built, db.cut(c))
	outgrown := c.outgrown()
	db.mu.Unlock()
	switch {
	case outgrown:
		return true, b.reorder(ctx)
	case long && v.Postings.Order == nil:
		err = b.rebuild(ctx, v.Table.Len())
	case long:
		return true, b.extendTail(ctx)
	case tidies: // tidying merges all segments later
		return false, nil
	default:
		i, n := mergeable(v.Postings.Segments, by)
		if n == 0 {
			return false, nil
		}
		err = b.merge(ctx, i, n)
	}
	return true, b.end(err)
}

// extendTail turns the tail, or its first sets, into a segment. It ends the segment at a
// slab boundary of the table if possible: the facts of a slab split between two segments
// stay in memory.
func (b *build) extendTail(ctx context.Context) error {
	b.db.mu.Lock()
	cut := b.db.cut(b.c)
	b.db.builder.extending = b.c
	b.db.mu.Unlock()
	defer b.db.endExtending()
	hi := b.afterLive(b.v.Postings.Built, int(cut))
	if whole := hi / index.SlabSets * index.SlabSets; whole >= b.v.Postings.Built+max(cut/2, 1) {
		hi = whole
	}
	return b.end(b.extend(ctx, hi))
}

// mergesBy returns the growth factor that mergeable currently requires. Each segment is an
// open file; the segments of all collections may use a quarter of the process's file limit,
// or conditionalGrowsBy per collection if that is more. The caller holds db.mu.
func (db *DB) mergesBy() uint32 {
	switch {
	case db.builder.untidy == 0:
		return growsBy
	case db.builder.conditional:
		return conditionalGrowsBy
	}
	files := host.OpenFiles() / 4 / uint64(max(len(db.collections), 1))
	return uint32(max(conditionalGrowsBy, min(loadGrowsBy, files)))
}

// endExtending wakes loads that wait for a segment.
func (db *DB) endExtending() {
	db.mu.Lock()
	db.builder.extending = nil
	db.mu.Unlock()
	db.disk.Advance()
}

// eachBuild calls do with a build for each collection.
func (db *DB) eachBuild(ctx context.Context, do func(*build) error) error {
	if err := db.builder.building.Acquire(ctx, 1); err != nil {
		return err
	}
	defer db.builder.building.Release(1)
	return db.buildEach(do)
}

// buildEach is eachBuild for a caller that holds builder.building.
func (db *DB) buildEach(do func(*build) error) error {
	s := db.snapshot()
	defer s.close()
	for i, c := range s.collections {
		if err := do(newBuild(db, s, i)); err != nil {
			return fmt.Errorf("collection %q: %w", c.Name, err)
		}
	}
	return nil
}

// tailIsLong reports whether the sets without postings should become a segment: there are
// many live sets, or many set numbers, mostly of ended sets, which every scan must skip.
// The caller holds db.mu.
func (db *DB) tailIsLong(c *collection) bool {
	return tailIsLong(c.tail, c.Next-c.postings.Built, db.cut(c))
}

// wakeBuilderFor wakes the builder if a collection needs a segment or a dictionary. The
// caller holds db.mu.
func (db *DB) wakeBuilderFor(c *collection) {
	if db.tailIsLong(c) || c.dictionaries.Load().Wants(c.Sets, db.opts.SegmentSets) {
		db.wakeBuilder()
	}
}

// loadCut is the factor by which the tail may grow during a load.
const loadCut = 4

// cut returns the number of sets that become a segment now. During a load it is larger, as
// long as the bags fit in memory: fewer merges follow, and the first order samples more
// sets. The caller holds db.mu.
func (db *DB) cut(c *collection) uint32 {
	sets := c.Cut(db.opts.SegmentSets)
	if db.builder.loads > 0 && !c.Kept.Texts() && !c.fresh.Fill(3, 4, c.bagsBudget(db.opts.MemoryBytes)) {
		return loadCut * sets
	}
	return sets
}

// tailIsLong compares live sets and set numbers with the size of a segment.
func tailIsLong(live int64, numbers, cut uint32) bool {
	return live >= int64(cut) || numbers >= 16*cut
}
