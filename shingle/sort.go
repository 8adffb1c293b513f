package shingle

import (
	"math/bits"
	"slices"
)

const (
	fewHashes = 96 // up to here slices.Sort is as fast
	maxDigit  = 12 // bits; the counters stay in the first-level cache
	maxShift  = 32 // see finish
)

// sortHashes sorts hashes ascending, using and returning the other buffer,
// grown as needed. The hashes are evenly spread, so two passes of radix sort
// over just enough of their high bits leave them nearly sorted.
func sortHashes(hashes, other []uint64) []uint64 {
	n := len(hashes)
	if n <= fewHashes {
		slices.Sort(hashes)
		return other
	}
	if cap(other) < n {
		other = make([]uint64, n+n/4)
	}
	digit := min((bits.Len(uint(n))+5)/2, maxDigit)
	highShift := 64 - digit
	lowShift := highShift - digit
	mask := uint64(1)<<digit - 1

	var low, high [1 << maxDigit]uint32
	for _, h := range hashes {
		low[h>>lowShift&mask%(1<<maxDigit)]++
		high[h>>highShift%(1<<maxDigit)]++
	}
	var lowSum, highSum uint32
	for i := range uint64(mask) + 1 {
		low[i], lowSum = lowSum, lowSum+low[i]
		high[i], highSum = highSum, highSum+high[i]
	}
	sorted := other[:n]
	for _, h := range hashes {
		at := &low[h>>lowShift&mask]
		sorted[*at] = h
		*at++
	}
	for _, h := range sorted {
		at := &high[h>>highShift]
		hashes[*at] = h
		*at++
	}
	finish(hashes)
	return other
}

// finish sorts hashes that are sorted by their high bits, by insertion. Equal
// hashes cost nothing. Many unequal ones with the same high bits, which only
// an unlikely or ill-meant text has, would cost the square of their number, so
// then it gives up and sorts from the start.
func finish(hashes []uint64) {
	for i := 1; i < len(hashes); i++ {
		h := hashes[i]
		if h >= hashes[i-1] {
			continue
		}
		at := i
		for ; at > 0 && hashes[at-1] > h; at-- {
			if i-at == maxShift {
				hashes[at] = h
				slices.Sort(hashes)
				return
			}
			hashes[at] = hashes[at-1]
		}
		hashes[at] = h
	}
}
