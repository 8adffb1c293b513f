package index

// This file scans the signatures of sets.

import (
	"math"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/sketch"
)

// ScanSignatures appends the sets in [lo, hi) that pass the length filter and
// the signature bound for a score ≥ t by a measure of bags, ascending. It loses
// no match. inWindow counts the sets that
// passed the length filter.
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
		first, n := i-j, 0
		for ; j < end; i, j = i+1, j+1 { // without a branch: nobody can foretell which sizes fit
			fit[n%slabSets] = uint16(j)
			size := uint64(c.distinct[j])
			n += 1 - int((size-low)>>63|(high-size)>>63)
		}
		for _, j := range fit[:n] {
			size := measure.Size{Distinct: uint64(c.distinct[j]), Total: uint64(c.total[j])}
			need := needs.of(m, query.Size, size, t)
			if min(size.Distinct, query.Distinct) < need {
				continue
			}
			inWindow++
			if SharedBound(size.Distinct, query.Distinct, query.Signature, c.facts().signature(uint32(j))) >= need {
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

// MayResemble is the signature filter for resemblance ≥ t, for sets whose sizes
// passed the length filter.
func MayResemble(t api.Threshold, n, m uint64, a, b sketch.Signature) bool {
	shared := SharedBound(n, m, a, b)
	return t.Admits(shared, n+m-shared)
}
