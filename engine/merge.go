package engine

// Which segments are merged, and how. Merging reads no texts, because all segments of
// a collection use one order (docs/decisions/0003 and 0017).

import (
	"context"
	"math"
	"slices"

	"github.com/simdb/simdb/engine/internal/segment"
	"github.com/simdb/simdb/index"
)

const (
	// tidiesUp is how many times the sets of a load are merged with them at its end.
	tidiesUp = 4
	// growsBy is how many times larger than its largest part a merged segment is,
	// at least; loadGrowsBy until a load has merged all in the end. A load of ten
	// million sets of 2 kB is merged once on its way then, and once at its end.
	growsBy     = 3
	loadGrowsBy = 32
	neverGrows  = math.MaxUint32 // the dead are left out, and empty segments merged
)

// mergeable chooses neighbours to merge: one with a fifth of its sets dead, or the
// least of those that have so many times the sets of the largest among them that
// no posting is written again before its segment has grown as much.
func mergeable(segments []*segment.Segment, by uint32) (first, n int) {
	for i, s := range segments {
		if d := s.Dead.Load(); d > 0 && d*5 >= int64(s.Sets) {
			return i, 1
		}
	}
	least := uint32(math.MaxUint32)
	for i := range segments {
		sum, largest := uint32(0), uint32(0)
		for j, s := range segments[i:] {
			if s.Hi-segments[i].Lo > index.MaxSegmentSpan {
				break
			}
			sum, largest = sum+s.Sets, max(largest, s.Sets)
			if uint64(sum) >= uint64(by)*uint64(largest) && sum < least && j > 0 {
				first, n, least = i, j+1, sum
			}
		}
	}
	return first, n
}

// tidy makes what loads have left quick to search: a tail of more than an eighth
// of a segment becomes one, and the segments loaded are merged, with those before
// them that have up to four times as many sets alive: each posting of the load pays for
// five to be written once more. Other segments that have many dead lose them. from has
// the first set of the loads.
func (db *DB) tidy(ctx context.Context, from map[*collection]uint32) error {
	return db.eachBuild(ctx, func(b *build) error {
		v := b.v
		began := from[b.c]
		if v.Table.Len() == began {
			return nil // the builder leaves out the dead
		}
		var err error
		if v.Postings.Order != nil && v.Tail > int64(v.Cut(db.opts.SegmentSets)/tailShare) {
			err = b.extend(ctx, v.Table.Len())
		}
		if err == nil {
			err = b.mergeFrom(ctx, b.tidyFrom(began))
		}
		for err == nil {
			i, n := mergeable(b.new.Segments, neverGrows)
			if n == 0 {
				break
			}
			err = b.merge(ctx, i, n)
		}
		if len(b.written) == 0 {
			return err
		}
		return b.end(err)
	})
}

// tidyFrom returns where the segments begin that are merged after a load whose first
// set was began.
func (b *build) tidyFrom(began uint32) uint32 {
	room := tidiesUp * uint64(b.v.Table.Len()-began)
	for _, s := range slices.Backward(b.new.Segments) {
		if s.Lo >= began {
			continue
		}
		alive := uint64(max(0, int64(s.Sets)-s.Dead.Load()))
		if alive > room {
			break
		}
		room -= alive
		began = s.Lo
	}
	return began
}

// mergeFrom merges the segments whose first set is lo or above into as few as can be.
func (b *build) mergeFrom(ctx context.Context, lo uint32) error {
	for i := 0; i < len(b.new.Segments); i++ {
		first, n := b.new.Segments[i].Lo, 1
		for i+n < len(b.new.Segments) && b.new.Segments[i+n].Hi-first <= index.MaxSegmentSpan {
			n++
		}
		if first >= lo && n > 1 {
			if err := b.merge(ctx, i, n); err != nil {
				return err
			}
		}
	}
	return nil
}

// merge replaces n segments from first on by one, without the dead.
func (b *build) merge(ctx context.Context, first, n int) error {
	parts := b.new.Segments[first : first+n]
	stored := make([]index.Stored, n)
	for i, s := range parts {
		stored[i] = s.ReadThrough(nil)
	}
	lo := parts[0].Lo
	alive := b.db.alive(b.c, lo, parts[n-1].Hi)
	seg, err := b.write(func(emit index.Emit) (*index.Segment, error) {
		return index.Merge(ctx, b.v.Layout(b.new.Order), stored, func(set uint32) bool { return alive[set-lo] }, emit)
	})
	if err != nil {
		return segment.PageError(err)
	}
	b.new.Segments = slices.Replace(b.new.Segments, first, first+n, seg)
	return nil
}
