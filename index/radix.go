package index

// Sorting of entries by their keys, digit by digit.

import (
	"math/bits"
	"slices"
)

const (
	digitBits = 11
	digits    = 1 << digitBits
	// For sortFew entries or fewer, counting digits is not worth it.
	sortFew = 64
)

// Sorter sorts entries. It keeps the memory for that.
type Sorter struct{ sorter }

// Sort sorts entries, key<<32 | payload. Entries with equal keys must ascend by payload.
// The result is in a or in other memory, and is valid until the next call.
func (s *Sorter) Sort(a []uint64) []uint64 { return s.sort(a) }

// sorter sorts entries; it keeps the memory for that.
type sorter struct{ tmp []uint64 }

// sort sorts entries, key<<32 | payload. Entries that agree in the bits from
// setBits on must ascend in the bits below. The result is in a or in memory of
// the sorter, and the next sort writes over both. It sorts by the digits of the
// keys, the lowest first, and only by those that vary. Then it looks at equal
// keys.
func (s *sorter) sort(a []uint64) []uint64 {
	if len(a) <= sortFew {
		slices.Sort(a)
		return a
	}
	if cap(s.tmp) < len(a) {
		s.tmp = make([]uint64, len(a))
	}
	a = distribute(a, s.tmp[:len(a)], 32, highest(a))
	for i := 1; i < len(a); i++ {
		if a[i] < a[i-1] {
			i = s.settle(a, i)
		}
	}
	return a
}

// settle sorts the entries that have the key of a[i], and returns the last of
// them. The ones below i ascend already.
func (s *sorter) settle(a []uint64, i int) int {
	key := a[i] >> 32
	first, last := i-1, i
	for first > 0 && a[first-1]>>32 == key {
		first--
	}
	for last+1 < len(a) && a[last+1]>>32 == key {
		last++
	}
	equal := a[first : last+1]
	if len(equal) <= digits {
		slices.Sort(equal)
		return last
	}
	sorted := distribute(equal, make([]uint64, len(equal)), setBits, 32)
	copy(equal, sorted)
	return last
}

// highest returns how many bits, at least 32, cover all bits that vary in a.
func highest(a []uint64) int {
	all, any := a[0], a[0]
	for _, x := range a {
		all &= x
		any |= x
	}
	return max(bits.Len64(all^any), 32)
}

// distribute sorts a stably by the bits from low to high. tmp has the same
// length. The result is the one of both that holds the entries in the end.
func distribute(a, tmp []uint64, low, high int) []uint64 {
	passes := (high - low + digitBits - 1) / digitBits
	for left := passes; left > 0; left-- {
		width := (high - low + left - 1) / left
		mask := uint64(1)<<width - 1
		var at [digits]uint32
		for _, x := range a {
			at[x>>(low&63)&mask%digits]++
		}
		sum := uint32(0)
		for d := range mask + 1 {
			n := at[d%digits]
			at[d%digits] = sum
			sum += n
		}
		tmp = tmp[:len(a)]
		for _, x := range a {
			to := &at[x>>(low&63)&mask%digits]
			tmp[*to] = x
			*to++
		}
		a, tmp = tmp, a
		low += width
	}
	return a
}
