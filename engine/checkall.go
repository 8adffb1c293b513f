package engine

// The door to package check, which looks at one moment of the store.

import (
	"context"

	"github.com/simdb/simdb/engine/internal/check"
)

// Check recomputes everything derived from the documents, as of now, and says
// where the store differs. An error means that it could not look, not that it
// found something. progress, if not nil, is told how many documents are done.
func (db *DB) Check(ctx context.Context, progress func(done, total int64)) (*CheckReport, error) {
	if err := db.enter(ctx); err != nil {
		return nil, err
	}
	defer db.gate.leave()
	ctx, cancel := db.shared.Bound(ctx)
	defer cancel()
	s := db.snapshot()
	defer s.close()
	report, err := check.All(ctx, s.moment, progress)
	return report, db.shared.ClosedOr(err)
}
