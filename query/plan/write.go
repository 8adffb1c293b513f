package plan

// What is written: the documents of INSERT and their condition, the fields of UPDATE, and the
// documents that a WHERE chooses.

import (
	"encoding/json"
	"math/big"
	"strings"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"

	"github.com/simdb/simdb/query/syntax"
	"github.com/simdb/simdb/query/value"
)

// Documents are those of an INSERT.
func (pl *Planner) Documents(s *syntax.Insert) (docs []api.Document, err error) {
	for _, row := range s.Rows {
		d, err := pl.document(s, row)
		if err != nil {
			return nil, err
		}
		docs = append(docs, d)
	}
	return docs, nil
}

func (pl *Planner) document(s *syntax.Insert, row []syntax.Operand) (api.Document, error) {
	d := api.Document{Collection: s.Into.Text, Meta: api.Meta{}}
	for i, x := range row {
		switch name := s.Columns[i].Text; name {
		case "id":
			id, err := pl.id(x)
			if err != nil {
				return d, err
			}
			d.ID = id
		case "text":
			text, err := pl.args.string(x, "a text in quotes")
			if err != nil {
				return d, err
			}
			d.Text = text
		default:
			v, err := pl.metadata(x)
			if err != nil {
				return d, err
			}
			d.Meta[name] = v
		}
	}
	return d, nil
}

// id reads an id. A whole number becomes its decimal text.
func (pl *Planner) id(x syntax.Operand) (string, error) {
	v, err := pl.args.constant(x)
	if err != nil {
		return "", err
	}
	switch v := v.(type) {
	case string:
		if v != "" {
			return v, nil
		}
	case *big.Rat:
		if _, ok := value.Whole(v); ok {
			return value.Decimal(v), nil
		}
	}
	return "", ErrorAt(x.Place(), "an id: a string that is not empty, or a whole number", value.Show(v), "")
}

// metadata returns a value in the form that metadata has. A number stays as it was
// written or given, if that is valid JSON. An argument may also be a list or an object.
func (pl *Planner) metadata(x syntax.Operand) (any, error) {
	switch x := x.(type) {
	case *syntax.List:
		list := make([]any, len(x.Items))
		for i, item := range x.Items {
			var err error
			if list[i], err = pl.metadata(item); err != nil {
				return nil, err
			}
		}
		return list, nil
	case *syntax.Literal:
		if x.Kind == syntax.Number && json.Valid([]byte(x.Text)) {
			return json.Number(x.Text), nil
		}
		if x.Kind == syntax.Number && strings.Contains(x.Text, "/") {
			return nil, ErrorAt(x.Pos, "a decimal number", syntax.Quote(x.Text), "")
		}
	case *syntax.Param:
		v, err := pl.args.value(x)
		if err != nil {
			return nil, err
		}
		switch v := v.(type) {
		case map[string]any, api.Meta, []any, []string, json.Number, int, int64, uint64, float64:
			if f, ok := v.(float64); ok && value.Of(f) == nil { // no number
				return nil, nil
			}
			return v, nil
		}
	}
	v, err := pl.args.constant(x)
	if r, ok := v.(*big.Rat); ok {
		return json.Number(value.Decimal(r)), err
	}
	return v, err
}

// Condition reads what an INSERT compares by. Without a threshold the collection's
// unique_sim counts, or that of a search.
func (pl *Planner) Condition(u *syntax.Unless) (q engine.Search, err error) {
	m := methodOf(u.Using)
	q.Measure, q.Args, q.Access = m.Measure, m.Args, accessOf(u.Using)
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
	b, err := boundFinder{constant: pl.args.constant, hash: q.Measure == api.SimHash}.find(u.Where)
	if err != nil {
		return q, err
	}
	if len(b.rest) > 0 || !b.given {
		return q, ErrorAt(u.Where.Place(), "sim >= and a number alone after UNLESS SIMILAR", "", "")
	}
	if b.min.Sign() == 0 { // which would mean that none was named
		return q, ErrorAt(u.Where.Place(), "a similarity above 0", "", "")
	}
	q.Min, _ = threshold(b.min)
	return q, nil
}

// Changes are the fields that an UPDATE sets.
func (pl *Planner) Changes(s *syntax.Update) (api.Meta, error) {
	change := api.Meta{}
	for _, a := range s.Set {
		v, err := pl.metadata(a.Value)
		if err != nil {
			return nil, err
		}
		change[a.Field.Name] = v
	}
	return change, nil
}
