package search

// Verification of candidates. Cheap bounds come first, then the definition of the measure on
// full bags (docs/decisions/0002). fingerprints.go compares fingerprints, texts.go texts.

import (
	"context"

	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/progress"
)

// verify compares one candidate exactly and appends it if it is a match.
func (f *Finder) verify(set uint32, hits []Hit) ([]Hit, error) {
	bag := f.whole
	if f.probe.of != f.v || f.probe.set != set {
		var err error
		if bag, err = f.reader.Bag(set); err != nil {
			return hits, err
		}
	}
	f.plan.Candidates++
	f.plan.Verified++
	if score, ok := f.score(set, bag); ok {
		hits = append(hits, Hit{Set: set, Score: score})
	}
	return hits, nil
}

// admits reports whether a set of this size can reach the threshold with at most shared
// common shingles.
func (f *Finder) admits(size measure.Size, shared uint64) bool {
	b := f.formula.Bound(f.probe.facts.Size, size, shared)
	return b.Shared > 0 && b.Reaches(f.q.Min)
}

// possible returns an upper bound of the score of a set that shares at most so many shingles
// with the probe, from sizes and signatures; false if it is below the threshold.
func (f *Finder) possible(set uint32, shared uint64) (s measure.Score, ok bool) {
	size := f.v.Table.Size(set)
	if size.Distinct == 0 || !f.admits(size, shared) { // sizes first: a signature may wait for memory
		return s, false
	}
	s = f.formula.Bound(f.probe.facts.Size, size, min(shared, f.sharedBound(set, size)))
	return s, s.Shared > 0 && s.Reaches(f.q.Min)
}

// sharedBound returns an upper bound of the shingles that a set shares with the probe, from
// their signatures.
func (f *Finder) sharedBound(set uint32, size measure.Size) uint64 {
	return index.SharedBound(f.probe.facts.Distinct, size.Distinct, f.probe.facts.Signature, f.v.Table.Signature(set))
}

// verifyAll compares candidates exactly.
func (f *Finder) verifyAll(ctx context.Context, candidates []uint32) (hits []Hit, err error) {
	ctx, stage := progress.Begin(ctx, "sets compared", int64(len(candidates)))
	for _, set := range candidates {
		if err := f.m.Interrupted(ctx); err != nil {
			return nil, err
		}
		if hits, err = f.verify(set, hits); err != nil {
			return nil, err
		}
		stage.Add(1)
	}
	return hits, nil
}
