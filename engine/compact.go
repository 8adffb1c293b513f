package engine

import (
	"context"
	"errors"
	"time"
)

// Compact rebuilds the postings of every collection in a fresh order, without
// what was deleted, and lets the store give the space back. It leaves what an
// import of the same documents would: sets too few for a segment stay without
// postings.
func (db *DB) Compact(ctx context.Context) error {
	if !db.gate.enter() {
		return ErrClosed
	}
	defer db.gate.leave()
	if err := db.poisoned(); err != nil {
		return err
	}
	ctx, cancel := db.bound(ctx)
	defer cancel()
	if err := db.rebuildAll(ctx); err != nil {
		return db.closedOr(err)
	}
	if err := db.flush(ctx); err != nil {
		return db.closedOr(err)
	}
	if err := db.compactPebble(ctx); err != nil {
		return db.closedOr(err)
	}
	return errors.Join(db.resetLog(), db.closedOr(db.removeRetired(ctx)), db.awaitCleaning(ctx))
}

// resetLog gives back the log too: its current segment as well, unless something
// was written since Pebble was flushed.
func (db *DB) resetLog() error {
	if err := db.trimLog(); err != nil {
		return err
	}
	db.trimming.Lock()
	defer db.trimming.Unlock()
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.trimmed < db.seq || db.poisoned() != nil {
		return db.poisoned()
	}
	if err := db.log.Reset(db.seq + 1); err != nil {
		return db.poison(err)
	}
	return nil
}

// awaitCleaning gives Pebble a moment to remove the files it no longer needs,
// which it does behind our back, so that the space is free when Compact returns.
func (db *DB) awaitCleaning(ctx context.Context) error {
	for range 200 {
		if db.pebble.Metrics().Table.ObsoleteCount == 0 {
			break
		}
		select {
		case <-time.After(10 * time.Millisecond):
		case <-ctx.Done():
			return db.closedOr(ctx.Err())
		}
	}
	return nil
}

func (db *DB) rebuildAll(ctx context.Context) error {
	err := db.eachBuild(ctx, func(b *build) error {
		v := b.v
		if v.next == 0 {
			return nil
		}
		b.new = postings{} // what is too short for a segment has none
		var err error
		cut, posted := int(v.cut(db.opts.segmentSets)), int(v.sets)
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
	db.buildErr = nil
	db.mu.Unlock()
	return nil
}

// compactPebble lets Pebble give space back. On a disk that fails Pebble would try
// again for ever.
func (db *DB) compactPebble(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-db.failed:
			cancel()
		case <-ctx.Done():
		}
	}()
	err := db.pebble.Compact(ctx, []byte{0}, []byte{0xff}, true)
	if poisoned := db.poisoned(); poisoned != nil {
		return poisoned
	}
	return storeError(err)
}

// bound ends a context when the store closes.
func (db *DB) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(db.ctx, cancel)
	return ctx, func() { stop(); cancel() }
}

func (db *DB) closedOr(err error) error {
	if err != nil && db.ctx.Err() != nil {
		return ErrClosed
	}
	return err
}
