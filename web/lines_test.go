package web

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// writes counts the writes to a response.
type writes struct {
	http.ResponseWriter
	n int
}

func (w *writes) Write(b []byte) (int, error) { w.n++; return w.ResponseWriter.Write(b) }

// A handler that panics leaves no timer behind that would write to its response.
func TestAbandonedResponseSendsNothing(t *testing.T) {
	w := &writes{ResponseWriter: httptest.NewRecorder()}
	l := &lines{w: w, sent: time.Now()}
	if err := l.writeEvent("progress"); err != nil || l.later == nil {
		t.Fatalf("the event is sent at once, or not at all: %v", err)
	}
	l.abandon()
	time.Sleep(2 * eventWait)
	if l.end(); w.n != 1 {
		t.Errorf("%d writes, want the one of the end", w.n)
	}
}
