package join

import (
	"math/bits"

	"github.com/simdb/simdb/sketch"
)

// This file compares one signature with many, in the layout that vectors like.

// A tile holds signatures of one width, ready to be compared with one signature
// at a time. They stand in groups of eight rows: first the eight starts, then
// for each word of a signature that word of the eight rows, so that a lane of a
// vector is a row and nothing needs to be summed across lanes.
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

// set fills row i with a signature of the tile's width. start is where the count
// of differing bits begins; with −margin of the row there, a limit for the
// other side is one for the pair.
func (t *tile) set(i int, start int64, s sketch.Signature) {
	g := t.groups[i/tileLanes*t.stride()+i%tileLanes:]
	g[0] = uint64(start)
	for k, x := range s {
		g[tileLanes*(k+1)] = x
	}
}

// fold makes t what from is with signatures folded to words.
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

// compare sets near[g] for g in [lo,hi): bit i tells whether start + differing
// bits ≤ limit for row 8·g+i and a, whose width is the tile's. Rows behind the
// last give anything.
func (t *tile) compare(a sketch.Signature, lo, hi int, limit int64) {
	if lo >= hi {
		return
	}
	tileKernel(a, t.groups[lo*t.stride():hi*t.stride()], limit, t.near[lo:hi])
}

const portableNanos = 1.1 // for a word of a row

// tileRows compares a with len(near) groups: the portable kernel. It gives up a
// group once all its rows are too far.
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
