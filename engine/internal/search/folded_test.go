package search

import (
	"testing"

	"github.com/simdb/simdb/internal/guard"
	"github.com/simdb/simdb/internal/shingle"
)

// Any bytes in the place of a folded set are an error or some set: no panic, and no more
// memory than they can need.
func FuzzFolded(f *testing.F) {
	set := make(shingle.Set, 10_000)
	for i := range set {
		set[i] = uint64(i) << 46 // ascending
	}
	folded := shingle.Fold(set)
	stored, _ := shingle.AppendFolded(nil, set[:20])
	f.Add(stored)
	f.Add(stored[:len(stored)-1])
	f.Add([]byte{0x3a, 0x30, 0, 0, 1, 0, 0, 0, 0, 0, 0xff, 0xff, 16, 0, 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		if n := guard.Allocates(func() { sharedFolded(folded, b) }); n > 100*uint64(len(b))+1<<16 {
			t.Fatalf("%d bytes allocate %d", len(b), n)
		}
	})
}
