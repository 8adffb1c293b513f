package query

// Statements that end with their context.

import (
	"context"
	"errors"
	"fmt"
	"math"
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

// A condition of many tests of indexed fields checks its context at each: as a field, as a test of the
// index, and as a search of the index.
func TestIndexedTestsEndWithContext(t *testing.T) {
	db := openStore(t)
	if err := db.CreateCollection(t.Context(), "dated", api.Settings{Index: "year"}); err != nil {
		t.Fatal(err)
	}
	if err := db.Put(t.Context(), api.Document{Collection: "dated", ID: "a", Text: "one two", Meta: api.Meta{"year": 3000}}); err != nil {
		t.Fatal(err)
	}
	const tests = 1000
	where := make([]string, tests)
	for i := range where {
		where[i] = fmt.Sprint("year = ", 1000+i)
	}
	ctx := &endingContext{t.Context(), math.MaxInt}
	rows, err := Run(ctx, db, Options{}, "SELECT id FROM dated WHERE "+strings.Join(where, " OR "))
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	if n, err := plan.Length(rows.All()); n != 0 || err != nil {
		t.Errorf("%d rows and %v, want none", n, err)
	}
	if polls := math.MaxInt - ctx.left; polls < 3*tests {
		t.Errorf("%d checks of the context, want %d", polls, 3*tests)
	}
}

// A group whose HAVING was cancelled is an error, and not a row less.
func TestHavingEndsWithContext(t *testing.T) {
	db := openStore(t)
	fill(t, db)
	src := "CLUSTERS WHERE sim >= 0.1 GROUP BY cluster HAVING " + strings.Repeat("size = 1 OR ", 100) + "size >= 2"
	rowsIn := func(ctx context.Context) (int64, error) {
		rows, err := Run(ctx, db, Options{}, src)
		if err != nil {
			return 0, err
		}
		defer rows.Close()
		return plan.Length(rows.All())
	}
	want, err := rowsIn(t.Context())
	if err != nil || want == 0 {
		t.Fatalf("%d rows and %v", want, err)
	}
	for before := 0; ; before++ {
		switch n, err := rowsIn(&endingContext{t.Context(), before}); {
		case err == nil && n == want:
			return
		case !errors.Is(err, context.Canceled):
			t.Fatalf("with a context that ends after %d looks, %d of %d rows and %v, want its error", before, n, want, err)
		}
	}
}

// A long pattern that stands in many tests is refused, and not compiled for each.
func TestPatternsAreBounded(t *testing.T) {
	db := openStore(t)
	fill(t, db)
	long := strings.Repeat("_a", maxPattern/4)
	for n, refused := range map[int]bool{1: false, 2: false, 3: true, 1000: true} {
		got := answer(db, Options{}, "SELECT id FROM docs WHERE id = 'none'"+strings.Repeat(" OR text LIKE $1", n), long)
		if strings.Contains(got, "1 MiB together") != refused {
			t.Errorf("a pattern of %d bytes %d times: %.200s", len(long), n, got)
		}
	}
}

// maxPattern is the limit of docs/limits.md.
const maxPattern = 1 << 20
