package phrase

// This file finds what a text says a second time. That becomes a reference to
// the first time.

import (
	"encoding/binary"
	"math/bits"
)

// minRepeat is the length of the shortest repetition that becomes a reference.
// A reference costs about as much as three phrases.
const minRepeat = 10

// repeats finds what a text has said before. For each hash of the bytes at the
// beginning of a phrase it remembers the last place, which is 0 if there was
// none.
type repeats struct {
	last  [1 << maxRepeatBits]uint16
	shift uint8
}

// A short text gets fewer places, which are cleared faster.
const (
	minRepeatBits = 6
	maxRepeatBits = 14
)

func (r *repeats) reset(text int) {
	b := min(max(bits.Len(uint(text))-2, minRepeatBits), maxRepeatBits)
	r.shift = uint8(64 - b)
	clear(r.last[:1<<b])
}

// reference replaces the phrases numbered from up to to. They are length bytes
// at place at, which the text has already had at place first.
type reference struct{ from, to, length, at, first int }

// pieces calls yield with the pieces of a text that has been cut. A piece is
// some phrases and the reference after them. The last reference has length 0.
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

// next returns the next reference of a text that has been cut, beginning with
// phrase number from. If there is none, it returns one of length 0 after all
// phrases.
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

// candidate passes over steps until it comes to one whose next 8 bytes
// occurred before, at first. There must be at least one step. It remembers the
// places of all steps it meets.
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

// whole returns how many of so many bytes, beginning with a phrase, are whole
// phrases. It also returns the number of the phrase after them.
func (c *cutter) whole(from, length int) (n, to int) {
	at := int(c.phrases[from].at)
	for to = from; to < len(c.phrases) && c.phrases[to].end() <= at+length; to++ {
		n = c.phrases[to].end() - at
	}
	return n, to
}

// same returns how many bytes after two places are equal. The first 8 must be.
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

// lengthClasses is the number of classes of the lengths of references. The
// first 8 lengths have one each. Then there are two classes for each power of
// two.
const lengthClasses = 8 + 2*(16-3)

// classOf returns the class of a length, and the bits that distinguish it from
// others of the class.
func classOf(n int) (class int, extra uint64, bitsOfExtra uint) {
	n -= minRepeat
	if n < 8 {
		return n, 0, 0
	}
	l := uint(bits.Len(uint(n)))
	return 8 + int(l-4)*2 + n>>(l-2)&1, uint64(n & (1<<(l-2) - 1)), l - 2
}

// lengthOf returns the least length of a class, and how many bits say by how
// much a length exceeds it. It is the inverse of classOf.
func lengthOf(class int) (least int, bitsOfExtra uint) {
	if class < 8 {
		return minRepeat + class, 0
	}
	l := uint(class-8)/2 + 4
	return minRepeat + (2|class&1)<<(l-2), l - 2
}

// distanceBits returns how many bits a distance back from at takes.
func distanceBits(at int) uint { return uint(bits.Len(uint(at - 1))) }
