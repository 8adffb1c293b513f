package text

// The classes of 64 ASCII characters as bit sets, one word per class. A few shifts of
// them find the words of a text.

import "encoding/binary"

// classBits has a bit set for each class from letter to mark: bit i is set iff
// character i of a block of 64 has the class.
type classBits [6]uint64

// set computes the classes of a block, which must be ASCII.
func (c *classBits) set(block *[64]byte) {
	*c = classBits{}
	var all uint64
	for i := 0; i < len(block); i += 8 {
		x := classesOf(binary.LittleEndian.Uint64(block[i:]))
		c[0] |= bitOf(letter, x) << i
		c[1] |= bitOf(digit, x) << i
		c[2] |= bitOf(connector, x) << i
		c[3] |= bitOf(midLetter, x) << i
		c[4] |= bitOf(midNum, x) << i
		all |= x
	}
	if all&(ones*mark) == 0 { // as in most blocks
		return
	}
	for i := 0; i < len(block); i += 8 {
		c[5] |= bitOf(mark, classesOf(binary.LittleEndian.Uint64(block[i:]))) << i
	}
}

// classesOf returns the classes of eight characters, the first in the lowest byte.
func classesOf(s uint64) (c uint64) {
	return uint64(asciiClass[s&0xff]) | uint64(asciiClass[s>>8&0xff])<<8 |
		uint64(asciiClass[s>>16&0xff])<<16 | uint64(asciiClass[s>>24&0xff])<<24 |
		uint64(asciiClass[s>>32&0xff])<<32 | uint64(asciiClass[s>>40&0xff])<<40 |
		uint64(asciiClass[s>>48&0xff])<<48 | uint64(asciiClass[s>>56])<<56
}

// bitOf gathers one class bit from each of eight bytes: the product moves the
// bit of byte i to bit 56+i, and no two sums meet above bit 55.
func bitOf(class, c uint64) uint64 {
	return (c / class & ones) * 0x0102040810204080 >> 56
}
