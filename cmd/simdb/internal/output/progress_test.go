package output

// The progress line of a statement.

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/simdb/simdb/api"
)

// Two seconds nothing is shown, then one line that is written again and again, and that
// is gone at the end.
func TestWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var shown bytes.Buffer
		bar := &Progress{begin: time.Now(), w: &shown}
		_, x := waitOn(context.Background(), bar)
		x.receive(api.Progress{What: "sets searched", Total: 1000})
		time.Sleep(1950 * time.Millisecond)
		x.receive(api.Progress{What: "sets searched", Done: 250, Total: 1000})
		if shown.Len() > 0 {
			t.Errorf("after 1.95 s there is %q", shown.String())
		}
		time.Sleep(100 * time.Millisecond)
		if want := "25 % · 250 of 1,000 sets searched · 6s left"; !strings.HasSuffix(shown.String(), want) {
			t.Errorf("after 2.05 s there is %q, want %q at its end", shown.String(), want)
		}
		x.receive(api.Progress{What: "rows", Done: 12})
		time.Sleep(time.Second)
		if want := "\r\x1b[K12 rows · 3s"; !strings.HasSuffix(shown.String(), want) || strings.Contains(shown.String(), "\n") {
			t.Errorf("there is %q, want %q at its end and one line", shown.String(), want)
		}
		x.Stop()
		x.Stop()
		n := shown.Len()
		time.Sleep(time.Second)
		if !strings.HasSuffix(shown.String(), "\r\x1b[K") || shown.Len() != n {
			t.Errorf("the line stays: %q", shown.String()[n-20:])
		}
	})
}

// A call without reports shows a sign of life.
func TestWaitingForASilentCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var shown bytes.Buffer
		_, x := waitOn(context.Background(), &Progress{begin: time.Now(), w: &shown})
		time.Sleep(5050 * time.Millisecond)
		if want := "at work · 5s"; !strings.HasSuffix(shown.String(), want) {
			t.Errorf("there is %q, want %q at its end", shown.String(), want)
		}
		x.Stop()
	})
}

// Without a terminal, nothing is shown and the engine reports no progress.
func TestWaitingWithoutATerminal(t *testing.T) {
	ctx, x := WaitFor(context.Background(), &bytes.Buffer{})
	if x.Stop(); ctx != context.Background() || x != nil {
		t.Error("a buffer is shown progress")
	}
}
