// Package evaluate tells which measure, which settings and which threshold suit
// the texts of a collection, by what its owner knows about some of them: pairs
// that are similar and pairs that are not, or queries with their right answers.
// A snapshot and a truth come in, a report with a recommendation goes out.
package evaluate

import (
	"cmp"
	"context"
	"fmt"
	"os"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/report"
)

// An Evaluation says what is evaluated.
type Evaluation struct {
	Collection string // with the queries
	Against    string // with their answers; "" is the same collection
	Truth      string // the name of a CSV file
	Goal       string // one of Goals

	settings api.Settings // of the collection that is searched
}

// Run scores the pairs of the truth by all settings.
func (e Evaluation) Run(ctx context.Context, db *simdb.DB, o report.Options) (*report.Report, error) {
	snap, err := db.Snapshot()
	if err != nil {
		return nil, err
	}
	defer snap.Close()
	s := store{snap, e.Collection, cmp.Or(e.Against, e.Collection)}
	for _, in := range []string{s.in, s.searched} {
		info, err := snap.Collection(in)
		if err != nil {
			return nil, err
		}
		e.settings = info.Settings
	}
	f, err := os.Open(e.Truth)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	known, err := readTruth(f, s.has, s.in != s.searched)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.Truth, err)
	}
	if err := s.check(ctx, known); err != nil {
		return nil, fmt.Errorf("%s: %w", e.Truth, err)
	}
	t, all, err := s.judge(ctx, known, o)
	if err != nil {
		return nil, err
	}
	return e.report(ctx, t, all, o)
}

// judge makes pairs of a truth and scores them.
func (s store) judge(ctx context.Context, known truth, o report.Options) (t *task, all []*judged, err error) {
	if t, err = s.task(ctx, known); err != nil {
		return nil, nil, err
	}
	scores, err := s.score(ctx, t, o)
	if err != nil {
		return nil, nil, err
	}
	for _, one := range scores {
		all = append(all, judge(t, one))
	}
	return t, all, nil
}
