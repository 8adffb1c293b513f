package index

// Merging posting segments.

import (
	"context"
	"fmt"
)

// Merge writes the entries of adjacent segments of one Layout as one segment. The segments must
// ascend by range. It drops the sets for which keep returns false, and calls keep once per
// number. Merge streams: only some pages of each segment are in memory at a time.
func Merge(ctx context.Context, l Layout, segments []Stored, keep func(set uint32) bool, emit Emit) (*Segment, error) {
	if len(segments) == 0 {
		return nil, fmt.Errorf("index: merge of no segments")
	}
	seg := &Segment{Lo: segments[0].Lo, Hi: segments[len(segments)-1].Hi}
	for i, s := range segments {
		if s.Lo > s.Hi || i > 0 && s.Lo < segments[i-1].Hi || s.Hi-seg.Lo > MaxSegmentSpan {
			return nil, fmt.Errorf("index: merge: segment [%d,%d) is out of order or too far", s.Lo, s.Hi)
		}
	}
	live := make([]uint64, (seg.Hi-seg.Lo+63)/64)
	for rel := range seg.Hi - seg.Lo {
		if keep(seg.Lo + rel) {
			live[rel/64] |= 1 << (rel % 64)
		}
	}
	var err error
	if seg.Runs[Prefix], seg.Runs[Frequent], err = mergePostings(ctx, l, segments, live, emit); err != nil {
		return nil, fmt.Errorf("index: merge [%d,%d): %w", seg.Lo, seg.Hi, err)
	}
	for k := Rotated0; k < Kinds; k++ {
		merge := mergeLists
		if isRotated(k) {
			merge = mergeRotated
		}
		run, err := merge(ctx, k, segments, live, emit)
		if err != nil {
			return nil, fmt.Errorf("index: merge [%d,%d): %w", seg.Lo, seg.Hi, err)
		}
		seg.Runs[k] = run
	}
	if r := seg.Runs[Rotated0]; r != nil { // this run has each set once
		seg.Sets = uint32(r.Entries)
	}
	return seg, nil
}
