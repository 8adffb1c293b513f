package measure_test

// Cancelling a comparison of chunks.

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/simdb/simdb/internal/measure"
)

func TestMatchChunksUntil(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	list := func(n int) (out []uint32) {
		for range n {
			out = append(out, rng.Uint32())
		}
		return out
	}
	a, b := list(3000), list(3000)
	enough := errors.New("enough")
	for _, dist := range []int{3, 9} {
		want, looks := measure.MatchChunks(a, b, dist), 0
		got, err := measure.MatchChunksUntil(a, b, dist, func() error { looks++; return nil })
		if err != nil || got != want || looks < 5 {
			t.Errorf("%d bits: %+v, %v after %d looks, want %+v and some looks", dist, got, err, looks, want)
		}
		left := 3
		if _, err := measure.MatchChunksUntil(a, b, dist, func() error {
			if left--; left < 0 {
				return enough
			}
			return nil
		}); err != enough || left != -1 {
			t.Errorf("%d bits: %v with %d looks left, want that it ends at once", dist, err, left)
		}
	}
}
