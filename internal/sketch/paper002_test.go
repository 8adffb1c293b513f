package sketch_test

import (
	"slices"
	"testing"

	"github.com/simdb/simdb/internal/shingle"
	"github.com/simdb/simdb/internal/sketch"
)

// The example of paper 002, page 4, table 2: the 3-grams of "Hello world", each hashed
// to the sum of its character codes. The table prints 271; its pseudo-code gives 335,
// since bit 6 is set in most of the sums. All sums are below 2¹⁶, so that 64 bits here
// agree with 16 there.
func TestSimHashOfPaper002(t *testing.T) {
	const example = "Hello world"
	var sums shingle.Set
	for i := range len(example) - 2 {
		sums = append(sums, uint64(example[i])+uint64(example[i+1])+uint64(example[i+2]))
	}
	slices.Sort(sums) // two are 262: the pseudo-code iterates over k-grams, not distinct sums
	if got := sketch.SimHash(sums); got != 335 {
		t.Errorf("SimHash = %d (%016b), want 335", got, got)
	}
}
