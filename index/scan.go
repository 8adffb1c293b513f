package index

// Scanning the signatures and fingerprints of sets.

import (
	"math"
	"math/bits"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/sketch"
)

// ScanSignatures appends, in ascending order, the sets in [lo, hi) that pass the length filter and
// the signature bound for a score ≥ t by a measure of bags. It misses no match. inWindow counts the
// sets that pass the length filter.
func ScanSignatures(v View, lo, hi uint32, m measure.Formula, t api.Threshold, query Facts, dst []uint32) (out []uint32, inWindow int) {
	low, high := uint64(1), uint64(math.MaxUint32) // distinct members of a match
	if w, ok := m.Window(query.Size, t, 0); ok && m.OfSets() {
		low, high = w.Low, w.High
	}
	var needs needs
	var fit [slabSets]uint16
	for i := lo; i < min(hi, v.n); {
		c, j := v.slabs[i/slabSets], i%slabSets
		end := min(slabSets, j+min(hi, v.n)-i)
		first, n, low := i-j, 0, min(low, long)
		for ; j < end; i, j = i+1, j+1 { // branchless: fitting sizes are unpredictable
			fit[n%slabSets] = uint16(j)
			size := uint64(c.distinct[j])
			n += 1 - int((size-low)>>63|(high-size)>>63)
		}
		for _, j := range fit[:n] {
			size := c.size(uint32(j))
			need := needs.of(m, query.Size, size, t)
			if min(size.Distinct, query.Distinct) < need {
				continue // including long sets that do not fit
			}
			inWindow++
			if SharedBound(size.Distinct, query.Distinct, query.Signature, c.facts().signature(uint32(j))) >= need {
				dst = append(dst, first+uint32(j))
			}
		}
	}
	return dst, inWindow
}

// SharedBound returns an upper bound of the members that sets of n and m members share, from their
// signatures a and b: each unshared member changes at most one bit.
func SharedBound(n, m uint64, a, b sketch.Signature) uint64 {
	dist := min(uint64(sketch.Distance(a, b)), n+m)
	return min(n, m, (n+m-dist)/2)
}

// MayResemble reports whether the signatures a and b admit a resemblance ≥ t of sets of n and m
// members that passed the length filter.
func MayResemble(t api.Threshold, n, m uint64, a, b sketch.Signature) bool {
	shared := SharedBound(n, m, a, b)
	return t.Admits(shared, n+m-shared)
}

// ScanNear appends the sets in [lo, hi) with a SimHash within dist bits of q, ascending. It
// compares q with every fingerprint, and is exact for any dist.
func ScanNear(v View, lo, hi uint32, q uint64, dist int, dst []uint32) []uint32 {
	var near [scanSlabs][slabSets / 64]uint64
	for i := lo; i < min(hi, v.n); {
		if hashes, ok := v.whole(i, hi); ok {
			for rows := sketch.NearArrays(&near, &hashes, q, dist); rows != 0; rows &= rows - 1 {
				a := uint32(bits.TrailingZeros32(rows))
				dst = v.slabs[i/slabSets+a].appendSets(i+a*slabSets, 0, &near[a], dst)
			}
			i += scanSlabs * slabSets
			continue
		}
		c, j, end := v.stretch(i, hi)
		dst = c.near(i, j, end, q, dist, dst)
		i += end - j
	}
	return dst
}

// ScanNearBatch is ScanNear for several fingerprints: it appends the results for qs[k] to
// dst[k]. It reads each slab from memory once for eight fingerprints.
func ScanNearBatch(v View, lo, hi uint32, qs []uint64, dist int, dst [][]uint32) {
	var near [scanSlabs][8][slabSets / 64]uint64
	for i := lo; i < min(hi, v.n); {
		hashes, ok := v.whole(i, hi)
		_, j, end := v.stretch(i, hi)
		k := 0
		for ; ok && k+8 <= len(qs); k += 8 {
			for rows := sketch.NearManyArrays(&near, &hashes, (*[8]uint64)(qs[k:]), dist); rows != 0; rows &= rows - 1 {
				r := uint32(bits.TrailingZeros32(rows))
				a, l := r/8, k+int(r%8)
				dst[l] = v.slabs[i/slabSets+a].appendSets(i+a*slabSets, 0, &near[a][r%8], dst[l])
			}
		}
		next := i + end - j
		if ok {
			next = i + scanSlabs*slabSets
		}
		for ; k < len(qs); k++ {
			dst[k] = ScanNear(v, i, next, qs[k], dist, dst[k])
		}
		i = next
	}
}

// scanSlabs is the number of slabs scanned at a time.
const scanSlabs = 4

// whole returns the fingerprints of the next scanSlabs slabs, from set i < v.n on. ok is false
// if they are incomplete or extend beyond hi.
func (v View) whole(i, hi uint32) (hashes [scanSlabs]*[slabSets]uint64, ok bool) {
	if i%slabSets != 0 || uint64(i)+scanSlabs*slabSets > uint64(min(hi, v.n)) {
		return hashes, false
	}
	for a := range hashes {
		hashes[a] = v.slabs[i/slabSets+uint32(a)].facts().simHash
	}
	return hashes, true
}

// near is ScanNear for places [j, end) of the slab. i is the number of the set at j.
func (c *slab) near(i, j, end uint32, q uint64, dist int, dst []uint32) []uint32 {
	var near [slabSets / 64]uint64
	sketch.NearMask(near[:], c.facts().simHash[j:end], q, dist)
	return c.appendSets(i, j, &near, dst)
}

// appendSets appends the sets with a bit in near, except holes. Bit 0 stands for set i, at place
// j.
func (c *slab) appendSets(i, j uint32, near *[slabSets / 64]uint64, dst []uint32) []uint32 {
	for w, word := range near {
		for ; word != 0; word &= word - 1 {
			k := uint32(64*w + bits.TrailingZeros64(word))
			if c.distinct[j+k] > 0 {
				dst = append(dst, i+k)
			}
		}
	}
	return dst
}
