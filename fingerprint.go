package simdb

import (
	"context"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"

	"github.com/simdb/simdb/query"
)

// FingerprintOf computes the fingerprint of a text as a collection with these settings does; the
// zero Settings are the defaults. It returns ErrInvalid for a Unit or K that CreateCollection
// rejects.
func FingerprintOf(s string, settings api.Settings) (api.Fingerprint, error) {
	v, err := engine.FingerprintOf(s, settings)
	return api.Fingerprint(v), err
}

// Fingerprint returns the fingerprint of a stored document, or ErrNotFound. Collection "" is docs.
func (db *DB) Fingerprint(ctx context.Context, collection, id string) (api.Fingerprint, error) {
	return ask(ctx, db.reader, "Fingerprint", nil, func(m snapshot, _ *search) (api.Fingerprint, error) {
		info, err := m.all.Info(orDocs(collection), id)
		return api.Fingerprint(info.SimHash), err
	})
}

// SimilarEach runs Similar Using(api.SimHash) for several targets on one snapshot, which is faster
// than a call of Similar for each. rows[i] are the rows of targets[i].
func (db *DB) SimilarEach(ctx context.Context, targets []api.Target, opts ...SearchOption) (rows [][]api.Match, err error) {
	return ask(ctx, db.reader, "SimilarEach", opts, func(m snapshot, q *search) ([][]api.Match, error) {
		if len(q.methods) > 0 && !q.Measure.OfFingerprints() {
			return nil, invalid("SimilarEach compares fingerprints: Using(%s) is for Similar", q.Measure)
		}
		q.Measure = api.SimHash
		if q.ofOne(); q.cut.ByScore() {
			return nil, invalid("SimilarEach takes no OfBest and no WithTies: call Similar for each target")
		}
		filter, err := q.filter(ctx, m.all, query.ForSimilar)
		if err != nil {
			return nil, err
		}
		results, err := m.one.SimilarEach(ctx, targets, q.Search)
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
