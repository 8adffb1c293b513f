package simdb

import (
	"context"
	"iter"
	"slices"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"

	"github.com/simdb/simdb/query"
)

// FingerprintOf computes the fingerprint of a text as a collection of these
// settings does; the zero Settings are those of a collection that was made
// without any. It reports false for a text too short for a shingle, which has
// no fingerprint. ErrInvalid for a Unit or K that CreateCollection refuses too.
func FingerprintOf(s string, settings api.Settings) (api.Fingerprint, bool, error) {
	v, ok, err := engine.FingerprintOf(s, settings)
	return api.Fingerprint(v), ok, err
}

// Fingerprint returns the fingerprint of a stored document; false if its text
// is too short to have one. ErrNotFound if there is no document of that id;
// collection "" is docs.
func (db *DB) Fingerprint(ctx context.Context, collection, id string) (api.Fingerprint, bool, error) {
	info, err := at(ctx, db, func(s *Snapshot) (api.DocInfo, error) { return s.Info(collection, id) })
	return api.Fingerprint(info.SimHash), err == nil && info.Shingles > 0, err
}

// FindSimilar is Similar by fingerprints: Using(SimHash) and, unless an option
// says otherwise, at or above 0.8. ErrInvalid for Using with another measure.
func (db *DB) FindSimilar(ctx context.Context, target api.Target, opts ...SearchOption) iter.Seq2[api.Match, error] {
	return db.Similar(ctx, target, byFingerprints(opts)...)
}

// byFingerprints are the options of a search by fingerprints.
func byFingerprints(opts []SearchOption) []SearchOption {
	only := func(s *search) {
		if s.Measure != api.SimHash {
			s.fail("FindSimilar compares fingerprints: Using(%s) is for Similar", s.Measure)
		}
	}
	return slices.Concat([]SearchOption{Using(api.SimHash)}, opts, []SearchOption{only})
}

// FindSimilarEach is FindSimilar for several targets at once, of which rows[i]
// are those of targets[i]: what each alone would find, from one snapshot and in
// less time than one after the other.
func (db *DB) FindSimilarEach(ctx context.Context, targets []api.Target, opts ...SearchOption) (rows [][]api.Match, err error) {
	q, err := newSearch(byFingerprints(opts))
	if err != nil {
		return nil, err
	}
	q.ofOne()
	return at(ctx, db, func(s *Snapshot) ([][]api.Match, error) {
		filter, err := q.filter(ctx, query.One(s), query.ForSimilar)
		if err != nil {
			return nil, err
		}
		results, err := s.SimilarEach(ctx, targets, q.Search)
		if err != nil {
			return nil, err
		}
		rows := make([][]api.Match, len(results))
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
