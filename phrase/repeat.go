package phrase

import (
	"encoding/binary"
	"math/bits"
)

// minRepeat is the shortest repetition that becomes a reference. One costs about
// as much as three phrases.
const minRepeat = 10

// repeats finds what a text has said before. It knows the places where phrases
// began, the last of each hash; at first it takes the beginning for all of them.
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

// find returns the length of the longest repetition known at a place, where the
// bytes v stand, and where it stands first; 0 if there is none. The text ends at
// limit, with pad zeros behind.
func (r *repeats) find(text []byte, limit, at int, v uint64) (n, first int) {
	h := v * hashFactor >> (r.shift & 63) & (1<<maxRepeatBits - 1)
	first = int(r.last[h])
	r.last[h] = uint16(at)
	if binary.LittleEndian.Uint64(text[first:]) != v || first >= at {
		return 0, 0
	}
	return same(text, limit, first, at), first
}

// same returns how many bytes are the same from two places on, the first 8 of which are.
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
