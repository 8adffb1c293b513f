package query

// INSERT … UNLESS SIMILAR: the condition, and what is said of each document.

import (
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
)

// condition reads what an INSERT compares by. Without a threshold the collection's
// unique_sim counts, or that of a search.
func (w writer) condition(u *Unless) (q engine.Search, err error) {
	m := methodOf(u.Using)
	q.Measure, q.Args, q.Access = m.Measure, m.Args, accessOf(u.Using)
	if err := q.CanGuard(); err != nil {
		at := u.Pos
		if u.Using != nil {
			at = u.Using.Pos
		}
		return q, placedAt(at, err)
	}
	if u.Where == nil {
		return q, nil
	}
	b, err := boundFinder{constant: w.args.constant, hash: q.Measure == api.SimHash}.find(u.Where)
	if err != nil {
		return q, err
	}
	if len(b.rest) > 0 || !b.given {
		return q, errorAt(u.Where.Place(), "sim >= and a number alone after UNLESS SIMILAR", "", "")
	}
	if b.min.compare(rational{den: 1}) == 0 { // which would mean that none was named
		return q, errorAt(u.Where.Place(), "a similarity above 0", "", "")
	}
	q.Min, _ = threshold(b.min)
	return q, nil
}

// insertUnless stores the documents that nothing similar keeps out, and has a row for each
// document. Columns of the match are NULL of what was stored.
func (w writer) insertUnless(s *Insert, docs []api.Document) (*Rows, error) {
	q, err := w.condition(s.Unless)
	if err != nil {
		return nil, err
	}
	if err := w.args.check(s.Pos); err != nil {
		return nil, err
	}
	var b engine.Batch
	for _, d := range docs {
		b.PutUnlessSimilar(d, q)
	}
	if _, err := w.db.Commit(w.ctx, &b); err != nil {
		return nil, placedAt(s.Into.Pos, err)
	}
	columns := append([]string{"id", "stored", "like"}, scoreColumns(q.Measure, false)...)
	rows := make([]Row, len(docs))
	for i, d := range docs {
		rows[i] = append(Row{d.ID, true}, make(Row, len(columns)-2)...)
	}
	for _, d := range b.Dropped() {
		rows[d.Op] = Row{d.ID, false, d.Match.ID, d.Match.Sim, int64(d.Match.Shared), int64(d.Match.Union)}
		if q.Measure == api.SimHash {
			rows[d.Op] = Row{d.ID, false, d.Match.ID, d.Match.Sim, int64(d.Match.Dist)}
			if d.Measure != api.SimHash { // unique_sim compares sets, and knows no distance
				rows[d.Op][4] = nil
			}
		}
	}
	return fixed(columns, rows...), nil
}
