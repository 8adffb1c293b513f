package shingle

// Sorting hashes, and collapsing equal ones into a bag.

import (
	"math/bits"
	"slices"
)

const (
	fewHashes = 16 // insertion is as fast up to this number
	maxDigit  = 12 // bits per pass; the counters fit the first-level cache
	maxShift  = 32 // see finish
)

// A sorter holds the buffers of sorting.
type sorter struct {
	other []uint64
	first []uint32 // next position of each digit
	ranks []uint16 // of each hash within its digit
}

// reserve gives the sorter memory for n hashes and a number of digits.
func (s *sorter) reserve(n, digits int) {
	if cap(s.other) < n {
		s.other = make([]uint64, n+n/4)
		s.ranks = make([]uint16, n+n/4)
	}
	if len(s.first) < digits {
		s.first = make([]uint32, digits)
	}
}

// sort returns the hashes in ascending order, in the memory of the sorter or of hashes;
// the other is overwritten. It relies on evenly spread hashes: sorted by about log₂ n
// high bits they are nearly sorted. Many hashes take two passes, each over slightly
// more than half as many bits.
func (s *sorter) sort(hashes []uint64) []uint64 {
	n := len(hashes)
	if n <= fewHashes {
		finish(hashes)
		return hashes
	}
	s.reserve(n, 1<<maxDigit)
	other := s.other[:n]
	if digit := bits.Len(uint(n)); digit <= maxDigit {
		s.distribute(other, hashes, 64-digit, digit)
		finish(other)
		return other
	}
	digit := min((bits.Len(uint(n))+5)/2, maxDigit)
	s.distribute(other, hashes, 64-2*digit, digit)
	s.distribute(hashes, other, 64-digit, digit)
	finish(hashes)
	return hashes
}

// distribute copies the hashes in the order of the digit bits above shift. The order of
// equal digits is stable.
func (s *sorter) distribute(to, from []uint64, shift, digit int) {
	first := s.first[:1<<digit]
	clear(first)
	mask := uint64(1)<<digit - 1
	for _, h := range from {
		first[h>>(shift&63)&mask]++
	}
	sum := uint32(0)
	for i, n := range first {
		first[i] = sum
		sum += n
	}
	for _, h := range from {
		at := &first[h>>(shift&63)&mask]
		to[*at] = h
		*at++
	}
}

// finish sorts hashes that are sorted by their high bits. It holds one hash back, which
// gives way to smaller ones without a branch: the order of two neighbours is
// unpredictable. The few that are still too small are inserted. Equal hashes cost
// nothing. Many unequal hashes with the same high bits, which occur only in an
// improbable or a crafted text, would take quadratic time, so finish then falls back to
// a full sort.
func finish(hashes []uint64) {
	if len(hashes) == 0 {
		return
	}
	held, last := hashes[0], uint64(0)
	for i, h := range hashes[1:] {
		h, held = min(held, h), max(held, h)
		hashes[i] = h
		if h >= last {
			last = h
			continue
		}
		at := i
		for ; at > 0 && hashes[at-1] > h; at-- {
			if i-at == maxShift {
				hashes[at] = h
				hashes[i+1] = held
				slices.Sort(hashes)
				return
			}
			hashes[at] = hashes[at-1]
		}
		hashes[at] = h
	}
	hashes[len(hashes)-1] = held
}

// collapse removes repeats of equal neighbours and returns the number left. It stores their
// multiplicities in counts, which has the length of hashes, at least 1. It has no
// branch on the equality of neighbours, which is unpredictable.
func collapse(hashes []uint64, counts []uint32) int {
	ends := counts[:len(hashes)]
	at, last := 0, hashes[0]
	for i, h := range hashes {
		at += differ(h, last)
		last = h
		hashes[at] = h // at ≤ i
		ends[at] = uint32(i + 1)
	}
	start := uint32(0)
	for i, end := range ends[:at+1] {
		counts[i] = end - start
		start = end
	}
	return at + 1
}

// differ returns 1 if a and b differ, else 0, without a branch.
func differ(a, b uint64) (n int) {
	if a != b {
		n = 1
	}
	return n
}
