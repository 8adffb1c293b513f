// Package evaluate recommends a measure, its settings and a threshold for a collection, from
// labelled pairs or from queries with their answers. Its input is a snapshot and a truth file,
// its output a report. It never changes a collection. Begin with Evaluation.Run.
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

// An Evaluation specifies a run.
type Evaluation struct {
	Collection string // collection of the queries
	Against    string // collection of the answers; "" means Collection
	Truth      string // path of a CSV file
	Goal       string // element of Goals

	settings api.Settings // of the searched collection
}

// Run scores the pairs of the truth with all settings and reports the best. Errors about the
// truth wrap ErrTruth.
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

// judge turns a truth into a task and scores it.
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
