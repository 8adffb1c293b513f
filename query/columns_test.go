package query

// SELECT * and ids by the hundred thousand: the time they take and how they end.

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/simdb/simdb/api"
)

// manyFields is a collection whose documents have so many fields.
type manyFields struct {
	reader
	fields int
	asked  *int     // how many names Fields was asked for
	meta   api.Meta // of the first document, if not the usual
}

func (manyFields) Collection(name string) (api.CollectionInfo, error) {
	return api.CollectionInfo{Name: name}, nil
}

func (m manyFields) Fields(_ context.Context, _ string, most int) ([]string, error) {
	if m.asked != nil {
		*m.asked = most
	}
	names := make([]string, m.fields)
	for i := range names {
		names[i] = fmt.Sprintf("f%07d", i)
	}
	return names, nil
}

func (m manyFields) Infos(context.Context, string) iter.Seq2[api.DocInfo, error] {
	if m.meta == nil {
		m.meta = api.Meta{"f0000007": "x"}
	}
	return func(yield func(api.DocInfo, error) bool) {
		_ = yield(api.DocInfo{ID: "a", Meta: m.meta}, nil) &&
			yield(api.DocInfo{ID: "b"}, nil)
	}
}

// SELECT * has a column for each of so many fields, and one column for all of more. Every
// document may have fields of its own: a million rows of a million columns have no end,
// and their names need not even be known.
func TestSelectAllOfManyFields(t *testing.T) {
	s, err := Parse("SELECT * FROM docs LIMIT 1")
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	for _, fields := range []int{maxMetaColumns, maxMetaColumns + 1} {
		rows, err := read(t.Context(), manyFields{fields: fields, asked: &asked}, nil, Options{}, s, newArguments(nil))
		if err != nil {
			t.Fatal(err)
		}
		for row, err := range rows.All() {
			switch {
			case err != nil:
				t.Error(err)
			case fields <= maxMetaColumns && (len(row) != 3+fields || row[3+7] != "x" || row[3+8] != nil):
				t.Errorf("a row of %d values, want %d", len(row), 3+fields)
			case fields > maxMetaColumns && (len(row) != 4 || rows.Columns[3] != "meta" || row[3].(map[string]any)["f0000007"] != "x"):
				t.Errorf("columns %v, want one for all metadata", rows.Columns[3:])
			}
		}
	}
	if asked != maxMetaColumns {
		t.Errorf("asked for %d names, want %d", asked, maxMetaColumns)
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
	var columns strings.Builder
	meta := api.Meta{}
	for i := range 100_000 {
		fmt.Fprintf(&columns, "f%d, ", i)
		meta[fmt.Sprint("f", i)] = i
	}
	for _, order := range []string{"", " ORDER BY id DESC"} {
		s, err := Parse("SELECT " + columns.String() + "id FROM docs" + order)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		rows, err := read(ctx, manyFields{meta: meta}, nil, Options{}, s, newArguments(nil))
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
