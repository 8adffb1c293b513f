// Options and their defaults.

package engine

import (
	"math"
	"testing"
)

// No text may have more shingles than a set record can count.
func TestMaxDocBytes(t *testing.T) {
	for given, want := range map[int64]int64{0: 16 << 20, -1: 16 << 20, 5: 5, math.MaxUint32: math.MaxUint32, 1 << 32: math.MaxUint32, math.MaxInt64: math.MaxUint32} {
		o := Options{MaxDocBytes: given}
		if got := o.withDefaults().MaxDocBytes; got != want {
			t.Errorf("MaxDocBytes of %d = %d, want %d", given, got, want)
		}
	}
}
