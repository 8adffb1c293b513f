//go:build !amd64

package text

func (c *classBits) set(block *[64]byte) { c.setPortable(block) }
