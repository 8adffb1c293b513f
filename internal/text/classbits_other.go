//go:build !amd64

package text

// This file takes the portable way to the classes of characters on processors
// without a kernel.

func (c *classBits) set(block *[64]byte) { c.setPortable(block) }
