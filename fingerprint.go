package simdb

import (
	"context"
	"fmt"
	"iter"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/query"
)

// Fingerprint is the 64-bit SimHash of a text: texts that have much in common
// differ in few bits. Its operations are those of paper 002.
type Fingerprint uint64

// FingerprintOf computes the fingerprint of a text as a collection of these
// settings does; the zero Settings are those of a collection that was made
// without any. It reports false for a text too short for a shingle, which has
// no fingerprint. ErrInvalid for a Unit or K that CreateCollection refuses too.
func FingerprintOf(s string, settings Settings) (Fingerprint, bool, error) {
	v, ok, err := engine.FingerprintOf(s, settings)
	return Fingerprint(v), ok, err
}

// ParseFingerprint reads 64 binary digits, the highest bit first. ErrInvalid for
// anything else.
func ParseFingerprint(s string) (Fingerprint, error) {
	if len(s) != 64 || strings.Trim(s, "01") != "" {
		return 0, invalid("fingerprint %q: want 64 binary digits", s)
	}
	v, err := strconv.ParseUint(s, 2, 64)
	return Fingerprint(v), err
}

// String returns 64 binary digits, the highest bit first.
func (f Fingerprint) String() string { return fmt.Sprintf("%064b", uint64(f)) }

// Distance is the number of bits in which two fingerprints differ, 0 to 64.
func (f Fingerprint) Distance(other Fingerprint) int { return bits.OnesCount64(uint64(f ^ other)) }

// Similarity is (64 − Distance) / 64.
func (f Fingerprint) Similarity(other Fingerprint) float64 {
	return measure.Hamming(uint64(f), uint64(other)).Sim()
}

// IsSimilar reports whether the similarity is min or more, exactly.
func (f Fingerprint) IsSimilar(other Fingerprint, min Threshold) bool {
	return measure.Hamming(uint64(f), uint64(other)).Reaches(min)
}

// ByFingerprint probes with the fingerprint of a text that is not at hand; Using
// SimHash only.
func ByFingerprint(f Fingerprint) Target { return engine.ByFingerprint(uint64(f)) }

// Fingerprint returns the fingerprint of a stored document; false if its text
// is too short to have one. ErrNotFound if there is no document of that id;
// collection "" is docs.
func (db *DB) Fingerprint(ctx context.Context, collection, id string) (Fingerprint, bool, error) {
	info, err := at(ctx, db, func(s *Snapshot) (DocInfo, error) { return s.Info(collection, id) })
	return Fingerprint(info.SimHash), err == nil && info.Shingles > 0, err
}

// FindSimilar is Similar by fingerprints: Using(SimHash) and, unless an option
// says otherwise, at or above 0.8. ErrInvalid for Using with another measure.
func (db *DB) FindSimilar(ctx context.Context, target Target, opts ...SearchOption) iter.Seq2[Match, error] {
	return db.Similar(ctx, target, byFingerprints(opts)...)
}

// byFingerprints are the options of a search by fingerprints.
func byFingerprints(opts []SearchOption) []SearchOption {
	only := func(s *search) {
		if s.Measure != SimHash {
			s.fail("FindSimilar compares fingerprints: Using(%s) is for Similar", s.Measure)
		}
	}
	return slices.Concat([]SearchOption{Using(SimHash)}, opts, []SearchOption{only})
}

// FindSimilarEach is FindSimilar for several targets at once, of which rows[i]
// are those of targets[i]: what each alone would find, from one snapshot and in
// less time than one after the other.
func (db *DB) FindSimilarEach(ctx context.Context, targets []Target, opts ...SearchOption) (rows [][]Match, err error) {
	q, err := newSearch(byFingerprints(opts))
	if err != nil {
		return nil, err
	}
	q.ofOne()
	return at(ctx, db, func(s *Snapshot) ([][]Match, error) {
		filter, err := q.filter(ctx, query.One(s), query.ForSimilar)
		if err != nil {
			return nil, err
		}
		results, err := s.SimilarEach(ctx, targets, q.Search)
		if err != nil {
			return nil, err
		}
		rows := make([][]Match, len(results))
		for i, r := range results {
			for m, err := range query.Filtered(filter, r.All, q.limit) {
				if err != nil {
					return nil, err
				}
				rows[i] = append(rows[i], m)
			}
		}
		return rows, nil
	})
}
