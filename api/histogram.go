package api

// Latencies of calls, counted in fixed buckets.

import "time"

// Latency contains the latencies of the main calls since Open, including failed calls. The time of
// a search includes the body of the loop over its rows.
type Latency struct {
	Commit  Histogram `json:"commit"`  // Put, PutNew, PutUnlessSimilar, PutNewUnlessSimilar, UpdateMeta, Delete, Erase and Commit
	Similar Histogram `json:"similar"` // Similar
	Pairs   Histogram `json:"pairs"`   // Pairs
	Query   Histogram `json:"query"`   // statements, until their rows are read or closed
}

// LatencyBuckets is the number of buckets of a Histogram.
const LatencyBuckets = 24

// LatencyBound returns the inclusive upper bound of bucket i: 10 µs for bucket 0, doubling up to 42
// s for the last but one. The last bucket has no bound; for it LatencyBound returns 0.
func LatencyBound(i int) time.Duration {
	if i >= LatencyBuckets-1 {
		return 0
	}
	return 10 * time.Microsecond << i
}

// Histogram counts calls by duration. Bucket i counts durations above LatencyBound(i-1) and up to
// LatencyBound(i).
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
