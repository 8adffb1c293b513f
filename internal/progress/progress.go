// Package progress reports the progress of a long call to its caller: the context
// carries the callback. It knows neither the work nor its display. Begin with With and
// Begin.
package progress

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/simdb/simdb/api"
)

// every is the least interval of reports, so that they never cost more than the work.
const every = 100 * time.Millisecond

type key struct{}

// callback serialises the calls of a callback.
type callback struct {
	mu   sync.Mutex
	call func(api.Progress)
}

// With returns a context that makes calls report progress: at the start of each stage
// of the work, and then at most ten times a second. report is called from any
// goroutine, never concurrently, and blocks the work while it runs.
func With(ctx context.Context, report func(api.Progress)) context.Context {
	return context.WithValue(ctx, key{}, &callback{call: report})
}

// Stage counts the steps of a stage of the work. A nil Stage counts nothing. It is safe
// for concurrent use.
type Stage struct {
	to    *callback
	what  string
	total int64
	begin time.Time
	done  atomic.Int64
	next  atomic.Int64 // time of the next report, in nanoseconds after begin
}

// Begin starts a stage of total steps, 0 if unknown, and reports it. Within the
// returned context nested stages report nothing: only the outermost does.
func Begin(ctx context.Context, what string, total int64) (context.Context, *Stage) {
	to, _ := ctx.Value(key{}).(*callback)
	if to == nil {
		return ctx, nil
	}
	p := &Stage{to: to, what: what, total: total, begin: time.Now()}
	p.report(0)
	return context.WithValue(ctx, key{}, (*callback)(nil)), p
}

// Add counts completed steps.
func (p *Stage) Add(n int) {
	if p == nil {
		return
	}
	p.report(p.done.Add(int64(n)))
}

// report calls the callback if the interval has passed.
func (p *Stage) report(done int64) {
	now := int64(time.Since(p.begin))
	at := p.next.Load()
	if now < at || !p.next.CompareAndSwap(at, now+int64(every)) {
		return
	}
	p.to.mu.Lock()
	defer p.to.mu.Unlock()
	p.to.call(api.Progress{What: p.what, Done: done, Total: p.total})
}
