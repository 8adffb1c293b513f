package index

import (
	"fmt"
	"math/bits"

	"github.com/simdb/simdb/sketch"
)

// A page of a rotated table holds up to 1,008 entries as they are, so that its
// keys can be compared with a fingerprint where they lie, all numbers little-endian:
//
//	entries + 2^15  u16, which no packed page begins with
//	zeros           62 bytes: the keys begin at a line of the cache
//	keys            u64 each, ascending
//	payloads        u32 each
//
// Packed pages are a third smaller, but to take a key out of them costs more
// than to compare it.
const (
	flatEntries = 1008 // of 12 bytes, with the header just below 12 kB
	flatMark    = 1 << 15
	flatHeader  = 64
)

// appendFlatPage encodes entries, which ascend.
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

// flatPage reads such a page.
type flatPage struct {
	n              int
	keys, payloads []byte
}

// isFlat tells the two sorts of pages apart.
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

// before returns an entry at or a little before the first with a key of lo or
// more, looking first at a guess below p.n.
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

// How many entries are stepped over, first, and compared at a time.
const (
	flatStep  = 16
	flatBlock = 128
)

// near appends the entries whose key is within dist bits of q: all of those with
// a key from the entry at on up to hi, and some beyond. likely is where the first
// beyond hi may be: what is not compared is not waited for.
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
