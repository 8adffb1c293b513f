// Which segments are merged.

package engine

import (
	"slices"
	"sync/atomic"
	"testing"

	"github.com/simdb/simdb/engine/internal/segment"
	"github.com/simdb/simdb/index"
)

// Segments come one by one and are merged as far as can be: they stay few, and no
// set is written often.
func TestMergeableKeepsFewSegments(t *testing.T) {
	for by, most := range map[uint32]struct{ segments, written int }{growsBy: {12, 8}, askingGrowsBy: {63, 2}} {
		var segments []*segment.Segment
		written := map[uint32]int{} // by first set, how often those of the first segment of all were
		for i := range uint32(1000) {
			segments = append(segments, &segment.Segment{Segment: &index.Segment{Lo: 10 * i, Hi: 10*i + 10, Sets: 10}, Dead: new(atomic.Int64)})
			for first, n := mergeable(segments, by); n > 0; first, n = mergeable(segments, by) {
				merged := &index.Segment{Lo: segments[first].Lo, Hi: segments[first+n-1].Hi}
				merged.Sets = merged.Hi - merged.Lo
				segments = slices.Replace(segments, first, first+n, &segment.Segment{Segment: merged, Dead: new(atomic.Int64)})
				for lo := merged.Lo; lo < merged.Hi; lo += 10 {
					written[lo]++
				}
			}
			if len(segments) > most.segments {
				t.Fatalf("by %d: %d segments after %d", by, len(segments), i+1)
			}
		}
		for lo, n := range written {
			if n > most.written {
				t.Fatalf("by %d: set %d was written %d times more", by, lo, n)
			}
		}
	}
}

// What a load leaves that did not end is merged at once, not again and again.
func TestMergeableTakesLikeOnes(t *testing.T) {
	segments := []*segment.Segment{{Segment: &index.Segment{Hi: 50, Sets: 50}, Dead: new(atomic.Int64)}}
	for i := range uint32(1000) {
		segments = append(segments, &segment.Segment{Segment: &index.Segment{Lo: 50 + 10*i, Hi: 60 + 10*i, Sets: 10 - i%2}, Dead: new(atomic.Int64)})
	}
	if first, n := mergeable(segments, growsBy); first > 1 || n < 999 {
		t.Errorf("%d segments from %d are merged of 1,000 like ones", n, first)
	}
	if _, n := mergeable(segments[:500], loadGrowsBy); n != 0 {
		t.Errorf("a load merges %d segments on its way", n)
	}
}
