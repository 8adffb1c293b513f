//go:build !amd64

package index

import "testing"

func tileKernels(testing.TB) map[string]func(a, groups []uint64, limit int64, near []uint8) {
	return map[string]func(a, groups []uint64, limit int64, near []uint8){"portable": tileRows}
}
