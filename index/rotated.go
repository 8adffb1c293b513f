package index

import (
	"fmt"
	"math"
	"math/bits"
)

// A SimHash has four blocks of 16 bits; rotating by 0, 16, 32 and 48 brings
// each to the front of one table.
const (
	blocks    = 4
	blockBits = 16
	leads     = 1 << blockBits
)

func isRotated(k Kind) bool { return Rotated0 <= k && k <= Rotated48 }

// radius returns in how many bits block b may differ for fingerprints that are
// within dist in all. The radii plus one sum to dist+1, so that a fingerprint
// outside all of them is dist+1 away; −1 means that the block is not looked at,
// which is so below dist 3.
func radius(b, dist int) int {
	r := (dist+1)/blocks - 1
	if b < (dist+1)%blocks {
		r++
	}
	return r
}

// Near appends the sets of the segment whose SimHash may be within dist bits of
// q: pigeonhole over the four 16-bit blocks that lead the rotated tables, with
// per-block radii that sum to dist − 3, so that no match is lost (Manku 07).
// Ascending, each once, verified against view: exactly those within dist.
// lookups counts the ranges read.
func Near(s Stored, view View, q uint64, dist int, dst []uint32) (out []uint32, lookups int, err error) {
	start := len(dst)
	var found []uint32
	for b := range blocks {
		run, turned := s.Runs[Rotated0+Kind(b)], bits.RotateLeft64(q, b*blockBits)
		if run == nil {
			return dst[:start], lookups, fmt.Errorf("index: segment [%d,%d) has no rotated table %d", s.Lo, s.Hi, b)
		}
		pages := s.Pages(Rotated0 + Kind(b))
		for lo, hi := range ranges(turned, radius(b, dist)) {
			if dist == 0 {
				lo, hi = turned, turned
			}
			lookups++
			if found, err = run.Lookup(pages, lo, hi, found[:0]); err != nil {
				return dst[:start], lookups, err
			}
			for _, rel := range found {
				set := s.Lo + rel
				if rel < s.Hi-s.Lo && bits.OnesCount64(view.SimHash(set)^q) <= dist && view.Size(set).Distinct > 0 {
					dst = append(dst, set)
				}
			}
		}
	}
	return dst[:start+len(ascending(dst[start:], s.Lo, s.Hi))], lookups, nil
}

// ranges goes through the ranges of keys whose leading block is within radius
// bits of q's, ascending, neighbouring ranges joined.
func ranges(q uint64, radius int) func(yield func(lo, hi uint64) bool) {
	return func(yield func(lo, hi uint64) bool) {
		lead := q >> (64 - blockBits)
		if radius <= 0 {
			if radius == 0 {
				yield(lead<<48, lead<<48|(1<<48-1))
			}
			return
		}
		var near [leads / 64]uint64
		for k := range radius + 1 {
			for flips := range masks(k) {
				x := lead ^ flips
				near[x/64] |= 1 << (x % 64)
			}
		}
		for x := 0; ; {
			from := nextBit(&near, x, 0)
			if from == leads {
				return
			}
			x = nextBit(&near, from, math.MaxUint64)
			if !yield(uint64(from)<<48, uint64(x)<<48-1) { // at the end 2^64 − 1
				return
			}
		}
	}
}

// nextBit returns the first bit of set, with all bits flipped where flip says
// so, that is 1 at or after x; leads if there is none.
func nextBit(set *[leads / 64]uint64, x int, flip uint64) int {
	for x < leads {
		if w := (set[x/64] ^ flip) >> (x % 64); w != 0 {
			return x + bits.TrailingZeros64(w)
		}
		x = x/64*64 + 64
	}
	return leads
}

// masks goes through the numbers of 16 bits that have k bits set.
func masks(k int) func(yield func(uint64) bool) {
	return func(yield func(uint64) bool) {
		if k == 0 {
			yield(0)
			return
		}
		for m := uint64(1)<<k - 1; m < leads; {
			if !yield(m) {
				return
			}
			low := m & -m // move the lowest run's top bit up, the rest down
			up := m + low
			m = up | (m^up)/low>>2
		}
	}
}

// What the parts of Near cost in comparisons of a flat scan, about 1 ns each.
const (
	lookupCost    = 300 // one range, pages in memory
	candidateCost = 12  // one fingerprint found, read in no order
)

// NearCost predicts the work of Near over n sets, in units of one fingerprint
// comparison of a flat scan, so that the planner can choose.
func NearCost(n, dist int) float64 {
	cost := 0.0
	for b := range blocks {
		volume := ball(radius(b, dist))
		cost += volume*lookupCost + float64(n)*volume/leads*candidateCost
	}
	return cost
}

// ball is the number of blocks within radius bits of one: Σ over k of 16 choose k.
func ball(radius int) float64 {
	volume, c := 0.0, 1.0
	for k := 0; k <= min(radius, blockBits); k++ {
		volume += c
		c = c * float64(blockBits-k) / float64(k+1)
	}
	return volume
}
