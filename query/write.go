package query

// The statements that change a store or look at all of it.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
)

// deleteBatch is how many documents DELETE removes at a time.
const deleteBatch = 1000

// writer answers the statements that change a store or look at all of it.
type writer struct {
	ctx  context.Context
	db   *engine.DB
	opts Options
	args *arguments
}

// insert stores all rows of one INSERT or none, unless it has a condition. It replaces
// a document of the same id, as every write does.
func (w writer) insert(s *Insert) (*Rows, error) {
	var docs []api.Document
	for _, row := range s.Rows {
		d, err := w.document(s, row)
		if err != nil {
			return nil, err
		}
		docs = append(docs, d)
	}
	if s.Unless != nil {
		return w.insertUnless(s, docs)
	}
	if err := w.args.check(s.Pos); err != nil {
		return nil, err
	}
	var b engine.Batch
	for _, d := range docs {
		b.Put(d)
	}
	st, err := w.db.Commit(w.ctx, &b)
	if err != nil {
		return nil, placedAt(s.Into.Pos, err)
	}
	return fixed([]string{"inserted", "replaced"}, Row{int64(st.Inserted), int64(st.Replaced)}), nil
}

func (w writer) document(s *Insert, row []Operand) (api.Document, error) {
	d := api.Document{Collection: s.Into.Text, Meta: api.Meta{}}
	for i, x := range row {
		switch name := s.Columns[i].Text; name {
		case "id":
			id, err := w.id(x)
			if err != nil {
				return d, err
			}
			d.ID = id
		case "text":
			text, err := w.args.string(x, "a text in quotes")
			if err != nil {
				return d, err
			}
			d.Text = text
		default:
			v, err := w.metadata(x)
			if err != nil {
				return d, err
			}
			d.Meta[name] = v
		}
	}
	return d, nil
}

// id reads an id. A whole number becomes its decimal text.
func (w writer) id(x Operand) (string, error) {
	v, err := w.args.constant(x)
	if err != nil {
		return "", err
	}
	switch v := v.(type) {
	case string:
		if v != "" {
			return v, nil
		}
	case rational:
		if _, whole := v.whole(); whole {
			return v.decimal(), nil
		}
	}
	return "", errorAt(x.Place(), "an id: a string that is not empty, or a whole number", show(v), "")
}

// metadata returns a value in the form that metadata has. A number stays as it was
// written or given, if that is valid JSON. An argument may also be a list or an object.
func (w writer) metadata(x Operand) (any, error) {
	switch x := x.(type) {
	case *List:
		list := make([]any, len(x.Items))
		for i, item := range x.Items {
			var err error
			if list[i], err = w.metadata(item); err != nil {
				return nil, err
			}
		}
		return list, nil
	case *Literal:
		if x.Kind == Number && json.Valid([]byte(x.Text)) {
			return json.Number(x.Text), nil
		}
		if x.Kind == Number && strings.Contains(x.Text, "/") {
			return nil, errorAt(x.Pos, "a decimal number", quote(x.Text), "")
		}
	case *Param:
		v, err := w.args.value(x)
		if err != nil {
			return nil, err
		}
		switch v := v.(type) {
		case map[string]any, api.Meta, []any, []string, json.Number, int, int64, uint64, float64:
			if f, ok := v.(float64); ok && normal(f) == nil { // no number
				return nil, nil
			}
			return v, nil
		}
	}
	v, err := w.args.constant(x)
	if r, ok := v.(rational); ok {
		return json.Number(r.decimal()), err
	}
	return v, err
}

// delete removes what its WHERE finds in a snapshot. It works in batches. If it
// is interrupted, some of the documents are gone, and it can be run again.
func (w writer) delete(s *Delete) (_ *Rows, err error) {
	snap, err := w.db.Snapshot()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, snap.Close()) }()
	p, err := w.chosen(snap, s, s.From, s.Where)
	if err != nil {
		return nil, err
	}
	var deleted int64
	err = w.inBatches(snap, p, deleteBatch, func(b *engine.Batch, d docRef) { b.Delete(d.collection, d.id) },
		func(b *engine.Batch) error {
			st, err := w.db.Commit(w.ctx, b)
			deleted += int64(st.Deleted)
			return err
		})
	if err != nil {
		return nil, err
	}
	out := fixed([]string{"deleted"}, Row{deleted})
	out.lists = p.lists
	return out, nil
}

// inBatches changes the documents of a plan, at most so many at a time.
func (w writer) inBatches(snap reader, p *plan, most int, change func(*engine.Batch, docRef), commit func(*engine.Batch) error) error {
	var b engine.Batch
	for rec, err := range p.documents(w.ctx, snap) {
		if err != nil {
			return err
		}
		if change(&b, rec.docs[0]); b.Len() == most {
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

// chosen plans a DELETE or UPDATE as a SELECT of the same documents.
func (w writer) chosen(snap reader, s Statement, in []Name, where Expr) (*plan, error) {
	pl := &planner{ctx: w.ctx, snap: snap, opts: w.opts, args: w.args}
	p := &plan{stmt: s}
	if err := pl.setSearch(p, s.Place(), &Search{In: in}); err != nil {
		return nil, err
	}
	if err := pl.selection(p, where); err != nil {
		return nil, err
	}
	if err := pl.checkMeta(p); err != nil {
		return nil, err
	}
	return p, w.args.check(s.Place())
}

func (w writer) create(s *Create) (*Rows, error) {
	settings, err := settingsOf(s.Settings, w.args, w.opts.readFile)
	if err != nil {
		return nil, err
	}
	if err := w.args.check(s.Pos); err != nil {
		return nil, err
	}
	if err := w.db.CreateCollection(w.ctx, s.Name.Text, settings); err != nil {
		at := s.Name.Pos
		if unread := readByEngine(s.Settings); len(unread) == 1 {
			at = unread[0].Value.Place()
		}
		if errors.Is(err, api.ErrExists) {
			at = s.Name.Pos
		}
		return nil, placedAt(at, err)
	}
	return fixed([]string{"created"}, Row{s.Name.Text}), nil
}

func (w writer) drop(s *Drop) (*Rows, error) {
	if err := w.args.check(s.Pos); err != nil {
		return nil, err
	}
	if err := w.db.DropCollection(w.ctx, s.Name.Text); err != nil {
		return nil, placedAt(s.Name.Pos, err)
	}
	return fixed([]string{"dropped"}, Row{s.Name.Text}), nil
}

func (w writer) check(s *Check) (*Rows, error) {
	if err := w.args.check(s.Pos); err != nil {
		return nil, err
	}
	report, err := w.db.Check(w.ctx, nil)
	if err != nil {
		return nil, err
	}
	var rows []Row
	for _, p := range report.Problems {
		rows = append(rows, Row{p.Collection, p.ID, p.What})
	}
	out := fixed([]string{"collection", "id", "problem"}, rows...)
	out.notes = []string{fmt.Sprintf("checked %d documents, %d sets and %d postings: %d problems",
		report.Documents, report.Sets, report.Postings, report.Found)}
	if more := report.Found - int64(len(report.Problems)); more > 0 {
		out.notes = append(out.notes, fmt.Sprintf("%d more problems are not listed", more))
	}
	return out, nil
}

func (w writer) compact(s *Compact) (*Rows, error) {
	if err := w.args.check(s.Pos); err != nil {
		return nil, err
	}
	before := w.db.Metrics().DiskBytes
	if err := w.db.Compact(w.ctx); err != nil {
		return nil, err
	}
	return fixed([]string{"bytes_before", "bytes_after"}, Row{before, w.db.Metrics().DiskBytes}), nil
}
