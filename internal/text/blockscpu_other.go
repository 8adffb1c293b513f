//go:build !amd64

package text

// This file stands in for the kernels on other processors. It is never called:
// hasBlocks is false.

const hasBlocks = false

func lower512(to, from *byte, n int) int { return 0 }

func collapse512(norm *byte, to, from, n int, before uint64) (read, written int, after uint64) {
	return 0, to, before
}
