package phrase

// Repetitions within a text become references to their first occurrence.

import (
	"encoding/binary"
	"math/bits"
)

// minRepeat is the length of the shortest repetition that becomes a reference. A
// reference costs about as much as three phrases.
const minRepeat = 10

// repeats finds earlier occurrences within a text. For each hash of the bytes at the
// start of a phrase it records the last position, 0 for none.
type repeats struct {
	last  [1 << maxRepeatBits]uint16
	shift uint8
}

// Short texts use fewer slots, which are faster to clear.
const (
	minRepeatBits = 6
	maxRepeatBits = 14
)

// reset prepares for a text of so many bytes.
func (r *repeats) reset(text int) {
	b := min(max(bits.Len(uint(text))-2, minRepeatBits), maxRepeatBits)
	r.shift = uint8(64 - b)
	clear(r.last[:1<<b])
}

// reference replaces the phrases numbered from up to to: length bytes at position at,
// which equal the bytes at position first.
type reference struct{ from, to, length, at, first int }

// pieces calls yield with the pieces of a cut text. A piece is a run of phrases and the
// reference after it. The last reference has length 0.
func (c *cutter) pieces(yield func(phrases []step, after reference) bool) {
	c.repeats.reset(c.limit)
	for from := 0; from < len(c.phrases); {
		r := c.repeats.next(c, from)
		if !yield(c.phrases[from:r.from], r) {
			return
		}
		from = r.to
	}
}

// next returns the first reference at or after phrase number from. If there is none, it
// returns a reference of length 0 after all phrases.
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

// candidate skips steps until the next 8 bytes of a step occurred before, at first.
// There must be at least one step. It records the positions of all steps that it
// visits.
func (r *repeats) candidate(text []byte, steps []step) (passed, first int) {
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

// whole returns how many of length bytes from a phrase on form whole phrases, and the
// number of the phrase after them.
func (c *cutter) whole(from, length int) (n, to int) {
	at := int(c.phrases[from].at)
	for to = from; to < len(c.phrases) && c.phrases[to].end() <= at+length; to++ {
		n = c.phrases[to].end() - at
	}
	return n, to
}

// same returns the number of equal bytes after two positions. The first 8 must be
// equal.
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

// lengthClasses is the number of classes of reference lengths: one for each of the
// first 8 lengths, then two for each power of two.
const lengthClasses = 8 + 2*(16-3)

// classOf returns the class of a length, and the bits that distinguish it within the
// class.
func classOf(n int) (class int, extra uint64, bitsOfExtra uint) {
	n -= minRepeat
	if n < 8 {
		return n, 0, 0
	}
	l := uint(bits.Len(uint(n)))
	return 8 + int(l-4)*2 + n>>(l-2)&1, uint64(n & (1<<(l-2) - 1)), l - 2
}

// lengthOf returns the least length of a class, and the number of bits for the excess
// of a length over it. It is the inverse of classOf.
func lengthOf(class int) (least int, bitsOfExtra uint) {
	if class < 8 {
		return minRepeat + class, 0
	}
	l := uint(class-8)/2 + 4
	return minRepeat + (2|class&1)<<(l-2), l - 2
}

// distanceBits returns the number of bits for a distance back from at.
func distanceBits(at int) uint { return uint(bits.Len(uint(at - 1))) }
