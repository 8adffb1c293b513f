package index

// This file has the classes of an order in fewer bits, so that more of them fit
// the cache.

import "encoding/binary"

// coarse has the classes of an order in two bits each: 0, 1, 2, and 3 for all
// higher ones. The classes of many shingles do not fit the cache. A quarter of
// their bytes often does, and mostly tells enough: at least two thirds of the
// shingles of a text are in the first three classes.
type coarse []uint8

const (
	coarseBits = 2
	highClass  = 1<<coarseBits - 1
)

// newCoarse reads the classes. It reports false if one of them is no class.
func newCoarse(classes []uint8) (c coarse, ok bool) {
	c = make(coarse, (len(classes)+3)/4)
	any := uint64(0)
	whole := len(classes) &^ 7
	for i := 0; i < whole; i += 8 {
		x := binary.LittleEndian.Uint64(classes[i:])
		any |= x
		binary.LittleEndian.PutUint16(c[i/4:], coarsen(x))
	}
	for i, x := range classes[whole:] {
		any |= uint64(x)
		c[(whole+i)/4] |= min(x, highClass) << (i % 4 * coarseBits)
	}
	return c, any&^(0x0101010101010101*(orderClasses-1)) == 0
}

// coarsen packs eight classes into two bits each.
func coarsen(classes uint64) uint16 {
	const each = 0x0101010101010101
	high := (classes&(each*(0x7f&^highClass)) + each*0x7f) >> 7 & each // 1 for those above 3
	x := (classes | high*highClass) & (each * highClass)
	x = (x | x>>6) & 0x000f000f000f000f
	x = (x | x>>12) & 0x000000ff000000ff
	return uint16(x | x>>24)
}

// class returns the class of a counter, or highClass if it is as high or
// higher.
func (c coarse) class(counter uint64) uint8 {
	return c[counter/4] >> (counter % 4 * coarseBits) % (highClass + 1)
}
