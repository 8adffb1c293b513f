// Package progress carries how far a long call has come from where the work is done to
// who asked: a context brings the function that is told. It knows nothing of the work,
// nor of how it is shown.
package progress

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/simdb/simdb/api"
)

// every keeps the telling from costing more than the work.
const every = 100 * time.Millisecond

type key struct{}

// teller tells one function, one call at a time.
type teller struct {
	mu   sync.Mutex
	tell func(api.Progress)
}

// With returns a context whose calls tell the function how far they are: when a stage of
// the work begins, and at most ten times a second while it goes on. It is called from any
// goroutine, never from two at once, and holds up the work while it runs.
func With(ctx context.Context, tell func(api.Progress)) context.Context {
	return context.WithValue(ctx, key{}, &teller{tell: tell})
}

// Stage counts a stage of the work. A nil Stage counts nothing. Safe for concurrent use.
type Stage struct {
	to    *teller
	what  string
	total int64
	begin time.Time
	done  atomic.Int64
	next  atomic.Int64 // when to tell again, in nanoseconds after begin
}

// Begin begins a stage of so many steps, 0 if no one knows how many. What the stage calls
// with the context that comes back tells nothing: the outermost stage does.
func Begin(ctx context.Context, what string, total int64) (context.Context, *Stage) {
	to, _ := ctx.Value(key{}).(*teller)
	if to == nil {
		return ctx, nil
	}
	p := &Stage{to: to, what: what, total: total, begin: time.Now()}
	p.report(0)
	return context.WithValue(ctx, key{}, (*teller)(nil)), p
}

// Add counts steps that are done.
func (p *Stage) Add(n int) {
	if p == nil {
		return
	}
	p.report(p.done.Add(int64(n)))
}

// report tells, if it is time to.
func (p *Stage) report(done int64) {
	now := int64(time.Since(p.begin))
	at := p.next.Load()
	if now < at || !p.next.CompareAndSwap(at, now+int64(every)) {
		return
	}
	p.to.mu.Lock()
	defer p.to.mu.Unlock()
	p.to.tell(api.Progress{What: p.what, Done: done, Total: p.total})
}
