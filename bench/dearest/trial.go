package main

// One trial: a statement as a request to the handler of simdb serve.

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"runtime/metrics"
	"runtime/pprof"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/web"
)

const (
	lateness = 300 * time.Millisecond // an end so long after the limit is worth a look
	hung     = 2 * time.Minute        // so long after the limit the program gives up
)

// cost is the cost of a statement.
type cost struct {
	cpu   time.Duration
	heap  int64         // peak of live and dead objects above the heap before
	late  time.Duration // CPU time after the time limit, so that other processes do not count
	rows  int
	ended string // the limit that ended it
}

// wrong reports whether the server rejected the statement.
func (c cost) wrong() bool {
	return c.rows == 0 && c.ended != "itself" && c.ended != "time" && !strings.HasPrefix(c.ended, "too_large")
}

// trials runs statements on a store.
type trials struct {
	ctx    context.Context
	path   string
	memory int64
	limit  time.Duration
	late   *os.File // nil: none
	real   []string
	db     *simdb.DB
}

func newTrials(ctx context.Context, path string, memory int64, limit time.Duration, late string) (*trials, error) {
	t := &trials{ctx: ctx, path: path, memory: memory, limit: limit}
	var err error
	if t.real, err = readTexts(realTexts); err != nil {
		return nil, err
	}
	if late != "" {
		if t.late, err = os.Create(late); err != nil {
			return nil, err
		}
	}
	return t, t.open()
}

func (t *trials) open() (err error) {
	t.db, err = simdb.Open(t.path, &simdb.Options{ReadOnly: true, MustExist: true, MemoryBytes: t.memory})
	return err
}

func (t *trials) close() error { return t.db.Close() }

// run runs a statement within the limits of simdb serve, but with another time limit. A fresh
// statement is the first after the store has been opened.
func (t *trials) run(s *statement, fresh bool, limit time.Duration) (c cost, err error) {
	if fresh {
		if err := t.close(); err != nil {
			return c, err
		}
		if err := t.open(); err != nil {
			return c, err
		}
	}
	body, err := json.Marshal(map[string]any{"statement": s.src, "params": s.args})
	if err != nil {
		return c, err
	}
	h := web.Handler(t.db, &web.Options{MaxTime: limit})
	r := httptest.NewRequestWithContext(t.ctx, http.MethodPost, "http://localhost/api/v1/query", bytes.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	runtime.GC()
	peak := watchHeap()
	before := cpuTime()
	var atLimit atomic.Int64
	due := time.AfterFunc(limit, func() { atLimit.Store(int64(cpuTime())) })
	watch := time.AfterFunc(limit+lateness, func() { t.report(s, limit) })
	stuck := time.AfterFunc(limit+hung, func() { panic(fmt.Sprintf("%s has not ended %v after its limit", s, hung)) })
	w := &response{header: http.Header{}}
	h.ServeHTTP(w, r)
	c.cpu = cpuTime() - before
	if !due.Stop() && atLimit.Load() > 0 {
		c.late = before + c.cpu - time.Duration(atLimit.Load())
	}
	watch.Stop()
	stuck.Stop()
	c.heap = peak()
	c.rows, c.ended = w.rows()
	return c, nil
}

// report writes the stacks of a statement that runs on.
func (t *trials) report(s *statement, limit time.Duration) {
	if t.late == nil {
		return
	}
	fmt.Fprintf(t.late, "==== %s\n%v after its limit of %v\n", s, lateness, limit)
	var all bytes.Buffer
	pprof.Lookup("goroutine").WriteTo(&all, 2)
	for _, one := range strings.Split(all.String(), "\n\n") {
		if strings.Contains(one, "simdb/") && !strings.Contains(one, "(*trials).report") && !strings.Contains(one, ", select") {
			fmt.Fprintln(t.late, one+"\n")
		}
	}
}

// watchHeap samples the bytes of objects in the heap until the returned function stops it. That
// function returns the peak above the first sample.
func watchHeap() func() int64 {
	heap := func() int64 {
		s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		metrics.Read(s)
		return int64(s[0].Value.Uint64())
	}
	first, stop, done := heap(), make(chan struct{}), make(chan int64)
	go func() {
		most := first
		for {
			select {
			case <-stop:
				done <- max(most, heap())
				return
			case <-time.After(5 * time.Millisecond):
				most = max(most, heap())
			}
		}
	}()
	return func() int64 { close(stop); return <-done - first }
}

func cpuTime() time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// response keeps the status and the body of a response.
type response struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (w *response) Header() http.Header { return w.header }

func (w *response) WriteHeader(status int) { w.status = status }

func (w *response) Write(b []byte) (int, error) { return w.body.Write(b) }

// rows returns the number of rows, and the limit that ended them.
func (w *response) rows() (n int, ended string) {
	var a struct {
		Rows  []json.RawMessage
		Notes []string
		More  bool
		Error struct{ Code, Message string }
	}
	if err := json.Unmarshal(w.body.Bytes(), &a); err != nil {
		return 0, "no JSON: " + err.Error()
	}
	switch {
	case a.Error.Code == "timeout":
		return 0, "time"
	case a.Error.Code != "":
		message := a.Error.Message
		return 0, a.Error.Code + ": " + message[:min(len(message), 100)]
	case a.More:
		note := a.Notes[len(a.Notes)-1]
		if strings.Contains(note, "MiB") {
			return len(a.Rows), "size of the answer"
		}
		return len(a.Rows), "rows"
	}
	return len(a.Rows), "itself"
}
