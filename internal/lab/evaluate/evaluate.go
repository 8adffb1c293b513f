// Package evaluate tells which measure, which settings and which threshold suit
// the texts of a collection, by what its owner knows about some of them: pairs
// that are similar and pairs that are not, or queries with their right answers.
// A snapshot and a truth come in, a report with a recommendation goes out.
package evaluate

import (
	"context"
	"fmt"
	"os"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/internal/lab"
)

// An Evaluation says what is evaluated.
type Evaluation struct {
	Collection string
	Truth      string // the name of a CSV file
	Goal       string // one of Goals
}

// Run scores the pairs of the truth by all settings, and writes RESULTS.md,
// settings.csv and thresholds.csv to o.Out.
func (e Evaluation) Run(ctx context.Context, db *simdb.DB, o lab.Options) error {
	snap, err := db.Snapshot()
	if err != nil {
		return err
	}
	defer snap.Close()
	s := store{snap, e.Collection}
	if _, err := snap.Collection(e.Collection); err != nil {
		return err
	}
	f, err := os.Open(e.Truth)
	if err != nil {
		return err
	}
	defer f.Close()
	known, err := readTruth(f, s.has)
	if err != nil {
		return fmt.Errorf("%s: %w", e.Truth, err)
	}
	if err := s.check(ctx, known); err != nil {
		return fmt.Errorf("%s: %w", e.Truth, err)
	}
	t, all, err := s.judge(ctx, known, o)
	if err != nil {
		return err
	}
	r, err := e.report(ctx, t, all, o)
	if err != nil {
		return err
	}
	return r.Write(o.Out)
}

// judge makes pairs of a truth and scores them.
func (s store) judge(ctx context.Context, known truth, o lab.Options) (t *task, all []*judged, err error) {
	if t = newTask(known.rows); known.queries {
		if t, err = s.pool(ctx, known, o); err != nil {
			return nil, nil, err
		}
	}
	weight, err := s.weights(ctx, t)
	if err != nil {
		return nil, nil, err
	}
	scores, err := s.score(ctx, t, readings(weight), o)
	if err != nil {
		return nil, nil, err
	}
	for _, one := range scores {
		all = append(all, judge(t, one))
	}
	return t, all, nil
}
