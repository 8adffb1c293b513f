package engine

// Making a store small again: postings without the dead, Pebble compacted, the log cut.

import (
	"context"
	"errors"
	"time"

	"github.com/simdb/simdb/engine/internal/segment"
)

// Compact rebuilds the postings of every collection in a fresh order, without
// what was deleted, and lets the store give the space back. It leaves what an
// import of the same documents would: sets too few for a segment stay without
// postings.
func (db *DB) Compact(ctx context.Context) error {
	if err := db.enterToWrite(ctx); err != nil {
		return err
	}
	defer db.gate.leave()
	if err := db.disk.Poisoned(); err != nil {
		return err
	}
	ctx, cancel := db.shared.Bound(ctx)
	defer cancel()
	if err := db.rebuildAll(ctx); err != nil {
		return db.shared.ClosedOr(err)
	}
	if err := db.disk.Flush(ctx); err != nil {
		return db.shared.ClosedOr(err)
	}
	if err := db.disk.Compact(ctx); err != nil {
		return db.shared.ClosedOr(err)
	}
	return errors.Join(db.resetLog(), db.shared.ClosedOr(db.removeRetired(ctx)), db.awaitCleaning(ctx))
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

// awaitCleaning gives Pebble a moment to remove the files it no longer needs,
// which it does behind our back, so that the space is free when Compact returns.
func (db *DB) awaitCleaning(ctx context.Context) error {
	for range 200 {
		if !db.disk.Cleaning() {
			break
		}
		select {
		case <-time.After(10 * time.Millisecond):
		case <-ctx.Done():
			return db.shared.ClosedOr(ctx.Err())
		}
	}
	return nil
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
