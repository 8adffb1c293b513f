package api

// Latencies of calls, counted in fixed buckets.

import "time"

// Latency has the latencies of the main calls since Open. Calls that failed count too. The
// time of a search includes the body of the loop over its rows.
type Latency struct {
	Commit  Histogram `json:"commit"`  // Put, PutNew, PutUnlessSimilar, PutNewUnlessSimilar, UpdateMeta, Delete, Erase and Commit
	Similar Histogram `json:"similar"` // Similar
	Pairs   Histogram `json:"pairs"`   // Pairs
	Query   Histogram `json:"query"`   // statements, until their rows are read or closed
}

// LatencyBuckets is the number of buckets of a Histogram.
const LatencyBuckets = 24

// LatencyBound returns the longest duration that bucket i counts: 10 µs for bucket 0, and
// twice that of the bucket before for each other, 42 s for the last but one. The last bucket
// has no bound; for it LatencyBound returns 0.
func LatencyBound(i int) time.Duration {
	if i >= LatencyBuckets-1 {
		return 0
	}
	return 10 * time.Microsecond << i
}

// Histogram counts calls by duration. Bucket i counts those that took longer than
// LatencyBound(i-1) and at most LatencyBound(i).
type Histogram struct {
	Buckets [LatencyBuckets]int64 `json:"buckets"`
	Total   time.Duration         `json:"total_ns"` // of all calls together
}

// Count returns the number of calls.
func (h *Histogram) Count() (n int64) {
	for _, c := range h.Buckets {
		n += c
	}
	return n
}
