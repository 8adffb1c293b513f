package main

// The line on a terminal that says how far a statement is, where that takes long.

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

// patienceForAnswers is how long a statement runs before there is a line.
const patienceForAnswers = 2 * time.Second

// waiting shows how far a call is, on a terminal, once it has taken a while. The line
// goes on when the call tells nothing, so that a person sees that it is alive.
type waiting struct {
	bar    *progress
	mu     sync.Mutex
	now    api.Progress
	begins map[string]time.Time // of the stages of the work, by what they count
	once   sync.Once
	over   chan struct{}
	ticks  sync.WaitGroup
}

// waitFor returns a context for a call whose progress w shows if it is a terminal, until
// stop.
func waitFor(ctx context.Context, w io.Writer) (context.Context, *waiting) {
	bar := newProgress(w, false)
	if bar.w == nil {
		return ctx, nil
	}
	return waitOn(ctx, bar)
}

func waitOn(ctx context.Context, bar *progress) (context.Context, *waiting) {
	x := &waiting{bar: bar, begins: map[string]time.Time{}, over: make(chan struct{})}
	x.ticks.Go(x.tick)
	return simdb.WithProgress(ctx, x.told), x
}

// told takes what the call says.
func (x *waiting) told(p api.Progress) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if _, known := x.begins[p.What]; !known || p.Done == 0 {
		x.begins[p.What] = time.Now()
	}
	x.now = p
}

func (x *waiting) tick() {
	tick := time.NewTicker(redrawEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			x.draw()
		case <-x.over:
			return
		}
	}
}

func (x *waiting) draw() {
	elapsed := time.Since(x.bar.begin)
	if elapsed < patienceForAnswers {
		return
	}
	x.mu.Lock()
	p, begin := x.now, x.begins[x.now.What]
	x.mu.Unlock()
	text := "at work"
	switch {
	case p.Total > 0:
		text = fmt.Sprintf("%s of %s %s", thousands(p.Done), thousands(p.Total), p.What)
		elapsed = time.Since(begin)
	case p.What != "":
		text = thousands(p.Done) + " " + p.What
	}
	x.bar.draw(p.Done, p.Total, text, elapsed)
}

// stop removes the line for good. Rows and messages can be written after it.
func (x *waiting) stop() {
	if x == nil {
		return
	}
	x.once.Do(func() {
		close(x.over)
		x.ticks.Wait()
		x.bar.clear()
	})
}

// screen is a terminal that answers go to: the line is removed before they do.
type screen struct {
	io.Writer
	s *session
}

func (x screen) Write(b []byte) (int, error) {
	x.s.waiting.stop()
	return x.Writer.Write(b)
}

// answersTo returns where the session writes answers that are meant for w.
func (s *session) answersTo(w io.Writer) io.Writer {
	s.target, s.shown = w, w
	s.restyle()
	if isTerminal(w) {
		s.target = screen{s.pager.on(w), s}
	}
	return s.target
}
