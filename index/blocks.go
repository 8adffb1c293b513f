package index

// Blocks of a SimHash, which searches and joins of fingerprints share. If two fingerprints are
// near as a whole, they are nearer still in one of four blocks.

import "math/bits"

// A SimHash has four blocks of 16 bits. Rotating it by 0, 16, 32 and 48 bits moves each block to
// the front of a table.
const (
	Blocks    = 4
	BlockBits = 16
	Leads     = 1 << BlockBits // values of a block
)

// Radius returns the number of bits in which block b may differ between fingerprints within dist
// in total. The radii plus one each sum to dist+1, so a fingerprint outside of all radii is at
// least dist+1 away. A radius of −1 means that the block is skipped, which happens below dist 3.
func Radius(b, dist int) int {
	r := (dist+1)/Blocks - 1
	if b < (dist+1)%Blocks {
		r++
	}
	return r
}

// Radii holds the radii of all blocks.
type Radii [Blocks]int

// RadiiOf returns the radii for a distance.
func RadiiOf(dist int) (r Radii) {
	for b := range r {
		r[b] = Radius(b, dist)
	}
	return r
}

// First reports whether no block before b finds fingerprints that differ by diff.
func (r *Radii) First(b int, diff uint64) bool {
	for k, within := range r[:b] {
		if bits.OnesCount16(uint16(diff>>(64-BlockBits*(k+1)))) <= within {
			return false
		}
	}
	return true
}

// Masks iterates over the 16-bit numbers with k bits set, ascending.
func Masks(k int) func(yield func(uint64) bool) {
	return func(yield func(uint64) bool) {
		if k == 0 {
			yield(0)
			return
		}
		for m := uint64(1)<<k - 1; m < Leads; {
			if !yield(m) {
				return
			}
			low := m & -m // move the top bit of the lowest run up, the rest down
			up := m + low
			m = up | (m^up)/low>>2
		}
	}
}

// Ball returns the number of blocks within radius bits of a block: Σ over k of 16 choose k.
func Ball(radius int) float64 {
	volume, c := 0.0, 1.0
	for k := 0; k <= min(radius, BlockBits); k++ {
		volume += c
		c = c * float64(BlockBits-k) / float64(k+1)
	}
	return volume
}
