package index

// This file finds the page of a run by its first key.

import (
	"math/bits"
	"slices"
)

// directory shortens the search among the first keys of the pages of a run.
// starts[c] is how many first keys are below c<<shift. There are one to two
// cells a page. Evenly spread keys are found in a step or two, and other keys
// take hardly more steps than by halving.
type directory struct {
	shift  int
	starts []uint32
}

func newDirectory(first []uint64) (d directory) {
	if len(first) < 2 || uint64(len(first)) > 1<<31 {
		return d
	}
	d.shift = max(bits.Len64(first[len(first)-1])-bits.Len(uint(len(first))), 0)
	d.starts = make([]uint32, first[len(first)-1]>>d.shift+2)
	for _, key := range first {
		d.starts[key>>d.shift+1]++
	}
	for c := 1; c < len(d.starts); c++ {
		d.starts[c] += d.starts[c-1]
	}
	return d
}

// below returns how many of the first keys are below key.
func (d *directory) below(first []uint64, key uint64) int {
	cell := key >> d.shift
	if cell >= uint64(len(d.starts)-1) {
		return len(first)
	}
	i, end := int(d.starts[cell]), int(d.starts[cell+1])
	if end-i > 16 {
		n, _ := slices.BinarySearch(first[i:end], key)
		return i + n
	}
	for i < end && first[i] < key {
		i++
	}
	return i
}
