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
			if found, err = run.near(pages, lo, hi, turned, dist, found[:0]); err != nil {
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

// near appends the payloads of the entries with lo ≤ key ≤ hi whose key is within
// dist bits of q. The key is the fingerprint, turned, so that those that are not
// near cost no look at the facts of their sets.
func (r *Run) near(p Pages, lo, hi, q uint64, dist int, dst []uint32) ([]uint32, error) {
	for n := r.pageBefore(lo); n < len(r.First) && r.First[n] <= hi; n++ {
		b, err := p.Page(n)
		if err != nil {
			return dst, err
		}
		pg, err := openPage(b)
		if err == nil {
			dst, err = pg.near(lo, hi, q, dist, dst)
		}
		if err != nil {
			return dst, fmt.Errorf("page %d: %w", n, err)
		}
	}
	return dst, nil
}

// near is Run.near in one page.
func (p *page) near(lo, hi, q uint64, dist int, dst []uint32) ([]uint32, error) {
	for at := p.groupBefore(lo); at < p.groups && p.first(at) <= hi; at++ {
		g, err := p.group(at)
		if err != nil {
			return dst, err
		}
		i, rest := g.from(lo)
		for ; rest != 0; i++ {
			var d uint64
			if d, rest = g.next(i, rest); d > hi-g.first {
				return dst, nil
			}
			if key := g.first + d; bits.OnesCount64(key^q) <= dist && key >= lo {
				dst = append(dst, g.payload(i))
			}
		}
	}
	return dst, nil
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

// What searches of fingerprints cost in nanoseconds, in memory that waits.
const (
	lookupNanos    = 400 // one range of one segment
	candidateNanos = 4   // one key in it
	hashNanos      = .35 // one fingerprint of a flat scan
)

// NearCost predicts the nanoseconds that Near takes for n sets in that many
// segments, and that ScanNear takes, so that the planner can choose.
func NearCost(n, segments, dist int) (near, flat float64) {
	for b := range blocks {
		volume := ball(radius(b, dist))
		near += volume*float64(segments)*lookupNanos + float64(n)*volume/leads*candidateNanos
	}
	return near, float64(n) * hashNanos
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
