package engine

// Backpressure: writers wait before the commit mutex while the builder or Pebble lags.

import (
	"context"
	"fmt"

	"github.com/simdb/simdb/api"
)

const (
	// maxTail, in segments, bounds the sets that wait for postings. Without postings a
	// search scans the signatures of the tail, so the tail may grow, but not without limit.
	maxTail = 16
	// maxUnbuilt, in segments, replaces maxTail while the builder fails. Writers do not
	// wait then, because the failure may be permanent, and they are not refused at once,
	// because it may be transient, such as a full disk. With a quarter of a million sets in
	// the tail a search takes a few milliseconds for it, and a join sorts it in memory.
	// More is refused.
	maxUnbuilt = 4 * maxTail
)

// awaitRoom blocks a writer before the commit mutex while the builder or Pebble lags, and
// refuses documents that a failing builder cannot index. It returns an error if the context
// has ended, so that nothing is written.
func (db *DB) awaitRoom(ctx context.Context, p prepared) error {
	if err := db.await(ctx, db.behind); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := db.unbuildable(p.ops); err != nil {
		return err
	}
	return db.makeRoom(ctx, p.ops, len(p.record))
}

// unbuildable refuses documents for a collection with too long a tail and a failing
// builder. It admits deletions, because they may be the remedy.
func (db *DB) unbuildable(ops []operation) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	for _, o := range ops {
		if o, ok := o.(*put); ok && o.c.unbuilt.err != nil && o.c.tail > maxUnbuilt*int64(o.c.Cut(db.opts.SegmentSets)) {
			return fmt.Errorf("collection %q: %d sets wait for an index that cannot be built, so no more documents are accepted; remove the cause, and the build is retried: %w",
				o.c.Name, o.c.tail, o.c.unbuilt.err)
		}
	}
	return nil
}

// await blocks while the condition holds, and wakes the builder each time.
func (db *DB) await(ctx context.Context, while func() bool) error {
	for {
		advanced := db.disk.Advancing()
		if err := db.disk.Poisoned(); err != nil {
			return err
		}
		if !while() {
			return nil
		}
		db.wakeBuilder()
		select {
		case <-advanced:
		case <-db.disk.Failed():
		case <-ctx.Done():
			return ctx.Err()
		case <-db.shared.Closing.Done():
			return api.ErrClosed
		}
	}
}

// unbuilt reports whether the builder can turn some tail into a segment, or has an order to
// examine.
func (db *DB) unbuilt() bool {
	db.mu.Lock()
	defer db.mu.Unlock()
	for _, c := range db.collections {
		if c.unbuilt.err == nil && (db.tailIsLong(c) || c.outgrown()) {
			return true
		}
	}
	return false
}

// behind reports whether writers should wait.
func (db *DB) behind() bool {
	if db.disk.Behind() {
		return true
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.regrouping {
		return true
	}
	for _, c := range db.collections {
		if c.tail > maxTail*int64(c.Cut(db.opts.SegmentSets)) && c.unbuilt.err == nil {
			return true
		}
	}
	return false
}

// bagsWait reports whether a load should wait for a segment of the tail: the segment frees
// the memory of the tail's bags, which would otherwise be read again. It returns false
// while a new order reads all texts anyway.
func (db *DB) bagsWait() bool {
	db.mu.Lock()
	defer db.mu.Unlock()
	c := db.builder.extending
	return c != nil && !c.Kept.Texts() && c.fresh.Fill(7, 8, c.bagsBudget(db.opts.MemoryBytes))
}
