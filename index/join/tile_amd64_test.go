package join

import (
	"testing"
)

// tileKernels are the kernels that this processor has.
func tileKernels(t testing.TB) map[string]func(a, groups []uint64, limit int64, near []uint8) {
	all := map[string]func(a, groups []uint64, limit int64, near []uint8){"portable": tileRows, "chosen": tileKernel}
	if tileHas512 {
		all["AVX-512"] = func(a, groups []uint64, limit int64, near []uint8) {
			tile512(&a[0], len(a), &groups[0], len(near), limit, &near[0])
		}
	} else {
		t.Log("no AVX-512 VPOPCNTDQ here")
	}
	if tileHas2 {
		all["AVX2"] = func(a, groups []uint64, limit int64, near []uint8) {
			tile2(&a[0], len(a), &groups[0], len(near), limit, &near[0])
		}
	} else {
		t.Log("no AVX2 here")
	}
	return all
}
