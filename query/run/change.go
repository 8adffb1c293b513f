package run

// The statements that change the documents which a search finds. They work in batches: if one
// is interrupted, some of the documents are changed, and it can be run again.

import (
	"encoding/json"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/query/plan"
	"github.com/simdb/simdb/query/syntax"
)

// deleteBatch is how many documents DELETE removes at a time, and updateBytes bounds the
// changes that UPDATE stores at a time, about.
const (
	deleteBatch = 1000
	updateBytes = 8 << 20
)

// change answers a statement that finds what it changes in a snapshot.
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

func (w writer) delete(s *syntax.Delete) (*Answer, error) {
	p, err := w.plan.Chosen(s, s.From, s.Where)
	if err != nil {
		return nil, err
	}
	var deleted int64
	err = w.inBatches(p, deleteBatch, func(b *engine.Batch, collection, id string) { b.Delete(collection, id) },
		func(b *engine.Batch) error {
			st, err := w.db.Commit(w.ctx, b)
			deleted += int64(st.Deleted)
			return err
		})
	if err != nil {
		return nil, err
	}
	return fixed([]string{"deleted"}, []any{deleted}).noted(p.Lists()), nil
}

// update changes fields of the metadata; the texts stay.
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
		return nil, plan.ErrorAt(s.Set[0].Pos, "values that JSON has", err.Error(), "")
	}
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
	return fixed([]string{"updated"}, []any{updated}).noted(p.Lists()), nil
}

// inBatches changes the documents of a plan, at most so many at a time.
func (w writer) inBatches(p *plan.Plan, most int, change func(b *engine.Batch, collection, id string), commit func(*engine.Batch) error) error {
	in, _, err := p.Start(w.ctx, p.Search)
	if err != nil {
		return err
	}
	var b engine.Batch
	for rec, err := range keeping(w.ctx, p, in, &counts{}) {
		if err != nil {
			return err
		}
		collection, id := rec.Document()
		if change(&b, collection, id); b.Len() == most {
			if err := commit(&b); err != nil {
				return err
			}
			b = engine.Batch{}
		}
	}
	if b.Len() == 0 {
		return nil
	}
	return commit(&b)
}

// deleteDuplicates removes the documents that go. What others have written meanwhile is
// left, and counted as changed.
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
	for row, err := range w.db.DeleteDuplicates(w.ctx, res.All) {
		switch {
		case err != nil:
			return nil, err
		case row.Changed:
			changed++
		case !row.Keep:
			deleted++
		}
	}
	return fixed([]string{"deleted", "changed"}, []any{deleted, changed}), nil
}
