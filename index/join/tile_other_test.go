//go:build !amd64

package join

import "testing"

func tileKernels(testing.TB) map[string]func(a, groups []uint64, limit int64, near []uint8) {
	return map[string]func(a, groups []uint64, limit int64, near []uint8){"portable": tileRows}
}
