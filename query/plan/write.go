package plan

// Writes: the documents and the condition of INSERT, the fields of UPDATE, and the
// documents that a WHERE chooses.

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/query/syntax"
	"github.com/simdb/simdb/query/value"
)

// Documents returns the documents of an INSERT.
func (pl *Planner) Documents(s *syntax.Insert) (docs []api.Document, err error) {
	for _, row := range s.Rows {
		d := api.Document{Collection: s.Into.Text, Meta: api.Meta{}}
		for i, x := range row {
			switch name := s.Columns[i].Text; name {
			case "id":
				d.ID = pl.id(x)
			case "text":
				d.Text, err = pl.args.string(x, "a text in quotes")
				pl.fail(err)
			default:
				d.Meta[name] = pl.metadata(x)
			}
		}
		docs = append(docs, d)
	}
	// The caller still calls Done, which also checks for unused arguments.
	return docs, pl.err
}

// Erased returns the collections and ids of an ERASE, or the collection of a DROP. The
// collections may be dropped ones.
func (pl *Planner) Erased(s syntax.Statement) (in, ids []string, err error) {
	switch s := s.(type) {
	case *syntax.Drop:
		in = []string{s.Name.Text}
	case *syntax.Erase:
		for _, n := range s.In {
			in = append(in, n.Text)
		}
		for _, x := range s.IDs {
			ids = append(ids, pl.id(x))
		}
		if in == nil {
			in = []string{api.DefaultCollection}
		}
	}
	return in, ids, pl.Done(s.Place())
}

// Traces returns the traces that an ERASE or a DROP would erase.
func (pl *Planner) Traces(ctx context.Context, s syntax.Statement) ([]engine.Trace, error) {
	in, ids, err := pl.Erased(s)
	if err != nil {
		return nil, err
	}
	found, err := pl.one.Traces(ctx, in, ids)
	return found, Placed(s.Place(), err)
}

// id reads an id. A whole number becomes its decimal text.
func (pl *Planner) id(x syntax.Operand) string {
	v := pl.constant(x)
	if s, ok := v.(string); ok && s != "" {
		return s
	}
	n := value.Number(v)
	if _, ok := value.Whole(n); !ok {
		pl.fail(ErrorAt(x.Place(), "an id: a string that is not empty, or a whole number", value.Show(v), ""))
		return ""
	}
	return value.Decimal(n)
}

// metadata returns a constant in the form of metadata. A number keeps its spelling if that
// is valid JSON. An argument may also be a list or an object.
func (pl *Planner) metadata(x syntax.Operand) any {
	switch x := x.(type) {
	case *syntax.List:
		list := make([]any, len(x.Items))
		for i, item := range x.Items {
			list[i] = pl.metadata(item)
		}
		return list
	case *syntax.Literal:
		if x.Kind == syntax.Number && json.Valid([]byte(x.Text)) {
			return json.Number(x.Text)
		}
		// JSON has no fractions, and 1/3 has no exact decimal.
		if x.Kind == syntax.Number && strings.Contains(x.Text, "/") {
			pl.fail(ErrorAt(x.Pos, "a decimal number", syntax.Quote(x.Text), ""))
		}
	case *syntax.Param:
		v, err := pl.args.value(x)
		pl.fail(err)
		switch v := v.(type) {
		case map[string]any, api.Meta, []any, []string, json.Number, int, int64, uint64, float64:
			// JSON has no NaN and no infinities.
			if f, ok := v.(float64); ok && value.Of(f) == nil { // not a number
				return nil
			}
			return v
		}
	}
	v := pl.constant(x)
	if n := value.Number(v); n != nil {
		return json.Number(value.Decimal(n))
	}
	return v
}

// Condition reads the UNLESS of an INSERT. Without a threshold it uses the collection's
// unique_sim, or the default of searches.
func (pl *Planner) Condition(u *syntax.Unless) (q engine.Search, err error) {
	m := methodOf(u.Using)
	q.Measure, q.Args, q.Access = m.Measure, m.Args, accessOf(u.Using)
	// A guard goes by the two texts alone, so not every search can be one.
	if err := q.CanGuard(); err != nil {
		at := u.Pos
		if u.Using != nil {
			at = u.Using.Pos
		}
		return q, Placed(at, err)
	}
	if u.Where == nil {
		return q, nil
	}
	// The engine checks the condition under its write lock, and knows only a threshold.
	b := boundFinder{Planner: pl, hash: q.Measure.OfFingerprints()}.find(u.Where)
	if len(b.rest) > 0 || !b.given {
		pl.fail(ErrorAt(u.Where.Place(), "sim >= and a number alone after UNLESS SIMILAR", "", ""))
	}
	if b.min.Sign() == 0 { // 0 would mean no threshold
		pl.fail(ErrorAt(u.Where.Place(), "a similarity above 0", "", ""))
	}
	q.Min, _ = threshold(b.min)
	return q, pl.err
}

// Changes returns the fields that an UPDATE sets.
func (pl *Planner) Changes(s *syntax.Update) (api.Meta, error) {
	change := api.Meta{}
	for _, a := range s.Set {
		if why := unchangeable(a.Field); why != "" {
			pl.fail(ErrorAt(a.Pos, "a field of the metadata", syntax.Quote(a.Field.Name), why))
		}
		change[a.Field.Name] = pl.metadata(a.Value)
	}
	return change, pl.err
}

// unchangeable returns the reason for which UPDATE cannot set a field; "" for metadata.
func unchangeable(f syntax.Step) string {
	name := strings.ToLower(f.Name)
	c := documentColumns[name].col
	if found, ok := foundColumns[name]; ok && c == nil {
		c = found.col
	}
	switch {
	// A quoted name is always metadata.
	case c == nil || f.Quoted:
		return ""
	case c == &colID:
		return "an id stays; INSERT the document under another, and DELETE it"
	case c == &colText:
		return "INSERT replaces a text, with all that is derived from it"
	case c == &colCollection:
		return "a document stays in its collection; INSERT it into another"
	case c.derived:
		return "it is derived from the text; a field of the metadata of this name stands in double quotes"
	}
	return ""
}
