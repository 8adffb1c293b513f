package engine

// The lifecycle of a store: calls enter and leave it, and Close waits for calls inside.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/view"
)

// lifecycle admits calls until the store closes. Pebble panics on use after Close, so every
// call that touches the store enters, and Close waits until all have left.
type lifecycle struct {
	mu     sync.Mutex
	shut   error // error for new calls; nil while the store is open
	inside sync.WaitGroup
	lent   atomic.Int64 // loops over rows and loads, which run the caller's code

	use   func() error // wakes the store for a call
	unuse func()       // ends the use

	closed chan struct{} // closed with the store; err is set then
	err    error
}

// newLifecycle returns the lifecycle of an open store.
func newLifecycle(use func() error, unuse func()) lifecycle {
	return lifecycle{use: use, unuse: unuse, closed: make(chan struct{})}
}

// NotOpened returns a placeholder for a store that the caller has not opened. Its calls
// return an ErrClosed that explains the omission.
func NotOpened() *DB {
	db := &DB{lifecycle: newLifecycle(nil, nil)}
	db.lifecycle.shut = fmt.Errorf("%w: it was never opened; use simdb.Open", api.ErrClosed)
	close(db.lifecycle.closed)
	return db
}

// CheckContext returns the error of a context that has ended, or ErrInvalid for nil.
func CheckContext(ctx context.Context) error {
	if err := requireContext(ctx); err != nil {
		return err
	}
	return ctx.Err()
}

// requireContext refuses a nil context.
func requireContext(ctx context.Context) error {
	if ctx == nil {
		return fault.Invalid("the context is nil; use context.Background() for one without an end")
	}
	return nil
}

// enter begins a call of the store. Unless it returns an error, db.lifecycle.leave must
// follow.
func (db *DB) enter(ctx context.Context) error {
	if err := requireContext(ctx); err != nil {
		return err
	}
	return db.lifecycle.enter()
}

// enterToWrite is enter for a call that changes the store; ErrReadOnly if it is read-only.
func (db *DB) enterToWrite(ctx context.Context) error {
	if db.opts.ReadOnly {
		return api.ErrReadOnly
	}
	return db.enter(ctx)
}

// enter begins a call, and wakes the store. It returns ErrClosed once the store closes.
// Unless it returns an error, leave must follow.
func (l *lifecycle) enter() error {
	if err := l.pass(); err != nil {
		return err
	}
	if err := l.use(); err != nil {
		l.inside.Done()
		return err
	}
	return nil
}

// pass counts a call that begins, unless the store has closed.
func (l *lifecycle) pass() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.shut == nil {
		l.inside.Add(1)
	}
	return l.shut
}

// leave ends a call.
func (l *lifecycle) leave() {
	l.unuse()
	l.inside.Done()
}

// close refuses further calls. It returns ErrClosed if it was called before.
func (l *lifecycle) close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	was := l.shut
	l.shut = cmp.Or(was, api.ErrClosed)
	return was
}

// lend marks the beginning of a call that runs the caller's code, take its end.
func (l *lifecycle) lend() { l.lent.Add(1) }

func (l *lifecycle) take() { l.lent.Add(-1) }

// lenders are the functions that run the caller's code. Close inside that code would wait
// for itself.
var lenders = []string{"engine.lendRows[", "engine.(*load).await"}

// waitsForItself reports whether Close runs inside a loop over rows, or inside the acked
// callback of a load. Only the stack of this goroutine shows that. The stack does not
// identify the store, so the count lent must confirm it. It misses iter.Pull, and a loop
// that waits for another goroutine that calls Close.
func (l *lifecycle) waitsForItself() bool {
	return l.lent.Load() > 0 && CalledFrom(lenders...)
}

// CalledFrom reports whether the stack has a call of any of the functions, named as
// runtime.Frame does, or by a part of that. It is for simdb's own packages.
func CalledFrom(functions ...string) bool {
	pcs := make([]uintptr, 1024)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	for more := true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		if slices.ContainsFunc(functions, func(name string) bool { return strings.Contains(f.Function, name) }) {
			return true
		}
	}
	return false
}

// The end of a store: refuse calls, wait for calls inside, close everything that Open
// opened.

// Close waits for running calls, makes everything durable and empties the log. Later calls
// return ErrClosed, also a second Close.
//
// Long calls end early with ErrClosed, and loops over rows end at their next row. A loop
// body that never returns blocks Close; Shutdown has a time limit. Inside a loop over rows
// of the same store Close returns ErrInvalid, because it would wait for itself, and the
// store stays open.
func (db *DB) Close() error {
	if db.lifecycle.waitsForItself() {
		return errCloseInside
	}
	if err := db.beginClose(); err != nil {
		return err
	}
	<-db.lifecycle.closed
	return db.lifecycle.err
}

// Shutdown is Close with a context. If the context ends first, Shutdown returns its error.
// The store then accepts no calls and closes after the last running call; another Shutdown
// waits for that. Shutdown returns ErrClosed once the store is closed.
func (db *DB) Shutdown(ctx context.Context) error {
	if ctx == nil {
		return fault.Invalid("the context is nil; Close waits without one")
	}
	if db.lifecycle.waitsForItself() {
		return errCloseInside
	}
	if err := db.beginClose(); err != nil {
		select {
		case <-db.lifecycle.closed:
			return err
		default:
		}
	}
	select {
	case <-db.lifecycle.closed:
		return db.lifecycle.err
	case <-ctx.Done():
		return fmt.Errorf("shutdown: calls are still running, and the store closes after the last one: %w", ctx.Err())
	}
}

// errCloseInside refuses a Close that would wait for itself.
var errCloseInside = fault.Invalid("close: called in a loop over rows of this store, which it would wait for; leave the loop first")

// beginClose refuses further calls, and starts the rest in the background. It returns
// ErrClosed on a second call.
func (db *DB) beginClose() error {
	if err := db.lifecycle.close(); err != nil {
		return err
	}
	db.stop()
	go func() {
		defer close(db.lifecycle.closed)
		db.lifecycle.err = db.finish()
	}()
	return nil
}

// finish closes the store after the last call has left.
func (db *DB) finish() error {
	db.lifecycle.inside.Wait()
	db.builder.worker.Stop()
	var errs []error
	for s := range db.openSnapshots() {
		errs = append(errs, s.close())
	}
	asleep := db.opts.sleeps() && db.opts.Shared.depart(db)
	switch err := db.disk.Poisoned(); {
	case asleep:
	case err != nil:
		errs = append(errs, err)
	case !db.opts.ReadOnly:
		errs = append(errs, db.flushAndEmptyLog())
	}
	return errors.Join(append(errs, db.release())...)
}

// openSnapshots copies the set of open snapshots, so that callers can close them without
// db.mu.
func (db *DB) openSnapshots() map[*Snapshot]bool {
	db.mu.Lock()
	defer db.mu.Unlock()
	return maps.Clone(db.snapshots)
}

// flushAndEmptyLog flushes the store and empties the log, so that the next Open has nothing to
// replay.
func (db *DB) flushAndEmptyLog() error {
	if err := db.disk.Flush(context.Background()); err != nil {
		return err
	}
	if err := db.removeRetired(context.Background()); err != nil {
		return err
	}
	return db.disk.Settle(db.counted())
}

// release closes the parts that Open has opened so far.
func (db *DB) release() error {
	err := db.detach()
	if db.shared != nil {
		view.CloseShared(db.shared)
	}
	return err
}
