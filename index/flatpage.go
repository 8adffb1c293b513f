package index

// The pages of rotated tables, and how these are merged.

import (
	"context"
	"fmt"
	"math"
	"math/bits"

	"github.com/simdb/simdb/internal/sketch"
)

// A page of a rotated table holds up to 1,008 entries unpacked, so that its
// keys can be compared with a fingerprint in place. All numbers are
// little-endian:
//
//	entries + 2^15  u16, which no packed page begins with
//	zeros           62 bytes: the keys begin at a line of the cache
//	keys            u64 each, ascending
//	payloads        u32 each
//
// Packed pages are a third smaller, but taking a key out of one costs more than
// comparing it.
const (
	flatEntries = 1008 // of 12 bytes, with the header just below 12 kB
	flatMark    = 1 << 15
	flatHeader  = 64
)

// appendFlatPage encodes entries, which must ascend.
func appendFlatPage(dst []byte, keys []uint64, payloads []uint32) []byte {
	dst = le.AppendUint16(dst, uint16(len(keys))|flatMark)
	dst = append(dst, make([]byte, flatHeader-2)...)
	for _, key := range keys {
		dst = le.AppendUint64(dst, key)
	}
	for _, p := range payloads {
		dst = le.AppendUint32(dst, p)
	}
	return dst
}

// flatPage reads a page that appendFlatPage has encoded.
type flatPage struct {
	n              int
	keys, payloads []byte
}

// isFlat tells flat pages from packed ones.
func isFlat(b []byte) bool { return len(b) > 1 && b[1]>>7 != 0 }

func openFlatPage(b []byte) (p flatPage, err error) {
	if isFlat(b) && len(b) >= flatHeader {
		p.n = int(le.Uint16(b) &^ flatMark)
	}
	if p.n == 0 || p.n > flatEntries || len(b) != flatHeader+12*p.n {
		return flatPage{}, fmt.Errorf("%w: %d flat entries in %d bytes", ErrPage, p.n, len(b))
	}
	p.keys, p.payloads = b[flatHeader:flatHeader+8*p.n], b[flatHeader+8*p.n:]
	return p, nil
}

func (p *flatPage) key(i int) uint64     { return le.Uint64(p.keys[8*i:]) }
func (p *flatPage) payload(i int) uint32 { return le.Uint32(p.payloads[4*i:]) }

// decode appends all entries and checks that they ascend.
func (p *flatPage) decode(keys []uint64, payloads []uint32) ([]uint64, []uint32, error) {
	last := uint64(0)
	for i := range p.n {
		key := p.key(i)
		if key < last {
			return keys, payloads, fmt.Errorf("%w: keys do not ascend", ErrPage)
		}
		last = key
		keys = append(keys, key)
		payloads = append(payloads, p.payload(i))
	}
	return keys, payloads, nil
}

// before returns an entry at or a little before the first one with a key of lo
// or more. It begins at a guess, which must be below p.n.
func (p *flatPage) before(lo uint64, guess int) int {
	at, step := guess, flatStep
	for at > 0 && p.key(at) >= lo {
		at = max(at-step, 0)
		step *= 2
	}
	for step = flatStep; at+step < p.n && p.key(at+step) < lo; step *= 2 {
		at += step
	}
	return at
}

// These are how many entries are stepped over first, and compared at a time.
const (
	flatStep  = 16
	flatBlock = 128
)

// near appends the entries whose key is within dist bits of q. It finds all of
// those from entry at on that have a key up to hi, and some beyond. likely is
// where the first key beyond hi may be, so that few others are compared.
func (p *flatPage) near(at, likely int, hi, q uint64, dist int, dst []int) []int {
	for at < p.n {
		end := min(max(likely, at+2*flatStep), at+flatBlock, p.n)
		var near [flatBlock / 64]uint64
		sketch.NearMaskBytes(near[:], p.keys[8*at:8*end], q, dist)
		for w, word := range near {
			for ; word != 0; word &= word - 1 {
				dst = append(dst, at+64*w+bits.TrailingZeros64(word))
			}
		}
		if p.key(end-1) > hi {
			break
		}
		at = end
	}
	return dst
}

// source is one segment's side of a merge.
type source struct {
	Cursor
	span  uint32 // of the segment
	shift uint32 // from its set numbers to the merged segment's
}

// mergeRotated merges rotated tables. Their keys take the 64 bits of a word,
// and their payloads are sets. If no segment keeps the kind, neither does the
// merged segment. If only some keep it, they cannot be merged.
func mergeRotated(ctx context.Context, k Kind, segments []Stored, live []uint64, emit Emit) (*Run, error) {
	if ok, err := kept(k, segments); !ok {
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

// front is the next entry of a source, as the merged run will have it.
type front struct {
	key     uint64
	payload uint32
}

// over comes after all entries. A fingerprint may have the same key, but then
// its payload is a set.
var over = front{math.MaxUint64, math.MaxUint32}

func (f front) before(o front) bool {
	return f.key < o.key || f.key == o.key && f.payload < o.payload
}

// next reads the next entry of the source, or over at its end.
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

// tournament finds the source whose entry comes first. It is a tree of losers:
// when one entry is replaced, it is compared once for each doubling of the
// sources.
type tournament struct {
	fronts []front
	losers []int // losers[1:] are nodes; source i begins below node (i+len)/2
	winner int
}

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

const none = -1

// replay plays the matches of source i from its leaf up to the first node that
// is still empty, or to the top.
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
