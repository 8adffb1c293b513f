// Package worker runs a function in a goroutine that exists only while there is work.
// Wake requests a run; runs never overlap. The package does not know the work. Begin
// with Worker.
package worker

import "sync"

// Worker calls its function once after each Wake, or once for several. A process may
// have thousands of idle workers: an idle worker has no goroutine. All methods are safe
// for concurrent use.
type Worker struct {
	work func()

	mu      sync.Mutex
	ended   sync.Cond // broadcast when the goroutine ends
	started bool
	stopped bool
	woken   bool // since the last call of work
	running bool // the goroutine exists
}

// New returns a worker that is idle until Start.
func New(work func()) *Worker {
	w := &Worker{work: work}
	w.ended.L = &w.mu
	return w
}

// Start enables the worker. It runs at once if Wake was called before.
func (w *Worker) Start() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.started = true
	w.begin()
}

// Wake requests a complete run of the function, after the current one if any. It does
// not wait, so the caller may hold locks that the function takes.
func (w *Worker) Wake() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.woken = true
	w.begin()
}

// Stop prevents further runs and waits for the end of the current one. The function
// must not call it.
func (w *Worker) Stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stopped = true
	w.wait()
}

// Wait waits for the end of all requested runs. The function must not call it.
func (w *Worker) Wait() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.wait()
}

// wait waits until the goroutine ends. It requires mu.
func (w *Worker) wait() {
	for w.running {
		w.ended.Wait()
	}
}

// begin starts the goroutine if there is work. It requires mu.
func (w *Worker) begin() {
	if w.started && w.woken && !w.stopped && !w.running {
		w.running = true
		go w.run()
	}
}

// run calls the function until no run is requested.
func (w *Worker) run() {
	w.mu.Lock()
	defer func() { // also if the function panics or calls Goexit
		w.running = false
		w.ended.Broadcast()
		w.mu.Unlock()
	}()
	for w.woken && !w.stopped {
		w.woken = false
		w.unlocked()
	}
}

// unlocked calls the function without mu.
func (w *Worker) unlocked() {
	w.mu.Unlock()
	defer w.mu.Lock()
	w.work()
}
