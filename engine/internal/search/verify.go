package search

// Verification: why a candidate is in the answer or not. Cheap bounds come first, then
// the measure's definition on full bags (docs/decisions/0002). Fingerprints are compared
// in fingerprints.go, texts in texts.go.

import (
	"errors"
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/internal/keys"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/shingle"
)

// verify compares one candidate exactly and appends it if it is a match. folded
// is its folded set, nil if not at hand.
func (f *Finder) verify(set uint32, folded []byte, hits []Hit) ([]Hit, error) {
	bag, cached := f.probe.bag, f.probe.of == f.v && f.probe.set == set
	if !cached {
		bag, cached = f.reader.Cached(set)
	}
	// A folded set at hand is worth a look always; reading it, where it tells more
	// sets off than it lets through.
	if look := folded != nil || f.passed.others > f.passed.alike; look && !cached && f.v.Folds {
		if ok, err := f.mayMatch(set, folded); err != nil || !ok {
			return hits, err
		}
	}
	if !cached {
		var err error
		if bag, err = f.reader.Bag(set); err != nil {
			return hits, err
		}
	}
	f.plan.Candidates++
	f.plan.Verified++
	score, ok := f.formula.Match(f.probe.bag, bag, f.q.Min)
	switch {
	case ok:
		hits = append(hits, Hit{Set: set, Score: score})
		f.passed.alike++
	case !cached:
		f.passed.others++
	}
	return hits, nil
}

// inMemory says whether the bag of a set is.
func (f *Finder) inMemory(set uint32) bool {
	if f.probe.of == f.v && f.probe.set == set {
		return true
	}
	_, cached := f.reader.Cached(set)
	return cached
}

// mayMatch is the folded filter: |A∩B| ≤ |f(A)∩f(B)| + min of the collisions. Where
// folded sets are not stored every set may match.
func (f *Finder) mayMatch(set uint32, value []byte) (ok bool, err error) {
	if !f.v.Folds {
		return true, nil
	}
	if value == nil {
		v, closer, err := f.m.Pebble.Get(f.v.Key(keys.Folded, set))
		if err != nil {
			return false, fmt.Errorf("folded set %d: %w", set, disk.PebbleError(err))
		}
		defer func() { err = errors.Join(err, closer.Close()) }()
		value = v
	}
	if f.folded == nil {
		f.folded = shingle.Fold(f.probe.bag.Set)
	}
	shared, err := sharedFolded(f.folded, value)
	if err != nil {
		return false, fault.Corrupt("folded set %d: %w", set, err)
	}
	shared += min(f.probe.facts.Collisions, f.v.Table.Collisions(set))
	ok = f.admits(f.v.Table.Size(set), shared)
	f.plan.Filter("folded set", true, 1, 0)
	if ok {
		f.plan.Filter("folded set", true, 0, 1)
	}
	return ok, nil
}

// sharedFolded counts what a folded set has in common with a stored one.
func sharedFolded(folded *roaring.Bitmap, stored []byte) (uint64, error) {
	other := roaring.New()
	if _, err := other.FromBuffer(stored); err != nil {
		return 0, err
	}
	return folded.AndCardinality(other), nil
}

// admits says whether a set of that size can reach the threshold with at most
// shared shingles in common.
func (f *Finder) admits(size measure.Size, shared uint64) bool {
	b := f.formula.Bound(f.probe.facts.Size, size, shared)
	return b.Shared > 0 && b.Reaches(f.q.Min)
}

// possible is a score that a set does not exceed which shares at most so many shingles
// with the probe, as sizes and signatures tell; false if it is below the threshold.
func (f *Finder) possible(set uint32, shared uint64) (s measure.Score, ok bool) {
	size := f.v.Table.Size(set)
	if size.Distinct == 0 || !f.admits(size, shared) { // before the signature, which waits for memory
		return s, false
	}
	s = f.formula.Bound(f.probe.facts.Size, size, min(shared, f.sharedBound(set, size)))
	return s, s.Shared > 0 && s.Reaches(f.q.Min)
}
