package query

// Statements that end with their context.

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/simdb/simdb/api"

	"github.com/simdb/simdb/query/plan"
)

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

// A pattern that has to be tried at every place of a long text ends with its
// context.
func TestLikeEndsWithContext(t *testing.T) {
	db := openStore(t)
	if err := db.Put(t.Context(), api.Document{Collection: "docs", ID: "a", Text: strings.Repeat("a", 4<<20)}); err != nil {
		t.Fatal(err)
	}
	for _, where := range []string{
		"text LIKE '%" + strings.Repeat("a_", 50_000) + "b%'",
		"NOT text GLOB '*" + strings.Repeat("[ab]?", 50_000) + "[c]*'",
	} {
		ctx := &endingContext{t.Context(), 100}
		rows, err := Run(ctx, db, Options{}, "SELECT id FROM docs WHERE "+where)
		if err != nil {
			t.Fatal(err)
		}
		if n, err := plan.Length(rows.All()); n != 0 || err != context.Canceled {
			t.Errorf("%.40s… gives %d rows and %v, want the error of the context", where, n, err)
		}
		if err := rows.Close(); err != nil {
			t.Error(err)
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
			_, err = plan.Length(rows.All())
			rows.Close()
		}
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s gives %v, want the error of the context", src, err)
		}
	}
}
