package join

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/simdb/simdb/internal/guard"
)

// No kernel touches what is behind a tile, a signature or its answer.
func TestTileKernelsStayInside(t *testing.T) {
	const seed = 4
	r := rand.New(rand.NewPCG(seed, 0))
	for words := 1; words <= 130; words++ {
		for _, rows := range []int{1, 8, 9, 64, 72} {
			tile, a, dist := drawTile(r, words, rows)
			limit := dist[r.IntN(rows)]
			want := make([]uint8, len(tile.near))
			tileRows(a, tile.groups, limit, want)
			groups, near, b := guard.Memory[uint64](t, len(tile.groups)), guard.Memory[uint8](t, len(want)), guard.Memory[uint64](t, words)
			copy(groups, tile.groups)
			copy(b, a)
			for name, kernel := range tileKernels(t) {
				if kernel(b, groups, limit, near); !slices.Equal(near, want) {
					t.Errorf("seed %d, %s kernel, %d words: %v, want %v", seed, name, words, near, want)
				}
			}
		}
	}
}
