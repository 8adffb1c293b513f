package index

// Whether the processor has what the assembly of posting pages needs.

import "golang.org/x/sys/cpu"

var hasBMI = cpu.X86.HasBMI1 && cpu.X86.HasBMI2

// packGroup does what packPlain does.
func packGroup(dst []byte, group []uint64, f fields) {
	if !hasBMI || len(group) != pageGroup || f.payload > 28 {
		packPlain(dst, group, f)
		return
	}
	_ = dst[groupBytes(pageGroup, f.low, f.payload)+7] // assembly does not look
	packBMI(&dst[0], (*[pageGroup]uint64)(group), uint64(f.low), uint64(f.set), uint64(f.payload), uint64(f.base)<<setBits)
}

// unpackGroup does what unpackPlain does.
func unpackGroup(dst []uint64, g *group, shift uint32) (largest uint64, ok bool) {
	if !hasBMI {
		return unpackPlain(dst, g, shift)
	}
	_ = dst[g.n-1] // group has looked at the bytes, and counted the ones
	base := g.first<<32 + uint64(g.topBase)<<setBits + uint64(shift)
	return unpackBMI(&dst[0], g.high, &g.lows[0], uint64(g.low), uint64(8*((g.n*g.low+7)/8)), uint64(g.page.payload), uint64(g.setBits), base)
}
