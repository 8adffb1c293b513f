package index

// Merging rotated tables, in which keys take 64 bits and payloads are sets.

import (
	"context"
	"fmt"
	"math"
)

// mergeRotated merges rotated tables of kind k. It returns nil if no segment keeps the kind, and
// an error if only some do.
func mergeRotated(ctx context.Context, k Kind, segments []Stored, live []uint64, emit Emit) (*Run, error) {
	if ok, err := allKeep(k, segments); !ok {
		return nil, err
	}
	var sources []*source
	for _, s := range segments {
		c := newCursor(s.Runs[k], s.Pages(k))
		sources = append(sources, &source{Cursor: c, span: s.Hi - s.Lo, shift: s.Lo - segments[0].Lo})
	}
	t, err := newTournament(ctx, sources)
	if err != nil {
		return nil, err
	}
	w := flatWriter{runWriter: runWriter{kind: k, emit: emit}}
	for t.fronts[t.winner] != over {
		h := t.fronts[t.winner]
		if rel := h.payload; live[rel/64]>>(rel%64)&1 != 0 {
			if err := w.add(h.key, h.payload); err != nil {
				return nil, err
			}
		}
		if t.fronts[t.winner], err = sources[t.winner].next(ctx); err != nil {
			return nil, err
		}
		t.replay(t.winner)
	}
	return w.finish()
}

// source is a segment of a merge.
type source struct {
	Cursor
	span  uint32 // of the segment
	shift uint32 // from its set numbers to those of the merged segment
}

// front is the next entry of a source, as in the merged run.
type front struct {
	key     uint64
	payload uint32
}

// over sorts after all entries. An entry may have the same key, but its payload, a set number, is
// less.
var over = front{math.MaxUint64, math.MaxUint32}

// before reports whether f sorts before o.
func (f front) before(o front) bool {
	return f.key < o.key || f.key == o.key && f.payload < o.payload
}

// next returns the next entry of the source, or over at its end.
func (s *source) next(ctx context.Context) (front, error) {
	if s.At == len(s.Keys) {
		if err := ctx.Err(); err != nil {
			return over, err
		}
		ok, err := s.Fill()
		if err != nil {
			return over, err
		}
		if !ok {
			return over, s.complete()
		}
		for _, set := range s.Payloads {
			if set >= s.span {
				return over, fmt.Errorf("%w: set %d of %d", ErrPage, set, s.span)
			}
		}
	}
	h := front{s.Keys[s.At], s.Payloads[s.At] + s.shift}
	s.At++
	return h, nil
}

// tournament finds the source with the least entry. It is a tree of losers: replacing an entry
// takes one comparison per level of the tree.
type tournament struct {
	fronts []front
	losers []int // losers[1:] are nodes; source i begins below node (i+len)/2
	winner int
}

// newTournament reads the first entry of each source.
func newTournament(ctx context.Context, sources []*source) (*tournament, error) {
	t := &tournament{losers: make([]int, len(sources))}
	for _, s := range sources {
		h, err := s.next(ctx)
		if err != nil {
			return nil, err
		}
		t.fronts = append(t.fronts, h)
	}
	for n := range t.losers {
		t.losers[n] = none
	}
	for i := range sources {
		t.replay(i)
	}
	return t, nil
}

// none marks an empty node.
const none = -1

// replay plays source i from its leaf up to the first empty node, or to the top.
func (t *tournament) replay(i int) {
	for n := (i + len(t.losers)) / 2; n > 0; n /= 2 {
		l := t.losers[n]
		if l == none {
			t.losers[n] = i
			return
		}
		if t.fronts[l].before(t.fronts[i]) {
			t.losers[n], i = i, l
		}
	}
	t.winner = i
}
