package engine

// The lifecycle of a store: calls enter and leave it, and Close waits for those inside.

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

// lifecycle lets calls in until it is shut. Pebble panics on use after Close, so
// every call that touches the store passes here, and Close waits for those
// inside.
type lifecycle struct {
	mu     sync.Mutex
	shut   error // why no call is let in, nil while the store is open
	inside sync.WaitGroup
	lent   atomic.Int64 // loops over rows and loads, which call the caller's code

	use   func() error // wakes the store for a call
	unuse func()       // ends it

	closed chan struct{} // closed when the store is; err is set then
	err    error
}

func newLifecycle(use func() error, unuse func()) lifecycle {
	return lifecycle{use: use, unuse: unuse, closed: make(chan struct{})}
}

// NotOpened returns what stands for a store that the caller has not opened: each of its calls is
// ErrClosed, and says what is missing.
func NotOpened() *DB {
	db := &DB{lifecycle: newLifecycle(nil, nil)}
	db.lifecycle.shut = fmt.Errorf("%w: it was never opened; use simdb.Open", api.ErrClosed)
	close(db.lifecycle.closed)
	return db
}

// CheckContext refuses a context that has ended, or that there is not.
func CheckContext(ctx context.Context) error {
	if err := given(ctx); err != nil {
		return err
	}
	return ctx.Err()
}

func given(ctx context.Context) error {
	if ctx == nil {
		return fault.Invalid("the context is nil; context.Background() is the one that never ends")
	}
	return nil
}

// enter begins a call of the store; db.lifecycle.leave must follow unless there is an error.
func (db *DB) enter(ctx context.Context) error {
	if err := given(ctx); err != nil {
		return err
	}
	return db.lifecycle.enter()
}

// enterToWrite is enter for a call that changes the store.
func (db *DB) enterToWrite(ctx context.Context) error {
	if db.opts.ReadOnly {
		return api.ErrReadOnly
	}
	return db.enter(ctx)
}

// enter is ErrClosed once the store closes; otherwise leave must follow.
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

func (l *lifecycle) pass() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.shut == nil {
		l.inside.Add(1)
	}
	return l.shut
}

func (l *lifecycle) leave() {
	l.unuse()
	l.inside.Done()
}

// close lets no more calls in. It is ErrClosed if it was called before.
func (l *lifecycle) close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	was := l.shut
	l.shut = cmp.Or(was, api.ErrClosed)
	return was
}

// lend counts a call in that calls the caller's code from inside, and take counts it
// out.
func (l *lifecycle) lend() { l.lent.Add(1) }

func (l *lifecycle) take() { l.lent.Add(-1) }

// lenders are the functions that call the caller's code from inside: whoever closes
// the store there would wait for himself.
var lenders = []string{"engine.lendRows[", "engine.(*load).await"}

// waitsForItself says whether Close is called in a loop over rows, or where a load
// acknowledges. Only the stack of this goroutine can tell. It does not tell of which
// store the rows are, so some of this one must be lent too. A loop that waits for
// another goroutine which calls Close is not seen, nor is one of iter.Pull.
func (l *lifecycle) waitsForItself() bool {
	return l.lent.Load() > 0 && CalledFrom(lenders...)
}

// CalledFrom says whether one of some functions is on the stack. It is for simdb's own parts.
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

// The end of a store: no call is let in, those inside come to their end, and what
// Open opened is closed.

// Close waits for the calls that are running, makes everything durable and
// empties the log. Later calls return ErrClosed, and so does a second Close.
//
// Long calls end early, and loops over rows end with their next row. A loop whose
// body never comes to its end keeps Close waiting; Shutdown waits no longer than a
// context. Called from inside a loop over rows of the store, Close would wait for
// itself: that is ErrInvalid, and the store stays open.
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

// Shutdown is Close for as long as the context lasts. When the context ends first,
// its error is returned. The store takes no calls then, and is closed as soon as the
// last one inside has ended; Shutdown may be called again to wait for that. It is
// ErrClosed once the store is closed.
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
		return fmt.Errorf("shutdown: calls of the store still run, it closes after the last of them: %w", ctx.Err())
	}
}

var errCloseInside = fault.Invalid("close: called in a loop over rows of this store, which it would wait for; leave the loop first")

// beginClose lets no more calls in, and the rest be done in the background. ErrClosed if that has
// been done before.
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

// finish closes the store once no call is inside.
func (db *DB) finish() error {
	db.lifecycle.inside.Wait()
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
	if db.shared != nil && db.shared.Counting != nil {
		db.shared.Counting.Remove()
	}
	if db.disk != nil {
		errs = append(errs, db.disk.Close())
	}
	if db.shared != nil {
		view.CloseShared(db.shared)
	}
	return errors.Join(errs...)
}
