package query

// SELECT * and ids by the hundred thousand: the time they take and how they end.

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"testing"

	"github.com/simdb/simdb/engine"
)

// manyFields is a collection whose documents have so many fields.
type manyFields struct {
	reader
	fields int
}

func (manyFields) Collection(name string) (engine.CollectionInfo, error) {
	return engine.CollectionInfo{Name: name}, nil
}

func (m manyFields) Fields(context.Context, string) ([]string, error) {
	names := make([]string, m.fields)
	for i := range names {
		names[i] = fmt.Sprintf("f%07d", i)
	}
	return names, nil
}

func (manyFields) Infos(context.Context, string) iter.Seq2[engine.DocInfo, error] {
	return func(yield func(engine.DocInfo, error) bool) {
		_ = yield(engine.DocInfo{ID: "a", Meta: engine.Meta{"f0000007": "x"}}, nil) &&
			yield(engine.DocInfo{ID: "b"}, nil)
	}
}

// SELECT * takes a time that grows with the number of fields. Were each name
// looked for in all before it, a million would take half a million million
// steps, and no Ctrl-C would be heard.
func TestSelectAllOfManyFields(t *testing.T) {
	const fields = 1_000_000
	s, err := Parse("SELECT * FROM docs LIMIT 1")
	if err != nil {
		t.Fatal(err)
	}
	rows, err := read(t.Context(), manyFields{fields: fields}, nil, Options{}, s, newArguments(nil))
	if err != nil {
		t.Fatal(err)
	}
	for row, err := range rows.All() {
		if err != nil || len(row) != 3+fields || row[3+7] != "x" || row[3+8] != nil {
			t.Errorf("a row of %d values and %v, want %d", len(row), err, 3+fields)
		}
	}
	for before := range 2 {
		ctx := &endingContext{t.Context(), before}
		if _, err := read(ctx, manyFields{fields: 10}, nil, Options{}, s, newArguments(nil)); !errors.Is(err, context.Canceled) {
			t.Errorf("with a context that ends after %d looks SELECT * gives %v, want its error", before, err)
		}
	}
}

// A row of very many columns ends with its context too.
func TestRowEndsWithContext(t *testing.T) {
	for _, order := range []string{"", " ORDER BY id DESC"} {
		s, err := Parse("SELECT * FROM docs" + order)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		rows, err := read(ctx, manyFields{fields: 200_000}, nil, Options{}, s, newArguments(nil))
		if err != nil {
			t.Fatal(err)
		}
		cancel()
		if n, err := length(rows.All()); n != 0 || err != context.Canceled {
			t.Errorf("SELECT *%s gives %d rows and %v, want the error of the context", order, n, err)
		}
	}
}

// Ids that a WHERE names are looked up one by one, and none needs to be there:
// the search ends with its context all the same.
func TestNamedIDsEndWithContext(t *testing.T) {
	db := openStore(t)
	fill(t, db)
	for _, src := range []string{
		"SELECT id FROM docs WHERE id IN ('x1', 'x2', 'x3')",
		"SELECT id FROM si_view WHERE id IN ('x1', 'x2', 'x3')",
	} {
		ctx := &endingContext{t.Context(), 1}
		rows, err := Run(ctx, db, Options{}, src)
		if err == nil {
			_, err = length(rows.All())
			rows.Close()
		}
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s gives %v, want the error of the context", src, err)
		}
	}
}
