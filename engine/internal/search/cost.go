package search

// The cost model of searches, in nanoseconds on the machine of docs/benchmarks.md.

import "github.com/simdb/simdb/engine/internal/view"

// Costs of a search in nanoseconds, as measured.
const (
	nanosPerSearch    = 30e3  // setup, and comparison of the texts of a match
	nanosPerBucket    = 120.0 // lookup of one key in one segment
	nanosPerMiss      = 700.0 // extra when the segments exceed a core's caches
	setsInCache       = 200e3
	nanosPerPosting   = 4.0  // read and count
	nanosPerSet       = 6.0  // step over one set in a signature scan
	nanosPerSignature = 29.0 // compare one signature
)

// signatureCost estimates a signature scan over a number of sets. A share of about 1−t of
// them is within the length window.
func signatureCost(v *view.View, q Search, sets int64) float64 {
	return float64(sets) * (nanosPerSet + (1-q.Min.Float64())*nanosPerSignature)
}
