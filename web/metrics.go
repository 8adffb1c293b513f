package web

// Figures for Prometheus, in its text format. It is some lines of text: a library for it
// would weigh more than the rest of this package.

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// figures counts the requests for data.
type figures struct {
	mu       sync.Mutex
	requests map[request]*served
}

type request struct {
	pattern string // of the mux, so there are few
	status  int
}

type served struct {
	count   int64
	seconds float64
}

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
	of.count++
	of.seconds += took.Seconds()
}

// metrics answers GET /metrics.
func metrics(c *call) error {
	var b strings.Builder
	head := func(name, kind, help string) {
		fmt.Fprintf(&b, "# HELP simdb_%s %s\n# TYPE simdb_%s %s\n", name, help, name, kind)
	}
	m := c.db.Metrics()
	for _, of := range []struct {
		name, kind, help string
		value            int64
	}{
		{"documents", "gauge", "Documents stored.", m.Documents},
		{"sets", "gauge", "Distinct bags of shingles.", m.Sets},
		{"segments", "gauge", "Posting segments.", m.Segments},
		{"tail_sets", "gauge", "Sets without postings yet.", m.TailSets},
		{"disk_bytes", "gauge", "Bytes on disk.", m.DiskBytes},
		{"log_bytes", "gauge", "Bytes of the log.", m.LogBytes},
		{"cache_hits_total", "counter", "Sets found in memory.", m.CacheHits},
		{"cache_misses_total", "counter", "Sets not found in memory.", m.CacheMisses},
		{"open_snapshots", "gauge", "Snapshots that are held.", int64(m.OpenSnapshots)},
		{"build_failures_total", "counter", "How often making indexes has failed.", m.BuildFailures},
		{"requests_under_way", "gauge", "Requests that are being answered.", int64(len(c.slots))},
	} {
		head(of.name, of.kind, of.help)
		fmt.Fprintf(&b, "simdb_%s %d\n", of.name, of.value)
	}
	c.figures.write(&b, head)
	c.w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	c.w.Header().Set("Cache-Control", "no-store")
	_, err := c.w.Write([]byte(b.String()))
	return err
}

// write adds the figures of requests.
func (f *figures) write(b *strings.Builder, head func(name, kind, help string)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	keys := slices.SortedFunc(maps.Keys(f.requests), func(a, b request) int {
		return cmp.Or(cmp.Compare(a.pattern, b.pattern), cmp.Compare(a.status, b.status))
	})
	head("requests_total", "counter", "Requests for data that were answered.")
	for _, k := range keys {
		fmt.Fprintf(b, "simdb_requests_total{path=%q,status=\"%d\"} %d\n", k.pattern, k.status, f.requests[k].count)
	}
	head("request_seconds_total", "counter", "Time that they took.")
	for _, k := range keys {
		fmt.Fprintf(b, "simdb_request_seconds_total{path=%q,status=\"%d\"} %g\n", k.pattern, k.status, f.requests[k].seconds)
	}
}
