package text

// This file chooses between the kernel that finds the classes of 64 characters
// at once and the portable way.

import "golang.org/x/sys/cpu"

var hasAVX2 = cpu.X86.HasAVX2

// set sets the bits of a block of ASCII. The way is chosen by a branch, for an
// argument of a function in a variable would have to be allocated.
func (c *classBits) set(block *[64]byte) {
	if hasAVX2 {
		classesAVX2((*[5]uint64)(c), block)
	} else {
		c.setPortable(block)
	}
}
