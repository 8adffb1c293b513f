package engine

// The one goroutine that builds, which is there only while there is work: when it wakes, and
// what it does next. Postings are made behind the writers' backs, so a commit never waits for
// them.

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

// tailShare is the part of a segment that is left to the tail when all is tidied up.
const tailShare = 8

// builder is the state of the one goroutine that turns tails into segments, merges
// them and cuts the log.
type builder struct {
	worker *worker.Worker // works from begin to finish

	building *semaphore.Weighted // one goroutine at a time changes postings
	trimming sync.Mutex          // held by whoever cuts the log

	// The commit mutex guards:
	failed    failed
	loads     int         // going on
	untidy    int         // loads that have not yet tidied up what they made
	asking    bool        // one of them has had batches with conditions
	extending *collection // whose tail becomes a segment just now
}

// build is what that goroutine does when a commit, a flush or a load has woken it.
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

// failed is what is known of the builder's failures, also when it has gone well since.
type failed struct {
	why   string    // the last time
	at    time.Time // of that
	times int64     // rounds that failed
}

func (db *DB) noteFailed(err error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	f := &db.builder.failed
	f.why, f.at = err.Error(), time.Now()
	f.times++
}

// unbuilt says that the builder could not make the postings of a collection.
type unbuilt struct {
	err   error     // nil if it could
	row   int       // how many times one after another
	again time.Time // when it is tried again
}

const (
	firstPause = 50 * time.Millisecond
	lastPause  = 30 * time.Second
)

// note notes how the building ended, and returns after which pause it is tried again.
// What failed would fail again at once, with every commit that wakes the builder: it
// waits, each time twice as long.
func (u *unbuilt) note(err error) (pause time.Duration) {
	if err == nil {
		*u = unbuilt{}
		return 0
	}
	pause = min(firstPause<<min(u.row, 20), lastPause)
	*u = unbuilt{err: err, row: u.row + 1, again: time.Now().Add(pause)}
	return pause
}

// noteUnbuilt notes how the building of what u is of ended.
func (db *DB) noteUnbuilt(u *unbuilt, err error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if pause := u.note(err); pause > 0 {
		time.AfterFunc(pause, db.wakeBuilder)
	}
}

func (db *DB) wakeBuilder() { db.builder.worker.Wake() }

// maintain does whatever there is to do.
func (db *DB) maintain(ctx context.Context) error {
	if err := db.disk.Poisoned(); err != nil {
		return err
	}
	return errors.Join(db.trimLog(), db.buildAll(ctx), db.removeRetired(ctx))
}

// trimLog releases the part of the log that is no longer needed. STATE gets a count of
// documents only where it is that of the very record that STATE names: the next Open
// compares them.
func (db *DB) trimLog() error {
	db.builder.trimming.Lock()
	defer db.builder.trimming.Unlock()
	before, err := db.disk.DurableNumber(keys.Applied)
	if err != nil {
		return err
	}
	seq, documents := db.counted()
	return db.disk.Trim(func() int64 {
		// The durable number only grows: between two that are equal it was the same.
		if after, err := db.disk.DurableNumber(keys.Applied); err != nil || before != seq || after != seq {
			return notCounted
		}
		return documents
	})
}

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
	for _, c := range all { // one that fails does not keep the others without postings
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

// buildNext takes one step: a first order, a new segment from the tail, or a merge.
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
	case tidies: // it merges what there is
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

// extendTail makes a segment of the tail, or of its first sets. It ends with a slab of the
// table where it can: the facts of a slab in two segments stay in memory.
func (b *build) extendTail(ctx context.Context) error {
	b.db.mu.Lock()
	cut := b.db.cut(b.c)
	b.db.builder.extending = b.c
	b.db.mu.Unlock()
	defer b.db.extended()
	hi := b.afterLive(b.v.Postings.Built, int(cut))
	if whole := hi / index.SlabSets * index.SlabSets; whole >= b.v.Postings.Built+max(cut/2, 1) {
		hi = whole
	}
	return b.end(b.extend(ctx, hi))
}

// mergesBy is what mergeable needs just now. A segment is an open file, and segments of all
// collections take a quarter of those that the process may have, or askingGrowsBy for each
// collection if that is more. db.mu is held.
func (db *DB) mergesBy() uint32 {
	switch {
	case db.builder.untidy == 0:
		return growsBy
	case db.builder.asking:
		return askingGrowsBy
	}
	files := host.OpenFiles() / 4 / uint64(max(len(db.collections), 1))
	return uint32(max(askingGrowsBy, min(loadGrowsBy, files)))
}

// extended lets loads go on that wait for a segment.
func (db *DB) extended() {
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
	s := db.snapshot()
	defer s.close()
	for i, c := range s.collections {
		if err := do(newBuild(db, s, i)); err != nil {
			return fmt.Errorf("collection %q: %w", c.Name, err)
		}
	}
	return nil
}

// tailIsLong says whether the sets without postings should become a segment:
// there are many, or many numbers, most of them of sets that have ended, which
// every scan passes over. db.mu is held.
func (db *DB) tailIsLong(c *collection) bool {
	return tailIsLong(c.tail, c.Next-c.postings.Built, db.cut(c))
}

// wakeBuilderFor wakes the builder if it has something to do for a collection; db.mu is held.
func (db *DB) wakeBuilderFor(c *collection) {
	if db.tailIsLong(c) || c.dictionaries.Load().Wants(c.Sets, db.opts.SegmentSets) {
		db.wakeBuilder()
	}
}

// loadCut is how many times longer the tail may grow while a load goes on.
const loadCut = 4

// cut is how many sets become a posting segment now: more while a load goes on,
// so that less is merged and the first order is made of more, as long as their
// bags can wait in memory. db.mu is held.
func (db *DB) cut(c *collection) uint32 {
	sets := c.Cut(db.opts.SegmentSets)
	if db.builder.loads > 0 && !c.Kept.Texts() && !c.fresh.Fill(3, 4, c.bagsBudget(db.opts.MemoryBytes)) {
		return loadCut * sets
	}
	return sets
}

func tailIsLong(live int64, numbers, cut uint32) bool {
	return live >= int64(cut) || numbers >= 16*cut
}
