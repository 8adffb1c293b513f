package engine

// Backpressure: writers wait before the commit mutex while the builder or Pebble is behind.

import (
	"context"
	"fmt"

	"github.com/simdb/simdb/api"
)

const (
	// maxTail, in segments, is how many sets may wait for postings. Without
	// them a search scans the tail's signatures, so it may grow, not without end.
	maxTail = 16
	// maxUnbuilt, in segments, is how many may wait while the builder fails. Writers do
	// not wait for it then, because it may fail for ever, and what fails may pass: the
	// disk was full for a while. At a quarter of a million sets a search scans the tail
	// for some milliseconds, and a join sorts it in memory. More is refused.
	maxUnbuilt = 4 * maxTail
)

// awaitRoom holds a writer back, before the commit mutex, while the builder or
// Pebble is far behind, and refuses what the builder will not come to. When the context
// has ended, nothing is written.
func (db *DB) awaitRoom(ctx context.Context, p prepared) error {
	if err := db.await(ctx, db.behind); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return db.unbuildable(p.ops)
}

// unbuildable refuses documents for a collection whose sets wait for a builder that
// fails. Deletions pass: they may be the way out.
func (db *DB) unbuildable(ops []operation) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	for _, o := range ops {
		if o, ok := o.(*put); ok && o.c.unbuilt.err != nil && o.c.tail > maxUnbuilt*int64(o.c.Cut(db.opts.SegmentSets)) {
			return fmt.Errorf("collection %q: %d sets wait for an index that cannot be built, so it takes no more documents; remove the cause, it is tried again: %w",
				o.c.Name, o.c.tail, o.c.unbuilt.err)
		}
	}
	return nil
}

// await lets the builder work until the condition is over.
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

// unbuilt reports whether some tail should become a segment, and the builder can, or an
// order is to be looked at.
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

// behind reports whether a writer should wait.
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

// bagsWait reports whether a load should wait for the segment that is being made of
// a tail, which gives room to the bags of its texts, rather than have them read
// again. Where all texts are read for a new order it does not wait.
func (db *DB) bagsWait() bool {
	db.mu.Lock()
	defer db.mu.Unlock()
	c := db.builder.extending
	return c != nil && !c.Kept.Texts() && c.fresh.Fill(7, 8, c.bagsBudget(db.opts.MemoryBytes))
}
