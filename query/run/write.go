package run

// Statements that change a store or read all of it. A statement that finds its documents by
// a search works in batches: if it is interrupted, some documents are changed, and
// repeating it completes the change.

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/query/plan"
	"github.com/simdb/simdb/query/syntax"
)

// writer executes the statements that change a store or read all of it.
type writer struct {
	ctx  context.Context
	db   *engine.DB
	plan *plan.Planner
}

// insert stores all rows of one INSERT or none, unless it has a condition. It replaces a
// document with the same id, as every write does.
func (w writer) insert(s *syntax.Insert) (*Answer, error) {
	docs, err := w.plan.Documents(s)
	if err != nil {
		return nil, err
	}
	if s.Unless != nil {
		return w.insertUnless(s, docs)
	}
	// Every mistake must surface before the first write.
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
	return newAnswer(insertColumns, []any{int64(st.Inserted), int64(st.Replaced)}), nil
}

// insertUnless stores each document unless a similar one exists, and returns one row per
// document. The columns of the match are NULL for a stored document.
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
	columns := slices.Concat(unlessColumns, plan.Scores(q, false))
	rows := make([][]any, len(docs))
	for i, d := range docs {
		rows[i] = append([]any{d.ID, true}, make([]any, len(columns)-2)...)
	}
	// Op is the index of the document in the batch, and so the row.
	for _, d := range b.Dropped() {
		rows[d.Op] = []any{d.ID, false, d.Match.ID, d.Match.Sim, int64(d.Match.Shared), int64(d.Match.Union)}
		if q.Measure.OfFingerprints() {
			rows[d.Op] = []any{d.ID, false, d.Match.ID, d.Match.Sim, int64(d.Match.Dist)}
			if !d.Measure.OfFingerprints() { // unique_sim compares sets, not distances
				rows[d.Op][4] = nil
			}
		}
	}
	return newAnswer(columns, rows...), nil
}

// create creates a collection.
func (w writer) create(s *syntax.Create) (*Answer, error) {
	settings, err := w.plan.Settings(s)
	if err != nil {
		return nil, err
	}
	if err := w.db.CreateCollection(w.ctx, s.Name.Text, settings); err != nil {
		return nil, plan.Refused(s, err)
	}
	return newAnswer(createColumns, []any{s.Name.Text}), nil
}

// drop drops a collection or groups.
func (w writer) drop(at syntax.Pos, name syntax.Name, drop func(context.Context, string) error) (*Answer, error) {
	if err := w.plan.Done(at); err != nil {
		return nil, err
	}
	if err := drop(w.ctx, name.Text); err != nil {
		return nil, plan.Placed(name.Pos, err)
	}
	return newAnswer(dropColumns, []any{name.Text}), nil
}

// createGroups computes and stores groups.
func (w writer) createGroups(s *syntax.CreateGroups) (*Answer, error) {
	g, err := w.plan.Grouping(s)
	if err != nil {
		return nil, err
	}
	if err := w.db.CreateGroups(w.ctx, g); err != nil {
		return nil, plan.Placed(s.Name.Pos, err)
	}
	return newAnswer(createColumns, []any{s.Name.Text}), nil
}

// check verifies the whole store.
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
	// An empty list of problems alone would not show that anything was checked.
	notes := []string{fmt.Sprintf("checked %d documents, %d sets and %d postings: %d problems",
		report.Documents, report.Sets, report.Postings, report.Found)}
	if more := report.Found - int64(len(report.Problems)); more > 0 {
		notes = append(notes, fmt.Sprintf("%d more problems are not listed", more))
	}
	return newAnswer(problemColumns, rows...).withNotes(notes), nil
}

// compact compacts the store, and returns its size in bytes before and after.
func (w writer) compact(s *syntax.Compact) (*Answer, error) {
	if err := w.plan.Done(s.Pos); err != nil {
		return nil, err
	}
	before := w.db.Metrics().DiskBytes
	if err := w.db.Compact(w.ctx); err != nil {
		return nil, err
	}
	return newAnswer(compactColumns, []any{before, w.db.Metrics().DiskBytes}), nil
}

// deleteBatch is the number of documents per batch of DELETE. updateBytes is the
// approximate bound in bytes for the changes per batch of UPDATE.
const (
	// A batch is held in memory, and its commit blocks other writers.
	deleteBatch = 1000
	updateBytes = 8 << 20
)

// change executes a statement that finds its documents in a snapshot.
func (w writer) change(one plan.Store, s syntax.Statement) (*Answer, error) {
	switch s := s.(type) {
	case *syntax.Update:
		return w.update(s)
	case *syntax.Delete:
		return w.delete(s)
	default:
		return w.deleteDuplicates(one, s.(*syntax.Duplicates))
	}
}

// delete deletes the documents that a WHERE finds; ERASE also removes their traces.
func (w writer) delete(s *syntax.Delete) (*Answer, error) {
	p, err := w.plan.Chosen(s, s.From, s.Where)
	if err != nil {
		return nil, err
	}
	var deleted int64
	remove, columns := (*engine.Batch).Delete, deleteColumns
	if s.Erase {
		remove, columns = (*engine.Batch).Erase, eraseColumns
	}
	err = w.inBatches(p, deleteBatch, remove,
		func(b *engine.Batch) error {
			st, err := w.db.Commit(w.ctx, b)
			deleted += int64(st.Deleted)
			return err
		})
	if err != nil {
		return nil, err
	}
	notes := p.Met()
	if s.Erase && deleted > 0 {
		notes = append(notes, traces)
	} else if s.Erase {
		notes = append(notes, "no document found; ERASE 'id' also erases documents that were deleted or refused before")
	}
	return newAnswer(columns, []any{deleted}).withNotes(notes), nil
}

// Notes on the work that an erasure leaves.
const (
	traces      = "erased text remains in files until COMPACT, and in older backups"
	olderCopies = "backups keep these traces until the next incremental backup after COMPACT, other copies until their deletion"
	noTraces    = "no traces in documents, ledger, log, history and notes; free space of files may have some until COMPACT"
)

// erase erases traces of documents, or of a collection, and returns the places that had some.
func (w writer) erase(s syntax.Statement) (*Answer, error) {
	in, ids, err := w.plan.Erased(s)
	if err != nil {
		return nil, err
	}
	found, err := w.db.EraseTraces(w.ctx, in, ids)
	if err != nil {
		return nil, plan.Placed(s.Place(), err)
	}
	var rows [][]any
	for _, x := range found {
		rows = append(rows, []any{x.Place, x.Traces, x.Until})
	}
	notes := []string{olderCopies}
	if len(found) == 0 {
		notes = []string{noTraces}
	}
	return newAnswer(traceColumns, rows...).withNotes(notes), nil
}

// update changes metadata fields. The texts stay.
func (w writer) update(s *syntax.Update) (*Answer, error) {
	change, err := w.plan.Changes(s)
	if err != nil {
		return nil, err
	}
	p, err := w.plan.Chosen(s, s.In, s.Where)
	if err != nil {
		return nil, err
	}
	encoded, err := json.Marshal(change)
	if err != nil {
		return nil, plan.ErrorAt(s.Set[0].Pos, "values that JSON can represent", err.Error(), "")
	}
	// The change repeats for every document of a batch, so a long one makes batches
	// smaller.
	most := min(deleteBatch, 1+updateBytes/len(encoded))
	var updated int64
	err = w.inBatches(p, most, func(b *engine.Batch, collection, id string) { b.UpdateMeta(collection, id, change) },
		func(b *engine.Batch) error {
			st, err := w.db.Commit(w.ctx, b)
			updated += int64(st.Updated)
			return plan.Placed(s.Set[0].Pos, err)
		})
	if err != nil {
		return nil, err
	}
	return newAnswer(updateColumns, []any{updated}).withNotes(p.Met()), nil
}

// inBatches changes the documents of a plan, up to size of them per batch.
func (w writer) inBatches(p *plan.Plan, size int, change func(b *engine.Batch, collection, id string), commit func(*engine.Batch) error) error {
	in, _, err := p.Start(w.ctx, p.Search)
	if err != nil {
		return err
	}
	var b engine.Batch
	for rec, err := range filterRecords(w.ctx, p, in, &counts{}) {
		if err != nil {
			return err
		}
		collection, id := rec.Document()
		if change(&b, collection, id); b.Len() == size {
			if err := commit(&b); err != nil {
				return err
			}
			// A committed batch must not be used again.
			b = engine.Batch{}
		}
	}
	if b.Len() == 0 {
		return nil
	}
	return commit(&b)
}

// deleteDuplicates deletes all duplicates except the kept ones. It also keeps a duplicate if
// the duplicate or its similar kept document has changed since the snapshot, and counts it in
// the column changed.
func (w writer) deleteDuplicates(one plan.Store, s *syntax.Duplicates) (*Answer, error) {
	p, err := w.plan.Search(s)
	if err != nil {
		return nil, err
	}
	if err := w.plan.Done(s.Pos); err != nil {
		return nil, err
	}
	res, err := one.Dedupe(w.ctx, p.Search, api.Keep(s.Keep))
	if err != nil {
		return nil, p.Placed(err)
	}
	var deleted, changed int64
	// The engine compares each document with the snapshot before deleting it.
	for row, err := range w.db.DeleteDuplicates(w.ctx, p.Search, res.All) {
		switch {
		case err != nil:
			return nil, err
		case row.Changed:
			changed++
		case !row.Keep:
			deleted++
		}
	}
	return newAnswer(duplicatesColumns, []any{deleted, changed}), nil
}
