package index

// The arithmetic of the blocks of a SimHash, which joins of fingerprints share. It rests on one
// fact: if two fingerprints are near as a whole, they are nearer still in one of four blocks.

import "math/bits"

// A SimHash has four blocks of 16 bits. Rotating it by 0, 16, 32 and 48 brings
// each of them to the front of one table.
const (
	Blocks    = 4
	BlockBits = 16
	Leads     = 1 << BlockBits // values of a block
)

// Radius returns in how many bits block b may differ between fingerprints that
// are within dist in all. The sum of all radii plus one each is dist+1, so a
// fingerprint that is outside all of them is at least dist+1 away. A radius of
// −1 means that the block is not looked at, which happens below dist 3.
func Radius(b, dist int) int {
	r := (dist+1)/Blocks - 1
	if b < (dist+1)%Blocks {
		r++
	}
	return r
}

// Radii are the radii of all blocks.
type Radii [Blocks]int

// RadiiOf returns the radii for a distance.
func RadiiOf(dist int) (r Radii) {
	for b := range r {
		r[b] = Radius(b, dist)
	}
	return r
}

// First reports whether no block before b finds fingerprints that differ by
// diff.
func (r *Radii) First(b int, diff uint64) bool {
	for k, within := range r[:b] {
		if bits.OnesCount16(uint16(diff>>(64-BlockBits*(k+1)))) <= within {
			return false
		}
	}
	return true
}

// Masks goes through the numbers of 16 bits that have k bits set.
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
			low := m & -m // move the lowest run's top bit up, the rest down
			up := m + low
			m = up | (m^up)/low>>2
		}
	}
}

// Ball is the number of blocks within radius bits of one: Σ over k of 16 choose k.
func Ball(radius int) float64 {
	volume, c := 0.0, 1.0
	for k := 0; k <= min(radius, BlockBits); k++ {
		volume += c
		c = c * float64(BlockBits-k) / float64(k+1)
	}
	return volume
}
