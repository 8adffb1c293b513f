package index

// The pages of rotated tables.

import (
	"fmt"
	"math/bits"

	"github.com/simdb/simdb/internal/sketch"
)

// A page of a rotated table holds up to 1,008 entries unpacked, so that keys can be compared
// with a fingerprint in place. All numbers are little-endian:
//
//	entries + 2^15  u16, which no packed page begins with
//	zeros           62 bytes: the keys begin at a cache line
//	keys            u64 each, ascending
//	payloads        u32 each
//
// Packed pages are a third smaller, but unpacking a key costs more than comparing it.
const (
	flatEntries = 1008 // of 12 bytes, with the header just below 12 kB
	flatMark    = 1 << 15
	flatHeader  = 64
)

// appendFlatPage encodes ascending entries.
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

// flatPage reads an encoded flat page.
type flatPage struct {
	n              int
	keys, payloads []byte
}

// isFlat distinguishes flat pages from packed pages.
func isFlat(b []byte) bool { return len(b) > 1 && b[1]>>7 != 0 }

// openFlatPage checks the length of a page. ErrPage if it is no flat page.
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

// before returns an entry at or slightly before the first entry with a key ≥ lo. The search
// begins at guess, which must be below p.n.
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

// Entries stepped over at first, and compared at a time.
const (
	flatStep  = 16
	flatBlock = 128
)

// near appends the entries with keys within dist bits of q: from entry at on, all with a key up to
// hi, and some beyond. likely estimates the first key beyond hi, to limit the comparisons.
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
