package index

import "slices"

const (
	digitBits = 11
	digits    = 1 << digitBits
)

// radixSort sorts a, whose numbers ascend in the bits below low wherever they
// agree in the others, and returns it; a's memory is used up. It goes digit by
// digit, lowest first, and leaves out the digits that never change.
func radixSort(a []uint64, low uint) []uint64 {
	if len(a) < digits {
		slices.Sort(a)
		return a
	}
	tmp := make([]uint64, len(a))
	for shift := low; shift < 64; shift += digitBits {
		var at [digits]int
		for _, x := range a {
			at[x>>shift%digits]++
		}
		if at[a[0]>>shift%digits] == len(a) {
			continue
		}
		sum := 0
		for d, n := range at {
			at[d] = sum
			sum += n
		}
		for _, x := range a {
			d := x >> shift % digits
			tmp[at[d]] = x
			at[d]++
		}
		a, tmp = tmp, a
	}
	return a
}
