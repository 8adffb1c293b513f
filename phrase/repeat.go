package phrase

// This file finds what a text says a second time, which becomes a reference to
// the first.

import (
	"encoding/binary"
	"math/bits"
)

// minRepeat is the shortest repetition that becomes a reference. One costs about
// as much as three phrases.
const minRepeat = 10

// repeats finds what a text has said before. For each hash of the bytes at the
// beginning of a phrase it knows the last place; before there is one, place 0.
type repeats struct {
	last  [1 << maxRepeatBits]uint16
	shift uint8
}

// A short text needs few places, which are cleared faster.
const (
	minRepeatBits = 6
	maxRepeatBits = 14
)

func (r *repeats) reset(text int) {
	b := min(max(bits.Len(uint(text))-2, minRepeatBits), maxRepeatBits)
	r.shift = uint8(64 - b)
	clear(r.last[:1<<b])
}

// reference stands in the place of the phrases with numbers from up to to: length
// bytes at a place of the text, which stood before at first.
type reference struct{ from, to, length, at, first int }

// pieces calls yield with the pieces of a text that has been cut. A piece is some
// phrases and the reference behind them; the last reference has length 0.
func (c *cutter) pieces(yield func(phrases []step, behind reference) bool) {
	c.repeats.reset(c.limit)
	for from := 0; from < len(c.phrases); {
		r := c.repeats.next(c, from)
		if !yield(c.phrases[from:r.from], r) {
			return
		}
		from = r.to
	}
}

// next returns the next reference of a text that has been cut, from a phrase on. If
// there is none, it returns one of length 0 behind all phrases.
func (r *repeats) next(c *cutter, from int) reference {
	for i := from; i < len(c.phrases); i++ {
		passed, first := r.candidate(c.padded, c.phrases[i:])
		if i += passed; i == len(c.phrases) {
			break
		}
		at := int(c.phrases[i].at)
		if first >= at {
			continue
		}
		if n, to := c.whole(i, same(c.padded, c.limit, first, at)); n >= minRepeat {
			return reference{i, to, n, at, first}
		}
	}
	return reference{from: len(c.phrases), to: len(c.phrases)}
}

// candidatePlain passes over steps, of which there is at least one, until it comes to a step whose
// next 8 bytes have stood before, at first. It notes the places of all steps it meets.
func (r *repeats) candidatePlain(text []byte, steps []step) (passed, first int) {
	shift := r.shift & 63
	for i := range steps {
		v := binary.LittleEndian.Uint64(text[steps[i].at:])
		h := v * hashFactor >> shift & (1<<maxRepeatBits - 1)
		first = int(r.last[h])
		r.last[h] = uint16(steps[i].at)
		if binary.LittleEndian.Uint64(text[first:]) == v {
			return i, first
		}
	}
	return len(steps), 0
}

// whole returns how many of so many bytes, from a phrase on, are whole phrases, and the
// number of the phrase behind.
func (c *cutter) whole(from, length int) (n, to int) {
	at := int(c.phrases[from].at)
	for to = from; to < len(c.phrases) && c.phrases[to].end() <= at+length; to++ {
		n = c.phrases[to].end() - at
	}
	return n, to
}

// same returns how many bytes are equal from two places on. The first 8 are known to be.
func same(text []byte, limit, first, at int) int {
	n := 8
	for at+n < limit {
		if x := binary.LittleEndian.Uint64(text[first+n:]) ^ binary.LittleEndian.Uint64(text[at+n:]); x != 0 {
			n += bits.TrailingZeros64(x) / 8
			break
		}
		n += 8
	}
	return min(n, limit-at)
}

// lengthClasses is how many classes the lengths of references have: the first 8
// have one each, then there are two for each power of two.
const lengthClasses = 8 + 2*(16-3)

// classOf returns the class of a length, and the bits that tell it within.
func classOf(n int) (class int, extra uint64, bitsOfExtra uint) {
	n -= minRepeat
	if n < 8 {
		return n, 0, 0
	}
	l := uint(bits.Len(uint(n)))
	return 8 + int(l-4)*2 + n>>(l-2)&1, uint64(n & (1<<(l-2) - 1)), l - 2
}

// lengthOf is the way back: the least length of a class, and the number of bits
// that tell how much longer it is.
func lengthOf(class int) (least int, bitsOfExtra uint) {
	if class < 8 {
		return minRepeat + class, 0
	}
	l := uint(class-8)/2 + 4
	return minRepeat + (2|class&1)<<(l-2), l - 2
}

// distanceBits is how many bits tell a distance back from a place.
func distanceBits(at int) uint { return uint(bits.Len(uint(at - 1))) }
