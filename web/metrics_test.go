package web_test

// The figures for Prometheus.

import (
	"bufio"
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/simdb/simdb/api"
)

// The histograms are those of the database: buckets grow, the last is the count, and each kind
// of call has its own.
func TestMetricsHaveHistograms(t *testing.T) {
	s := open(t, nil)
	for range 3 {
		for _, err := range s.db.Similar(t.Context(), api.ByText("some text to look for")) {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	_, figures := s.send("GET", "/metrics", "")
	latency := s.db.Metrics().Latency
	for call, h := range map[string]api.Histogram{"commit": latency.Commit, "similar": latency.Similar, "pairs": latency.Pairs, "query": latency.Query} {
		buckets, last := 0, int64(0)
		lines := bufio.NewScanner(bytes.NewReader(figures))
		for lines.Scan() {
			of, value, _ := strings.Cut(lines.Text(), "} ")
			if !strings.HasPrefix(of, fmt.Sprintf("simdb_call_seconds_bucket{call=%q,le=", call)) {
				continue
			}
			var n int64
			if _, err := fmt.Sscan(value, &n); err != nil || n < last {
				t.Errorf("%s follows a bucket of %d", lines.Text(), last)
			}
			buckets, last = buckets+1, n
		}
		if buckets != api.LatencyBuckets || last != h.Count() {
			t.Errorf("%s has %d buckets and a count of %d, want %d and %d", call, buckets, last, api.LatencyBuckets, h.Count())
		}
		if want := fmt.Sprintf("simdb_call_seconds_count{call=%q} %d\n", call, h.Count()); !strings.Contains(string(figures), want) {
			t.Errorf("the figures have no %s", want)
		}
	}
	if latency.Similar.Count() != 3 {
		t.Errorf("%d calls of Similar, want 3", latency.Similar.Count())
	}
}
