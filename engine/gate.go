package engine

// Who is inside the store: Close shuts the gate and waits for them.

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/fault"
)

// gate lets calls in until it is shut. Pebble panics on use after Close, so
// every call that touches the store passes here, and Close waits for those
// inside.
type gate struct {
	mu     sync.Mutex
	shut   error // why no call is let in, nil while the store is open
	inside sync.WaitGroup
	lent   atomic.Int64 // loops over rows and loads, which call the caller's code

	use   func() error // wakes the store for a call
	unuse func()       // ends it

	closed chan struct{} // closed when the store is; err is set then
	err    error
}

func newGate(use func() error, unuse func()) gate {
	return gate{use: use, unuse: unuse, closed: make(chan struct{})}
}

// NotOpened returns what stands for a store that the caller has not opened: each of its calls is
// ErrClosed, and says what is missing.
func NotOpened() *DB {
	db := &DB{gate: newGate(nil, nil)}
	db.gate.shut = fmt.Errorf("%w: it was never opened; use simdb.Open", api.ErrClosed)
	close(db.gate.closed)
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

// enter begins a call of the store; db.gate.leave must follow unless there is an error.
func (db *DB) enter(ctx context.Context) error {
	if err := given(ctx); err != nil {
		return err
	}
	return db.gate.enter()
}

// enterToWrite is enter for a call that changes the store.
func (db *DB) enterToWrite(ctx context.Context) error {
	if db.opts.ReadOnly {
		return api.ErrReadOnly
	}
	return db.enter(ctx)
}

// enter is ErrClosed once the gate is shut; otherwise leave must follow.
func (g *gate) enter() error {
	if err := g.pass(); err != nil {
		return err
	}
	if err := g.use(); err != nil {
		g.inside.Done()
		return err
	}
	return nil
}

func (g *gate) pass() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.shut == nil {
		g.inside.Add(1)
	}
	return g.shut
}

func (g *gate) leave() {
	g.unuse()
	g.inside.Done()
}

// close shuts the gate. It is ErrClosed if the gate was shut before.
func (g *gate) close() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	was := g.shut
	g.shut = cmp.Or(was, api.ErrClosed)
	return was
}

// lend counts a call in that calls the caller's code from inside, and take counts it
// out.
func (g *gate) lend() { g.lent.Add(1) }

func (g *gate) take() { g.lent.Add(-1) }

// lenders are the functions that call the caller's code from inside: whoever closes
// the store there would wait for himself.
var lenders = []string{"engine.lendRows[", "engine.(*load).await"}

// waitsForItself says whether Close is called in a loop over rows, or where a load
// acknowledges. Only the stack of this goroutine can tell. It does not tell of which
// store the rows are, so some of this one must be lent too. A loop that waits for
// another goroutine which calls Close is not seen, nor is one of iter.Pull.
func (g *gate) waitsForItself() bool {
	if g.lent.Load() == 0 {
		return false
	}
	pcs := make([]uintptr, 1024)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	for {
		f, more := frames.Next()
		for _, l := range lenders {
			if strings.Contains(f.Function, l) {
				return true
			}
		}
		if !more {
			return false
		}
	}
}
