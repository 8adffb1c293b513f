package query

// What a caller does not allow is refused by every statement that there is.

import (
	"errors"
	"go/ast"
	goparser "go/parser"
	gotoken "go/token"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/simdb/simdb/api"
)

// everyStatement has examples of each type of statement, by its name, with more than one
// row where it can have them. The first of a type leaves the others something to do.
var everyStatement = map[string][]string{
	"Similar":    {"SIMILAR TO a WHERE sim >= 0", "SIMILAR TO TEXT 'one two three four' WHERE sim >= 0.1"},
	"Related":    {"RELATED TO a", "RELATED TO TEXT 'one two three four' WITH (contains = 0.1)"},
	"Pairs":      {"SIMILAR PAIRS WHERE sim >= 0", "DUPLICATES WHERE sim >= 0.1"},
	"Clusters":   {"CLUSTERS WHERE sim >= 0"},
	"Select":     {"SELECT id FROM docs", "SELECT id FROM docs WHERE similarity(a) >= 0"},
	"View":       {"SELECT id FROM si_view"},
	"Duplicates": {"SELECT DUPLICATES FROM docs", "DELETE DUPLICATES FROM docs WHERE sim >= 0.5 KEEP NEWEST"},
	"Compare":    {"COMPARE a WITH b", "COMPARE a WITH b SHOW PASSAGES", "COMPARE a WITH b SHOW SENTENCES"},
	"Sources":    {"SOURCES OF a", "SOURCES OF a SHOW PASSAGES"},
	"Ledger":     {"LEDGER", "LEDGER OF a IN docs SINCE '2026-01-31' LIMIT 3"},
	"Show":       {"SHOW STATS", "SHOW FIELDS", "SHOW MARK", "SHOW COLLECTIONS", "SHOW SETTINGS"},
	"Check":      {"CHECK"},
	"Explain":    {"EXPLAIN SIMILAR PAIRS", "EXPLAIN ANALYZE CLUSTERS", "EXPLAIN DELETE DUPLICATES FROM docs WHERE sim >= 0.5", "EXPLAIN ERASE a", "EXPLAIN DROP COLLECTION docs ERASE"},
	"Insert":     {"INSERT INTO docs (id, text) VALUES ('y', 'y'), ('z', 'z')", "INSERT INTO docs (id, text) VALUES ('v', 'v'), ('w', 'w') UNLESS SIMILAR"},
	"Update":     {"UPDATE docs SET year = 1 WHERE id = 'a'"},
	"Delete":     {"DELETE FROM docs WHERE id = 'a'"},
	"Erase":      {"ERASE a", "ERASE a, never IN docs"},
	"Create":     {"CREATE COLLECTION more"},
	"Drop":       {"DROP COLLECTION docs", "DROP COLLECTION docs ERASE"},
	"Compact":    {"COMPACT"},
}

// changing are the beginnings of the statements that change what is stored.
var changing = []string{"INSERT", "UPDATE", "DELETE", "ERASE", "CREATE", "DROP", "COMPACT"}

// A new type of statement cannot be forgotten here: those that there are have a method
// String.
func TestEveryStatementIsListed(t *testing.T) {
	f, err := goparser.ParseFile(gotoken.NewFileSet(), "syntax/print.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, d := range f.Decls {
		method, ok := d.(*ast.FuncDecl)
		if !ok || method.Recv == nil || method.Name.Name != "String" {
			continue
		}
		star, ok := method.Recv.List[0].Type.(*ast.StarExpr)
		if !ok || star.X.(*ast.Ident).Name == "Fields" { // a part of statements
			continue
		}
		found++
		if typ := star.X.(*ast.Ident).Name; everyStatement[typ] == nil {
			t.Errorf("no example of *%s", typ)
		}
	}
	if found != len(everyStatement) {
		t.Errorf("%d types of statements, and examples of %d", found, len(everyStatement))
	}
}

func TestReadOnlyRefusesEveryWrite(t *testing.T) {
	db := openStore(t)
	fill(t, db)
	contents := func() string {
		return answer(db, Options{}, "SELECT * FROM docs") + answer(db, Options{}, "SHOW COLLECTIONS")
	}
	before := contents()
	for typ, examples := range everyStatement {
		for _, src := range examples {
			word, _, _ := strings.Cut(src, " ")
			_, err := Run(t.Context(), db, Options{ReadOnly: true}, src)
			var place *api.ParseError
			switch refused := errors.Is(err, api.ErrReadOnly) && errors.As(err, &place); {
			case slices.Contains(changing, word) && !refused:
				t.Errorf("%s: %s with ReadOnly = %v, want ErrReadOnly with a place", typ, src, err)
			case !slices.Contains(changing, word) && err != nil:
				t.Errorf("%s: %s with ReadOnly = %v", typ, src, err)
			}
			if after := contents(); after != before {
				t.Fatalf("%s changed\n%s\nto\n%s", src, before, after)
			}
		}
	}
}

// With MaxRows a statement gives its rows or the error, never fewer rows in silence.
func TestMaxRowsOfEveryStatement(t *testing.T) {
	for typ, examples := range everyStatement {
		for _, src := range examples {
			rows := func(o Options) (n int, err error) {
				db := openStore(t)
				fill(t, db)
				r, err := Run(t.Context(), db, o, src)
				if err != nil {
					t.Errorf("%s: %s: %v", typ, src, err)
					return 0, err
				}
				defer r.Close()
				for _, err := range r.All() {
					if err != nil {
						return n, err
					}
					n++
				}
				return n, nil
			}
			all, err := rows(Options{})
			if err != nil {
				t.Errorf("%s: %v", src, err)
			}
			for most := 1; most <= all; most += max(1, all-1) {
				got, err := rows(Options{MaxRows: int64(most)})
				if got != most || errors.Is(err, api.ErrTooLarge) != (most < all) {
					t.Errorf("%s: %d rows and %v with MaxRows %d, of %d", src, got, err, most, all)
				}
			}
		}
	}
}

// A statement whose time is over ends with the error. Those that look at no document may
// be done before.
func TestTimeoutOfEveryStatement(t *testing.T) {
	atOnce := []string{"SHOW STATS", "SHOW MARK", "SHOW COLLECTIONS", "SHOW SETTINGS", "EXPLAIN SIMILAR PAIRS", "EXPLAIN DELETE DUPLICATES FROM docs WHERE sim >= 0.5"}
	db := openStore(t)
	fill(t, db)
	before := answer(db, Options{}, "SELECT * FROM docs") + answer(db, Options{}, "SHOW COLLECTIONS")
	for _, examples := range everyStatement {
		for _, src := range examples {
			got := answer(db, Options{Timeout: time.Nanosecond}, src)
			if !strings.Contains(got, "(Timeout): context deadline exceeded") && !slices.Contains(atOnce, src) {
				t.Errorf("%s in a nanosecond gives %s", src, got)
			}
		}
	}
	if after := answer(db, Options{}, "SELECT * FROM docs") + answer(db, Options{}, "SHOW COLLECTIONS"); after != before {
		t.Errorf("statements without time changed\n%s\nto\n%s", before, after)
	}
}
