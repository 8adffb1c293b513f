package index

import (
	"context"
	"fmt"
)

// Merge writes the entries of neighbouring segments of one Order, ascending by
// range, as one segment, dropping the sets that live refuses. It streams: live
// is asked once for each number, and a page of each segment is in memory.
func Merge(ctx context.Context, segments []Stored, live func(set uint32) bool, emit Emit) (*Segment, error) {
	if len(segments) == 0 {
		return nil, fmt.Errorf("index: merge of no segments")
	}
	seg := &Segment{Lo: segments[0].Lo, Hi: segments[len(segments)-1].Hi}
	for i, s := range segments {
		if s.Lo > s.Hi || i > 0 && s.Lo < segments[i-1].Hi || s.Hi-seg.Lo > MaxSegmentSpan {
			return nil, fmt.Errorf("index: merge: segment [%d,%d) is out of order or too far", s.Lo, s.Hi)
		}
	}
	alive := make([]uint64, (seg.Hi-seg.Lo+63)/64)
	for rel := range seg.Hi - seg.Lo {
		if live(seg.Lo + rel) {
			alive[rel/64] |= 1 << (rel % 64)
		}
	}
	for k := range Kinds {
		run, err := mergeRuns(ctx, k, segments, alive, emit)
		if err != nil {
			return nil, fmt.Errorf("index: merge [%d,%d): %w", seg.Lo, seg.Hi, err)
		}
		seg.Runs[k] = run
	}
	if r := seg.Runs[Rotated0]; r != nil { // has each set once
		seg.Sets = uint32(r.Entries)
	}
	return seg, nil
}

// source is one segment's side of a merge.
type source struct {
	cursor
	span  uint32 // of the segment
	shift uint32 // from its set numbers to the merged segment's
}

// mergeRuns merges the runs of kind k. A kind that no segment keeps is not
// kept; one that only some keep cannot be merged.
func mergeRuns(ctx context.Context, k Kind, segments []Stored, alive []uint64, emit Emit) (*Run, error) {
	var sources []*source
	for _, s := range segments {
		if run := s.Runs[k]; run != nil {
			c := cursor{run: run, pages: s.Pages(k)}
			sources = append(sources, &source{cursor: c, span: s.Hi - s.Lo, shift: s.Lo - segments[0].Lo})
		}
	}
	switch len(sources) {
	case 0:
		return nil, nil
	case len(segments):
	default:
		return nil, fmt.Errorf("kind %d is missing in some segments", k)
	}
	w := runWriter{kind: k, emit: emit}
	for {
		s, err := smallest(ctx, k, sources)
		if s == nil || err != nil {
			if err != nil {
				return nil, err
			}
			return w.finish()
		}
		key, payload := s.keys[s.at], s.payloads[s.at]+s.shift
		s.at++
		if rel := PayloadSet(k, payload); alive[rel/64]>>(rel%64)&1 != 0 {
			if err := w.add(key, payload); err != nil {
				return nil, err
			}
		}
	}
}

// smallest returns the source whose next entry comes first; nil at the end.
func smallest(ctx context.Context, k Kind, sources []*source) (*source, error) {
	var best *source
	for _, s := range sources {
		if s.at == len(s.keys) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			ok, err := s.fill()
			if err != nil {
				return nil, err
			}
			if !ok {
				if err := s.complete(); err != nil {
					return nil, err
				}
				continue
			}
			for _, p := range s.payloads { // the shift must not reach the bits above the set
				if PayloadSet(k, p) >= s.span {
					return nil, fmt.Errorf("%w: set %d of %d", ErrPage, PayloadSet(k, p), s.span)
				}
			}
		}
		if best == nil || s.before(best) {
			best = s
		}
	}
	return best, nil
}

func (s *source) before(t *source) bool {
	x, y := s.keys[s.at], t.keys[t.at]
	return x < y || x == y && s.payloads[s.at]+s.shift < t.payloads[t.at]+t.shift
}
