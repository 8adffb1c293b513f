package run

// SELECT * and ids by the hundred thousand: the time they take and how they end.

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/simdb/simdb/api"

	"github.com/simdb/simdb/query/plan"
	"github.com/simdb/simdb/query/syntax"
)

// maxColumns is how many fields a * shows in columns of their own.
const maxColumns = 1000

// manyFields is a collection whose documents have so many fields.
type manyFields struct {
	plan.Store
	fields int
	asked  *int     // how many names Fields was asked for
	meta   api.Meta // of the first document, if not the usual
}

func (manyFields) MemoryBytes() int64 { return 1 << 20 }

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
	s, err := syntax.Parse("SELECT * FROM docs LIMIT 1")
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	for _, fields := range []int{maxColumns, maxColumns + 1} {
		rows, err := Read(t.Context(), manyFields{fields: fields, asked: &asked}, plan.Options{}, s)
		if err != nil {
			t.Fatal(err)
		}
		for row, err := range rows.All {
			switch {
			case err != nil:
				t.Error(err)
			case fields <= maxColumns && (len(row) != 3+fields || row[3+7] != "x" || row[3+8] != nil):
				t.Errorf("a row of %d values, want %d", len(row), 3+fields)
			case fields > maxColumns && (len(row) != 4 || rows.Columns[3].Name != "meta" || row[3].(map[string]any)["f0000007"] != "x"):
				t.Errorf("columns %v, want one for all metadata", rows.Columns[3:])
			}
		}
	}
	if asked != maxColumns {
		t.Errorf("asked for %d names, want %d", asked, maxColumns)
	}
	for before := range 2 {
		ctx := &endingContext{t.Context(), before}
		if _, err := Read(ctx, manyFields{fields: 10}, plan.Options{}, s); !errors.Is(err, context.Canceled) {
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
		s, err := syntax.Parse("SELECT " + columns.String() + "id FROM docs" + order)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		rows, err := Read(ctx, manyFields{meta: meta}, plan.Options{}, s)
		if err != nil {
			t.Fatal(err)
		}
		cancel()
		if n, err := plan.Length(rows.All); n != 0 || err != context.Canceled {
			t.Errorf("SELECT *%s gives %d rows and %v, want the error of the context", order, n, err)
		}
	}
}

// endingContext ends when its error has been asked for often enough.
type endingContext struct {
	context.Context
	left int
}

func (c *endingContext) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}
