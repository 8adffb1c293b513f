package run

// The statements that change a store or look at all of it.

import (
	"context"
	"fmt"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"

	"github.com/simdb/simdb/query/plan"
	"github.com/simdb/simdb/query/syntax"
)

// writer answers the statements that change a store or look at all of it.
type writer struct {
	ctx  context.Context
	db   *engine.DB
	plan *plan.Planner
}

// insert stores all rows of one INSERT or none, unless it has a condition. It replaces
// a document of the same id, as every write does.
func (w writer) insert(s *syntax.Insert) (*Answer, error) {
	docs, err := w.plan.Documents(s)
	if err != nil {
		return nil, err
	}
	if s.Unless != nil {
		return w.insertUnless(s, docs)
	}
	if err := w.plan.Done(s.Pos); err != nil {
		return nil, err
	}
	var b engine.Batch
	for _, d := range docs {
		b.Put(d)
	}
	st, err := w.db.Commit(w.ctx, &b)
	if err != nil {
		return nil, plan.Placed(s.Into.Pos, err)
	}
	return fixed([]string{"inserted", "replaced"}, []any{int64(st.Inserted), int64(st.Replaced)}), nil
}

// insertUnless stores the documents that nothing similar keeps out, and has a row for each
// document. Columns of the match are NULL of what was stored.
func (w writer) insertUnless(s *syntax.Insert, docs []api.Document) (*Answer, error) {
	q, err := w.plan.Condition(s.Unless)
	if err != nil {
		return nil, err
	}
	if err := w.plan.Done(s.Pos); err != nil {
		return nil, err
	}
	var b engine.Batch
	for _, d := range docs {
		b.PutUnlessSimilar(d, q)
	}
	if _, err := w.db.Commit(w.ctx, &b); err != nil {
		return nil, plan.Placed(s.Into.Pos, err)
	}
	columns := append([]string{"id", "stored", "like"}, plan.ScoreColumns(q.Measure, false)...)
	rows := make([][]any, len(docs))
	for i, d := range docs {
		rows[i] = append([]any{d.ID, true}, make([]any, len(columns)-2)...)
	}
	for _, d := range b.Dropped() {
		rows[d.Op] = []any{d.ID, false, d.Match.ID, d.Match.Sim, int64(d.Match.Shared), int64(d.Match.Union)}
		if q.Measure == api.SimHash {
			rows[d.Op] = []any{d.ID, false, d.Match.ID, d.Match.Sim, int64(d.Match.Dist)}
			if d.Measure != api.SimHash { // unique_sim compares sets, and knows no distance
				rows[d.Op][4] = nil
			}
		}
	}
	return fixed(columns, rows...), nil
}

func (w writer) create(s *syntax.Create) (*Answer, error) {
	settings, err := w.plan.Settings(s)
	if err != nil {
		return nil, err
	}
	if err := w.db.CreateCollection(w.ctx, s.Name.Text, settings); err != nil {
		return nil, plan.Refused(s, err)
	}
	return fixed([]string{"created"}, []any{s.Name.Text}), nil
}

func (w writer) drop(s *syntax.Drop) (*Answer, error) {
	if err := w.plan.Done(s.Pos); err != nil {
		return nil, err
	}
	if err := w.db.DropCollection(w.ctx, s.Name.Text); err != nil {
		return nil, plan.Placed(s.Name.Pos, err)
	}
	return fixed([]string{"dropped"}, []any{s.Name.Text}), nil
}

func (w writer) check(s *syntax.Check) (*Answer, error) {
	if err := w.plan.Done(s.Pos); err != nil {
		return nil, err
	}
	report, err := w.db.Check(w.ctx, nil)
	if err != nil {
		return nil, err
	}
	var rows [][]any
	for _, p := range report.Problems {
		rows = append(rows, []any{p.Collection, p.ID, p.What})
	}
	notes := []string{fmt.Sprintf("checked %d documents, %d sets and %d postings: %d problems",
		report.Documents, report.Sets, report.Postings, report.Found)}
	if more := report.Found - int64(len(report.Problems)); more > 0 {
		notes = append(notes, fmt.Sprintf("%d more problems are not listed", more))
	}
	return fixed([]string{"collection", "id", "problem"}, rows...).noted(notes), nil
}

func (w writer) compact(s *syntax.Compact) (*Answer, error) {
	if err := w.plan.Done(s.Pos); err != nil {
		return nil, err
	}
	before := w.db.Metrics().DiskBytes
	if err := w.db.Compact(w.ctx); err != nil {
		return nil, err
	}
	return fixed([]string{"bytes_before", "bytes_after"}, []any{before, w.db.Metrics().DiskBytes}), nil
}
