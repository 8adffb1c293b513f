package search

// The bytes of a text that are taken, a bit for each.

import (
	"iter"
	"math/bits"
)

type bitmap []uint64

// add takes the bytes from ≤ i < to.
func (b bitmap) add(from, to int) {
	for ; from < to && from%64 != 0; from++ {
		b[from/64] |= 1 << (from % 64)
	}
	for ; from+64 <= to; from += 64 {
		b[from/64] = ^uint64(0)
	}
	for ; from < to; from++ {
		b[from/64] |= 1 << (from % 64)
	}
}

// free yields the ranges between from and to that are not taken, as long as they can be.
func (b bitmap) free(from, to int) iter.Seq2[int, int] {
	return func(yield func(from, to int) bool) {
		for from = b.find(from, to, false); from < to; {
			end := b.find(from, to, true)
			if !yield(from, end) {
				return
			}
			from = b.find(end, to, false)
		}
	}
}

// find returns the first byte from i on that is taken, or not; to if there is none.
func (b bitmap) find(i, to int, taken bool) int {
	for i < to {
		word := b[i/64]
		if !taken {
			word = ^word
		}
		if word >>= i % 64; word != 0 {
			return min(i+bits.TrailingZeros64(word), to)
		}
		i += 64 - i%64
	}
	return to
}
