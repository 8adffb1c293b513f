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
	var needs needs
	for i := lo; i < min(hi, v.n); i++ {
		size := v.Size(i)
		if size.Distinct == 0 {
			continue
		}
		need := needs.of(m, query.Size, size, t)
		if min(size.Distinct, query.Distinct) < need {
			continue
		}
		inWindow++
		if SharedBound(size.Distinct, query.Distinct, query.Signature, v.Signature(i)) >= need {
			dst = append(dst, i)
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
func MayResemble(t measure.Threshold, n, m uint64, a, b sketch.Signature) bool {
	shared := SharedBound(n, m, a, b)
	return t.Admits(shared, n+m-shared)
}
