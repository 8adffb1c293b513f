package meter

import (
	"math/bits"
	"sync/atomic"
	"time"

	"github.com/simdb/simdb/api"
)

// histogram counts durations without a lock.
type histogram struct {
	buckets [api.LatencyBuckets]atomic.Int64
	total   atomic.Int64 // in nanoseconds
}

// count adds a duration. The two counters are not updated together, so that no lock is needed.
func (h *histogram) count(d time.Duration) {
	h.buckets[bucket(d)].Add(1)
	h.total.Add(int64(d))
}

// bucket returns the bucket of a duration. Bounds double, so the bit length of the quotient is
// the bucket; subtracting 1 ns puts a bound into its own bucket.
func bucket(d time.Duration) int {
	n := uint64(max(d-1, 0) / api.LatencyBound(0))
	return min(bits.Len64(n), api.LatencyBuckets-1)
}

// read returns the counts. A concurrent call may appear in a bucket but not yet in the total.
func (h *histogram) read() (out api.Histogram) {
	for i := range h.buckets {
		out.Buckets[i] = h.buckets[i].Load()
	}
	out.Total = time.Duration(h.total.Load())
	return out
}
