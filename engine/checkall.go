package engine

// The door to package check, which looks at one moment of the store. The constraint of a
// collection is checked here, because that takes a join.

import (
	"context"
	"fmt"
	"time"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/check"
	"github.com/simdb/simdb/engine/internal/pairs"
	"github.com/simdb/simdb/engine/internal/view"
)

// Check recomputes everything derived from the documents, as of now, and says
// where the store differs. If it does not, a sample of searches and joins is held
// against the scan, for a second or a twentieth of the time. An error means that it could not look, not that it
// found something. progress, if not nil, is told how many documents are done.
func (db *DB) Check(ctx context.Context, progress func(done, total int64)) (*api.CheckReport, error) {
	return db.check(ctx, progress, true)
}

// check is Check, with the sample of answers or without.
func (db *DB) check(ctx context.Context, progress func(done, total int64), answers bool) (*api.CheckReport, error) {
	if err := db.enter(ctx); err != nil {
		return nil, err
	}
	defer db.gate.leave()
	ctx, cancel := db.shared.Bound(ctx)
	defer cancel()
	s := db.snapshot()
	defer s.close()
	begin := time.Now()
	report, err := check.All(ctx, s.moment, progress)
	for _, v := range s.moment.Views {
		if err == nil && v.Unique != (api.Threshold{}) {
			err = checkConstraint(ctx, s.moment, v, report)
		}
	}
	if err == nil && answers && report.Found == 0 { // else answers differ because of what was found
		err = compareAnswers(ctx, s.moment, report, begin)
	}
	return report, db.shared.ClosedOr(err)
}

// checkConstraint reports the pairs that a collection with unique_sim must not have.
func checkConstraint(ctx context.Context, m *view.Moment, v *view.View, report *api.CheckReport) error {
	r, err := pairs.Find(ctx, m, Search{In: []string{v.Name}, Min: v.Unique})
	if err == nil {
		for p, wrong := range r.All {
			if err = wrong; err != nil {
				break
			}
			check.Add(report, api.Problem{Kind: check.KindConstraint, Collection: v.Name, ID: p.A, What: fmt.Sprintf("similar to %q, sim %.6g (shared %d, union %d), and unique_sim is %s", p.B, p.Sim, p.Shared, p.Union, v.Unique)})
		}
	}
	if stop := m.Interrupted(ctx); stop != nil {
		return stop
	}
	if err != nil { // what is damaged has been named
		check.Add(report, api.Problem{Kind: check.KindConstraint, Collection: v.Name, What: fmt.Sprintf("unique_sim could not be checked: %v", err)})
	}
	return nil
}
