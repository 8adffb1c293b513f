package sketch_test

// The printed examples of paper 004 on chunks that other tests do not cover.

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"github.com/simdb/simdb/internal/sketch"
)

// Paper 004, page 7, figure 10: two numbers digit by digit; page 11, figure 25:
// rotation preserves the number of differing bits.
func TestBitsOfPaper004(t *testing.T) {
	const a, b = uint32(1537307734), uint32(1218804829)
	for n, want := range map[uint32]string{
		a: "0 1 0 1 1 0 1 1 1 0 1 0 0 0 0 1 0 1 1 1 0 1 0 0 0 1 0 1 0 1 1 0",
		b: "0 1 0 0 1 0 0 0 1 0 1 0 0 1 0 1 0 1 1 1 1 1 0 0 0 1 0 1 1 1 0 1",
	} {
		if got := fmt.Sprintf("%032b", n); got != strings.ReplaceAll(want, " ", "") {
			t.Errorf("page 7: %d is %s, want %s", n, got, want)
		}
	}
	for by := range 32 {
		if got := bits.OnesCount32(bits.RotateLeft32(a, by) ^ bits.RotateLeft32(b, by)); got != 8 {
			t.Errorf("page 11: rotated by %d they differ in %d bits, want 8", by, got)
		}
	}
}

// Paper 004, page 11: 26 set bits against 10 differ in at least 16, so such a chunk is
// dropped before any comparison.
func TestPopcountOfPaper004(t *testing.T) {
	one, other := []uint32{1<<10 - 1}, []uint32{1<<26 - 1}
	if n := bits.OnesCount32(one[0] ^ other[0]); n != 16 {
		t.Errorf("they differ in %d bits, want 16", n)
	}
	for _, dist := range []int{3, 15} {
		if pairs, comparisons := sketch.NearChunks(one, other, dist); len(pairs) != 0 || comparisons != 0 {
			t.Errorf("%d bits: %d pairs, %d comparisons, want none", dist, len(pairs), comparisons)
		}
	}
	if pairs, _ := sketch.NearChunks(one, other, 16); len(pairs) != 1 {
		t.Errorf("16 bits: %d pairs, want 1", len(pairs))
	}
}

// Paper 004, page 7, figure 12: the hash of two letters is the low 32 bits of their
// value times 27644437; figure 11: blanks count, and no pair counts twice.
func TestFeaturesOfPaper004(t *testing.T) {
	if got, want := sketch.Chunk([]byte("Ti")), uint32(('T'*256+'i')*27644437%(1<<32)); got != want {
		t.Errorf("hash of Ti = %d, want %d", got, want)
	}
	const phrase = "Tiger Woods has reportedly divorced his wife Elin Nordegren"
	pairs := map[string]bool{}
	for i := range len(phrase) - 1 {
		pairs[phrase[i:i+2]] = true
	}
	if got := plainChunk(phrase); got != sketch.Chunk([]byte(phrase)) || len(pairs) >= len(phrase)-1 || !pairs["r "] {
		t.Errorf("page 7, figure 11: %d pairs of %d, chunk %d, want %d", len(pairs), len(phrase)-1, sketch.Chunk([]byte(phrase)), got)
	}
}

// Paper 004, page 10: golf four times has no effect if repeated pairs count once; if
// all count, golf outweighs the rest, and the result is nearly that of golf alone.
func TestFrequencyOfPaper004(t *testing.T) {
	const player, title = "Jason Dufner", "PGA championship"
	golf := slices.Repeat([]string{"golf"}, 20)
	once, alone := sketch.Phrases([]string{"golf", player, title}, false), sketch.Phrases([]string{"golf"}, false)
	if got := sketch.Phrases([]string{"golf", "golf", "golf", "golf", player, title}, false); got != once {
		t.Errorf("golf four times gives %d, once %d", got, once)
	}
	many := sketch.Phrases(append(golf, player, title), true)
	if with, without := bits.OnesCount32(many^alone), bits.OnesCount32(once^alone); with != 0 || without == 0 {
		t.Errorf("with repetition golf weighs so much that %d bits differ from golf alone, without %d; want 0 and some", with, without)
	}
}
