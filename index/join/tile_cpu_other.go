//go:build !amd64

package join

// This file takes the portable kernel where there is no other.

func tileKernel(a, groups []uint64, limit int64, near []uint8) { tileRows(a, groups, limit, near) }

func tileNanos() float64 { return portableNanos }
