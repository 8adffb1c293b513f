package phrase

import (
	"encoding/binary"
	"math/bits"
)

// minRepeat is the shortest repetition that becomes a reference. One costs about
// as much as three phrases.
const minRepeat = 10

// repeats finds what a text has said before. It knows the places where phrases
// began, the last of each hash.
type repeats struct {
	last [1 << repeatBits]uint16 // place + 1
}

const repeatBits = 12

// find returns the length of the longest repetition known at a place, where the
// bytes v stand, and where it stands first; 0 if there is none worth it.
func (r *repeats) find(text []byte, at int, v uint64) (n, first int) {
	h := v * hashFactor >> (64 - repeatBits)
	first = int(r.last[h]) - 1
	r.last[h] = uint16(at + 1)
	if first < 0 || at+minRepeat > len(text) || binary.LittleEndian.Uint64(text[first:]) != v {
		return 0, 0
	}
	for n = 8; at+n < len(text) && text[first+n] == text[at+n]; n++ {
	}
	if n < minRepeat {
		return 0, 0
	}
	return n, first
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
