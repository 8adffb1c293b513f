package join

import "golang.org/x/sys/cpu"

// This file chooses the kernel that compares tiles.

var (
	tileHas512 = cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VPOPCNTDQ
	tileHas2   = cpu.X86.HasAVX2
)

// tileNanos is about how many nanoseconds tileKernel takes for a word of a row.
func tileNanos() float64 {
	switch {
	case tileHas512:
		return 0.1
	case tileHas2:
		return 0.3
	}
	return portableNanos
}

// tileKernel is the fastest kernel of this processor.
func tileKernel(a, groups []uint64, limit int64, near []uint8) {
	switch {
	case len(a) == 0:
		tileRows(a, groups, limit, near)
	case tileHas512:
		tile512(&a[0], len(a), &groups[0], len(near), limit, &near[0])
	case tileHas2:
		tile2(&a[0], len(a), &groups[0], len(near), limit, &near[0])
	default:
		tileRows(a, groups, limit, near)
	}
}
