package main

// The line on a terminal that says how far the work has come.

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/simdb/simdb/api"
)

// redrawEvery keeps the bar from costing more than the work it shows.
const redrawEvery = 100 * time.Millisecond

// progress is a line on a terminal that says how far the work has come, how
// fast it goes and how long it will take. If the output is no terminal, it
// writes nothing.
type progress struct {
	mu    sync.Mutex
	w     io.Writer
	begin time.Time
	drawn time.Time
	shown bool
}

func newProgress(w io.Writer, quiet bool) *progress {
	p := &progress{begin: time.Now()}
	if !quiet && isTerminal(w) {
		p.w = w
	}
	return p
}

// documents shows an import.
func (p *progress) documents(x api.ImportProgress) {
	elapsed := time.Since(p.begin)
	rate := fmt.Sprintf("%s docs · %s docs/s", thousands(x.Documents), thousands(perSecond(x.Documents, elapsed)))
	p.draw(x.Read, x.Total, rate+" · "+formatBytes(perSecond(x.Read, elapsed))+"/s", elapsed)
}

// steps shows the progress of work that counts something.
func (p *progress) steps(noun string) func(done, total int64) {
	return func(done, total int64) {
		p.draw(done, total, thousands(done)+" "+noun, time.Since(p.begin))
	}
}

func (p *progress) draw(done, total int64, text string, elapsed time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if p.w == nil || now.Sub(p.drawn) < redrawEvery {
		return
	}
	p.drawn, p.shown = now, true
	line := progressLine(done, total, text, elapsed)
	fmt.Fprint(p.w, "\r\x1b[K"+cutToTerminal(line, max(0, terminalWidth(p.w)-1)))
}

// clear removes the line, so that a message can be written there.
func (p *progress) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.shown = false
	}
}

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
