package pairs

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/index/join"
)

// Two sets meet once for each shingle in common, however many blocks there are, also if a set
// exceeds a block.
func TestHeaviestMeetOnce(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 8))
	for _, room := range []int{1, 30, 200, 1 << 20} {
		fs := vfs.NewMem()
		scratch := &join.FileScratch{Create: func() (join.File, error) { return fs.Create("scratch", vfs.WriteCategoryUnspecified) }}
		h := &heaviest{scratch: scratch, room: room}
		type pair struct{ a, b uint32 }
		want, got := map[pair]int{}, map[pair]int{}
		sets := map[uint32]map[uint64]bool{}
		for set := uint32(3); set < 300; set += 1 + rng.Uint32N(3) {
			has := map[uint64]bool{}
			for range rng.IntN(8) * rng.IntN(8) {
				has[rng.Uint64N(200)<<40] = true
			}
			if err := h.add(set, slices.Collect(maps.Keys(has))); err != nil {
				t.Fatal(err)
			}
			for other, its := range sets {
				for x := range has {
					if its[x] {
						want[pair{other, set}]++
					}
				}
			}
			sets[set] = has
		}
		_, ends := h.blocks()
		if one := len(ends) == 1; one != (room == 1<<20) || one != (len(h.chunks) == 0) {
			t.Errorf("room for %d words: %d blocks, %d chunks in scratch", room, len(ends), len(h.chunks))
		}
		err := h.meet(t.Context(), func(b *block, set uint32, shingles []uint64) error {
			for _, x := range shingles {
				others := b.sets(nil, x)
				if len(others) != b.count(x) {
					t.Fatalf("%d sets, count %d", len(others), b.count(x))
				}
				for _, other := range others {
					got[pair{other, set}]++
				}
			}
			return nil
		})
		if err != nil || !maps.Equal(got, want) {
			t.Errorf("room for %d words: %d pairs, want %d, %v", room, len(got), len(want), err)
		}
		scratch.Close()
	}
}
