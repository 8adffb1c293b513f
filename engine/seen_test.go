// The filter of ids and digests that a collection was given.

package engine

import (
	"math/rand/v2"
	"testing"
)

// What was added is always found, what was not hardly ever; beyond its budget a
// filter knows nothing.
func TestSeen(t *testing.T) {
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 1))
	s := &seen{}
	if s.has(1) || s.has(0) {
		t.Error("an empty filter has something")
	}
	var added []uint64
	for range 100_000 {
		h := rng.Uint64()
		added = append(added, h)
		s = s.add(h, 1<<20)
	}
	for _, h := range added {
		if !s.has(h) {
			t.Fatalf("seed %d: %x was added and is not there", seed, h)
		}
	}
	wrong := 0
	for range 100_000 {
		if s.has(rng.Uint64()) {
			wrong++
		}
	}
	if wrong > 3000 {
		t.Errorf("seed %d: %d of 100,000 others are there", seed, wrong)
	}
	t.Logf("%d of 100,000 others are there", wrong)
	for range 1_000_000 {
		s = s.add(rng.Uint64(), 1<<20)
	}
	if s != nil || !s.has(rng.Uint64()) {
		t.Error("a filter beyond its budget knows something")
	}
}
