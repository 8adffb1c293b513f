package index

// This file scans the signatures of sets.

import (
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/sketch"
)

// ScanSignatures appends the sets in [lo, hi) that pass the length filter and
// the signature bound for a score ≥ t by a measure of bags, ascending. It loses
// no match. inWindow counts the sets that
// passed the length filter.
func ScanSignatures(v View, lo, hi uint32, m measure.Formula, t measure.Threshold, query Facts, dst []uint32) (out []uint32, inWindow int) {
	if m == measure.Resemblance {
		return scanJaccard(v, lo, hi, t, query, dst)
	}
	for i := lo; i < min(hi, v.n); i++ {
		size := v.Size(i)
		if size.Distinct == 0 {
			continue
		}
		shared := min(size.Distinct, query.Distinct)
		if !m.Bound(query.Size, size, shared).Reaches(t) {
			continue
		}
		inWindow++
		shared = SharedBound(size.Distinct, query.Distinct, query.Signature, v.Signature(i))
		if m.Bound(query.Size, size, shared).Reaches(t) {
			dst = append(dst, i)
		}
	}
	return dst, inWindow
}

// scanJaccard does the same for resemblance, where the length filter is a
// window of sizes. The processor cannot predict whether a size is in the
// window. So the numbers of the sets in it are gathered first, without a
// branch.
func scanJaccard(v View, lo, hi uint32, t measure.Threshold, probe Facts, dst []uint32) (out []uint32, inWindow int) {
	shortest, longest := window(t, int(probe.Distinct))
	var apart [512]struct{ size, most int } // by size, what was computed last
	var fit [slabSets]uint16
	for i := lo; i < min(hi, v.n); {
		c, j := v.slabs[i/slabSets], i%slabSets
		end := min(slabSets, j+min(hi, v.n)-i)
		first := i - j
		n := 0
		for ; j < end; i, j = i+1, j+1 {
			fit[n%slabSets] = uint16(j)
			size := uint64(c.distinct[j])
			n += 1 - int((size-uint64(shortest))>>63|(uint64(longest)-size)>>63)
		}
		inWindow += n
		if n == 0 {
			continue // their facts need not be fetched
		}
		facts := c.facts()
		for _, j := range fit[:n] {
			size := int(c.distinct[j])
			a := &apart[size%len(apart)]
			if a.size != size {
				a.size, a.most = size, mostApart(t, uint64(size), probe.Distinct)
			}
			if sketch.Distance(facts.signature(uint32(j)), probe.Signature) <= a.most {
				dst = append(dst, first+uint32(j))
			}
		}
	}
	return dst, inWindow
}

// SharedBound returns the most members that sets of n and m members can share,
// by their signatures. Each member that they do not share changes at most one
// bit.
func SharedBound(n, m uint64, a, b sketch.Signature) uint64 {
	dist := min(uint64(sketch.Distance(a, b)), n+m)
	return min(n, m, (n+m-dist)/2)
}

// mostApart returns in how many bits the signatures of sets of n and m members
// with resemblance ≥ t may differ, if their sizes pass the length filter. As
// with SharedBound, it is one bit for each member that they do not share.
func mostApart(t measure.Threshold, n, m uint64) int {
	return int(n + m - 2*min(t.Overlap(n+m), n, m))
}

// MayResemble is the signature filter for resemblance ≥ t, for sets whose sizes
// passed the length filter.
func MayResemble(t measure.Threshold, n, m uint64, a, b sketch.Signature) bool {
	shared := SharedBound(n, m, a, b)
	return t.Admits(shared, n+m-shared)
}
