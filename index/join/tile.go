package join

import (
	"math/bits"

	"github.com/simdb/simdb/internal/sketch"
)

// This file compares one signature with many, in a layout that suits vector
// instructions.

// A tile holds signatures of one width, ready to be compared with one signature
// at a time. They stand in groups of eight rows. A group has first the eight
// starts, and then, for each word of a signature, that word of the eight rows.
// So a lane of a vector is a row, and nothing needs to be summed across lanes.
type tile struct {
	words  int
	rows   int
	groups []uint64
	near   []uint8
}

const tileLanes = 8

func (t *tile) stride() int { return tileLanes * (t.words + 1) }

// reset makes a tile of n empty rows.
func (t *tile) reset(words, n int) {
	t.words, t.rows = words, n
	groups := (n + tileLanes - 1) / tileLanes
	t.groups = append(t.groups[:0], make([]uint64, groups*t.stride())...)
	t.near = append(t.near[:0], make([]uint8, groups)...)
}

// set fills row i with a signature of the tile's width. start is where the
// count of differing bits begins. If start is −margin of the row, compare can
// take the margin of the other side as limit.
func (t *tile) set(i int, start int64, s sketch.Signature) {
	g := t.groups[i/tileLanes*t.stride()+i%tileLanes:]
	g[0] = uint64(start)
	for k, x := range s {
		g[tileLanes*(k+1)] = x
	}
}

// fold fills t with the signatures of from, folded to words.
func (t *tile) fold(from *tile, words int) {
	t.reset(words, from.rows)
	for g := range t.near {
		src, dst := from.groups[g*from.stride():], t.groups[g*t.stride():]
		copy(dst[:tileLanes], src)
		if words == 0 {
			continue
		}
		for k := range from.words {
			in, out := src[tileLanes*(k+1):], dst[tileLanes*(k%words+1):]
			for lane := range tileLanes {
				out[lane] ^= in[lane]
			}
		}
	}
}

// compare sets near[g] for each group g in [lo,hi). Bit i says whether start +
// differing bits ≤ limit for a and row 8·g+i. a must have the width of the
// tile. Bits of rows after the last may be set or not.
func (t *tile) compare(a sketch.Signature, lo, hi int, limit int64) {
	if lo >= hi {
		return
	}
	tileKernel(a, t.groups[lo*t.stride():hi*t.stride()], limit, t.near[lo:hi])
}

const portableNanos = 1.1 // for a word of a row

// tileRows compares a with len(near) groups. It is the portable kernel. It
// leaves a group once all its rows are too far.
func tileRows(a []uint64, groups []uint64, limit int64, near []uint8) {
	for i := range near {
		g := groups[i*tileLanes*(len(a)+1):]
		dist := [tileLanes]int64{}
		for lane := range dist {
			dist[lane] = int64(g[lane])
		}
		near[i] = 0
		for k, x := range a {
			words := (*[tileLanes]uint64)(g[tileLanes*(k+1):])
			least := dist[0]
			for lane := range dist {
				dist[lane] += int64(bits.OnesCount64(words[lane] ^ x))
				least = min(least, dist[lane])
			}
			if least > limit {
				break
			}
		}
		for lane, d := range dist {
			if d <= limit {
				near[i] |= 1 << lane
			}
		}
	}
}
