package worker

import (
	"sync/atomic"
	"testing"
)

func TestWorkerWorksOnceWoken(t *testing.T) {
	did := make(chan struct{}, 1)
	w := New(func() { did <- struct{}{} })
	w.Wake() // takes effect at Start
	select {
	case <-did:
		t.Fatal("the work was done before Start")
	default:
	}
	w.Start()
	<-did
	w.Wake()
	<-did
	w.Stop()
	w.Wake()
	w.Stop()
	if w.running || len(did) > 0 {
		t.Errorf("after Stop: running %v, %d times more; want neither", w.running, len(did))
	}
}

// Any number of Wakes during a run cause exactly one more run, and runs never overlap.
func TestWorkerIsNotLostWhileItWorks(t *testing.T) {
	var inside, calls atomic.Int32
	begun, goOn := make(chan struct{}, 10), make(chan struct{})
	w := New(func() {
		if inside.Add(1) > 1 {
			t.Error("two calls of the work at once")
		}
		calls.Add(1)
		begun <- struct{}{}
		<-goOn
		inside.Add(-1)
	})
	w.Start()
	w.Wake()
	<-begun
	for range 5 {
		w.Wake()
	}
	close(goOn)
	<-begun
	w.Stop()
	if got := calls.Load(); got != 2 {
		t.Errorf("the work was done %d times, want 2", got)
	}
}

// Stop without Start has nothing to wait for.
func TestWorkerStopsUnstarted(t *testing.T) {
	w := New(func() { t.Error("the work was done") })
	w.Wake()
	w.Stop()
	w.Start()
	w.Stop()
}
