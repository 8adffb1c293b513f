package web

// GET /metrics: metrics in the text format of Prometheus. The format is simple, and a library for it
// would be larger than the rest of this package.

import (
	"fmt"
	"strings"

	"github.com/simdb/simdb/api"
)

// metrics answers with the state of the database and the counters of requests.
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
		{"open_snapshots", "gauge", "Open snapshots.", int64(m.OpenSnapshots)},
		{"build_failures_total", "counter", "Failed index builds.", m.BuildFailures},
		{"requests_under_way", "gauge", "Requests in progress.", int64(len(c.slots))},
	} {
		head(of.name, of.kind, of.help)
		fmt.Fprintf(&b, "simdb_%s %d\n", of.name, of.value)
	}
	writeLatency(&b, head, m.Latency)
	c.figures.write(&b, head)
	c.w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	c.w.Header().Set("Cache-Control", "no-store")
	_, err := c.w.Write([]byte(b.String()))
	return err
}

// writeLatency appends a histogram of the latencies of each kind of call.
func writeLatency(b *strings.Builder, head func(name, kind, help string), l api.Latency) {
	head("call_seconds", "histogram", "Time of calls of the database.")
	for _, of := range []struct {
		call string
		api.Histogram
	}{{"commit", l.Commit}, {"pairs", l.Pairs}, {"query", l.Query}, {"similar", l.Similar}} {
		n := int64(0) // buckets of Prometheus are cumulative
		for i, in := range of.Buckets[:api.LatencyBuckets-1] {
			n += in
			fmt.Fprintf(b, "simdb_call_seconds_bucket{call=%q,le=\"%g\"} %d\n", of.call, api.LatencyBound(i).Seconds(), n)
		}
		n += of.Buckets[api.LatencyBuckets-1]
		fmt.Fprintf(b, "simdb_call_seconds_bucket{call=%q,le=\"+Inf\"} %d\n", of.call, n)
		fmt.Fprintf(b, "simdb_call_seconds_sum{call=%q} %g\n", of.call, of.Total.Seconds())
		fmt.Fprintf(b, "simdb_call_seconds_count{call=%q} %d\n", of.call, n)
	}
}
