package output

// The progress line on a terminal, for imports and for long statements.

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/clipperhouse/displaywidth"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/progress"
)

// redrawEvery limits the redraws, which could cost more than the work itself.
const redrawEvery = 100 * time.Millisecond

// Progress is a line on a terminal with the progress, the speed and the remaining time of some work.
// It writes nothing if the output is not a terminal.
type Progress struct {
	mu    sync.Mutex
	w     io.Writer
	begin time.Time
	drawn time.Time
	shown bool
}

// NewProgress returns a progress line on w, which is disabled if quiet is set.
func NewProgress(w io.Writer, quiet bool) *Progress {
	p := &Progress{begin: time.Now()}
	if !quiet && IsTerminal(w) {
		p.w = w
	}
	return p
}

// Documents shows the progress of an import.
func (p *Progress) Documents(x api.ImportProgress) {
	elapsed := time.Since(p.begin)
	rate := fmt.Sprintf("%s docs · %s docs/s", Thousands(x.Documents), Thousands(perSecond(x.Documents, elapsed)))
	p.Draw(x.Read, x.Total, rate+" · "+Bytes(perSecond(x.Read, elapsed))+"/s", elapsed)
}

// Steps returns a callback that shows the progress of countable work, with the noun of a step.
func (p *Progress) Steps(noun string) func(done, total int64) {
	return func(done, total int64) {
		p.Draw(done, total, Thousands(done)+" "+noun, time.Since(p.begin))
	}
}

// Text shows a formatted text as progress.
func (p *Progress) Text(format string, args ...any) {
	p.Draw(0, 0, fmt.Sprintf(format, args...), time.Since(p.begin))
}

// Draw shows done of total with a text. total is 0 if unknown.
func (p *Progress) Draw(done, total int64, text string, elapsed time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if p.w == nil || now.Sub(p.drawn) < redrawEvery {
		return
	}
	p.drawn, p.shown = now, true
	line := progressLine(done, total, text, elapsed)
	if width := TerminalWidth(p.w); width > 0 {
		line = displaywidth.TruncateString(line, max(leastCut, width-1), "…")
	}
	fmt.Fprint(p.w, "\r\x1b[K"+line)
}

// Clear removes the line, to make room for a message.
func (p *Progress) Clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.shown = false
	}
}

// progressLine formats a progress line: a bar with the remaining time if the total is known, else
// the elapsed time.
func progressLine(done, total int64, text string, elapsed time.Duration) string {
	if total <= 0 {
		return fmt.Sprintf("%s · %s", text, elapsed.Round(time.Second))
	}
	const cells = 24
	share := min(1, float64(done)/float64(total))
	full := int(share * cells)
	line := fmt.Sprintf("%s%s %3.0f %% · %s", strings.Repeat("█", full), strings.Repeat("░", cells-full), 100*share, text)
	if share > 0 && share < 1 {
		left := time.Duration(float64(elapsed) * (1 - share) / share)
		line += " · " + left.Round(time.Second).String() + " left"
	}
	return line
}

// patienceForAnswers is the delay before a statement shows a progress line.
const patienceForAnswers = 2 * time.Second

// Waiting shows the progress of a call on a terminal after patienceForAnswers. The line keeps moving
// without reports of the call, as a sign of life. It is safe for concurrent use.
type Waiting struct {
	bar    *Progress
	mu     sync.Mutex
	now    api.Progress
	begins map[string]time.Time // start of each stage, by its noun
	once   sync.Once
	over   chan struct{}
	ticks  sync.WaitGroup
}

// WaitFor returns a context for a call and a Waiting that shows its progress on w, if w is a terminal.
// The caller must call Stop.
func WaitFor(ctx context.Context, w io.Writer) (context.Context, *Waiting) {
	bar := NewProgress(w, false)
	if bar.w == nil {
		return ctx, nil
	}
	return waitOn(ctx, bar)
}

// waitOn is WaitFor on a given line, for tests.
func waitOn(ctx context.Context, bar *Progress) (context.Context, *Waiting) {
	x := &Waiting{bar: bar, begins: map[string]time.Time{}, over: make(chan struct{})}
	x.ticks.Go(x.tick)
	return progress.With(ctx, x.receive), x
}

// receive records a progress report of the call.
func (x *Waiting) receive(p api.Progress) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if _, known := x.begins[p.What]; !known || p.Done == 0 {
		x.begins[p.What] = time.Now()
	}
	x.now = p
}

// tick redraws the line periodically until Stop.
func (x *Waiting) tick() {
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

func (x *Waiting) draw() {
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
		text = fmt.Sprintf("%s of %s %s", Thousands(p.Done), Thousands(p.Total), p.What)
		elapsed = time.Since(begin)
	case p.What != "":
		text = Thousands(p.Done) + " " + p.What
	}
	x.bar.Draw(p.Done, p.Total, text, elapsed)
}

// Print writes a message above the line.
func (x *Waiting) Print(w io.Writer, message string) {
	if x != nil {
		x.bar.Clear()
	}
	fmt.Fprintln(w, message)
}

// Stop removes the line permanently. The caller may write rows and messages afterwards.
func (x *Waiting) Stop() {
	if x == nil {
		return
	}
	x.once.Do(func() {
		close(x.over)
		x.ticks.Wait()
		x.bar.Clear()
	})
}
