// Package worker runs work in a goroutine that is there only while there is work. A function
// comes in; it is called whenever someone has woken the worker, never twice at once. The
// package does not know what the work is.
package worker

import "sync"

// Worker calls its function each time it is woken, or once for many times. A process may
// have thousands of workers that rest: these have no goroutine. Safe for concurrent use.
type Worker struct {
	work func()

	mu      sync.Mutex
	ended   sync.Cond // broadcast when the goroutine ends
	started bool
	stopped bool
	woken   bool // since work was last called
	running bool // the goroutine is there
}

// New returns a worker that does not work before Start.
func New(work func()) *Worker {
	w := &Worker{work: work}
	w.ended.L = &w.mu
	return w
}

// Start lets the worker work, at once if it has been woken before.
func (w *Worker) Start() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.started = true
	w.begin()
}

// Wake has the work done once more from its beginning. It does not wait for it, so the
// caller may hold locks that the work takes.
func (w *Worker) Wake() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.woken = true
	w.begin()
}

// Stop lets no more work begin, and waits for the end of what is under way.
func (w *Worker) Stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stopped = true
	for w.running {
		w.ended.Wait()
	}
}

// begin starts the goroutine if it has something to do. It needs mu.
func (w *Worker) begin() {
	if w.started && w.woken && !w.stopped && !w.running {
		w.running = true
		go w.run()
	}
}

func (w *Worker) run() {
	w.mu.Lock()
	defer func() { // also where the work panics, or ends its goroutine
		w.running = false
		w.ended.Broadcast()
		w.mu.Unlock()
	}()
	for w.woken && !w.stopped {
		w.woken = false
		w.unlocked()
	}
}

// unlocked does the work without mu.
func (w *Worker) unlocked() {
	w.mu.Unlock()
	defer w.mu.Lock()
	w.work()
}
