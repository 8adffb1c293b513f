package web

// Counters of requests for data, for GET /metrics.

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// figures counts the requests for data. It is safe for concurrent use.
type figures struct {
	mu       sync.Mutex
	requests map[request]*served
}

type request struct {
	pattern string // of the mux, which bounds the number of keys
	status  int
}

type served struct {
	times   int64
	seconds float64
}

// note counts one request.
func (f *figures) note(pattern string, status int, took time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.requests == nil {
		f.requests = map[request]*served{}
	}
	of := f.requests[request{pattern, status}]
	if of == nil {
		of = &served{}
		f.requests[request{pattern, status}] = of
	}
	of.times++
	of.seconds += took.Seconds()
}

// write appends the counters in the text format of Prometheus.
func (f *figures) write(b *strings.Builder, head func(name, kind, help string)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	keys := slices.SortedFunc(maps.Keys(f.requests), func(a, b request) int {
		return cmp.Or(cmp.Compare(a.pattern, b.pattern), cmp.Compare(a.status, b.status))
	})
	head("requests_total", "counter", "Answered requests for data.")
	for _, k := range keys {
		fmt.Fprintf(b, "simdb_requests_total{path=%q,status=\"%d\"} %d\n", k.pattern, k.status, f.requests[k].times)
	}
	head("request_seconds_total", "counter", "Time of the answered requests for data.")
	for _, k := range keys {
		fmt.Fprintf(b, "simdb_request_seconds_total{path=%q,status=\"%d\"} %g\n", k.pattern, k.status, f.requests[k].seconds)
	}
}
