package engine

// The end of a store: the gate is shut, the calls inside come to their end, and what
// Open opened is closed.

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/view"
)

// Close waits for the calls that are running, makes everything durable and
// empties the log. Later calls return ErrClosed, and so does a second Close.
//
// Long calls end early, and loops over rows end with their next row. A loop whose
// body never comes to its end keeps Close waiting; Shutdown waits no longer than a
// context. Called from inside a loop over rows of the store, Close would wait for
// itself: that is ErrInvalid, and the store stays open.
func (db *DB) Close() error {
	if db.gate.waitsForItself() {
		return errCloseInside
	}
	if err := db.beginClose(); err != nil {
		return err
	}
	<-db.gate.closed
	return db.gate.err
}

// Shutdown is Close for as long as the context lasts. When the context ends first,
// its error is returned. The store takes no calls then, and is closed as soon as the
// last one inside has ended; Shutdown may be called again to wait for that. It is
// ErrClosed once the store is closed.
func (db *DB) Shutdown(ctx context.Context) error {
	if ctx == nil {
		return fault.Invalid("the context is nil; Close waits without one")
	}
	if db.gate.waitsForItself() {
		return errCloseInside
	}
	if err := db.beginClose(); err != nil {
		select {
		case <-db.gate.closed:
			return err
		default:
		}
	}
	select {
	case <-db.gate.closed:
		return db.gate.err
	case <-ctx.Done():
		return fmt.Errorf("shutdown: calls of the store still run, it closes after the last of them: %w", ctx.Err())
	}
}

var errCloseInside = fault.Invalid("close: called in a loop over rows of this store, which it would wait for; leave the loop first")

// beginClose shuts the gate and lets the rest be done behind it. ErrClosed if that has
// been done before.
func (db *DB) beginClose() error {
	if err := db.gate.close(); err != nil {
		return err
	}
	db.stop()
	go func() {
		defer close(db.gate.closed)
		db.gate.err = db.finish()
	}()
	return nil
}

// finish closes the store once no call is inside.
func (db *DB) finish() error {
	db.gate.inside.Wait()
	db.builder.worker.Stop()
	var errs []error
	for s := range db.openSnapshots() {
		errs = append(errs, s.close())
	}
	asleep := db.opts.sleeps() && db.opts.Shared.depart(db)
	switch err := db.disk.Poisoned(); {
	case err != nil:
		errs = append(errs, err)
	case !db.opts.ReadOnly && !asleep:
		errs = append(errs, db.settle())
	}
	return errors.Join(append(errs, db.release())...)
}

func (db *DB) openSnapshots() map[*Snapshot]bool {
	db.mu.Lock()
	defer db.mu.Unlock()
	return maps.Clone(db.snapshots)
}

// settle flushes the store and leaves an empty log, so that the next Open has
// nothing to replay.
func (db *DB) settle() error {
	if err := db.disk.Flush(context.Background()); err != nil {
		return err
	}
	if err := db.removeRetired(context.Background()); err != nil {
		return err
	}
	return db.disk.Settle(db.counted())
}

// release closes what Open opened, as far as it came.
func (db *DB) release() error {
	var errs []error
	for _, c := range db.collections {
		errs = append(errs, c.postings.Close())
	}
	if db.disk != nil {
		errs = append(errs, db.disk.Close())
	}
	if db.shared != nil {
		view.CloseShared(db.shared)
	}
	return errors.Join(errs...)
}
