//go:build !amd64

package join

// This file stands for the kernels where there are none.

func tileKernel(a, groups []uint64, limit int64, near []uint8) { tileRows(a, groups, limit, near) }

func tileNanos() float64 { return portableNanos }
