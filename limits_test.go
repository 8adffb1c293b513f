package simdb

// The limits of docs/limits.md: what is at one goes, what is one above is refused by the
// error that the table names, with the limit in its message.

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
)

// limitCase tries an input of a size.
type limitCase struct {
	input string // the first words of its row
	limit int
	is    error  // what one above wraps; nil for a ParseError that is ErrInvalid
	says  string // what its message says; "" for the limit in digits
	try   func(ctx context.Context, db *DB, size int) error
}

func TestLimits(t *testing.T) {
	const maxDoc, some = 1000, "one two three four"
	db := openTemp(t, &Options{MaxDocBytes: maxDoc, InMemory: true})
	ctx := t.Context()
	if err := db.CreateCollection(ctx, "tokens", api.Settings{Unit: "token"}); err != nil {
		t.Fatal(err)
	}
	if err := db.Put(ctx, api.Document{ID: "a", Text: some, Meta: api.Meta{"f": "x"}}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []limitCase{
		{"length of a statement", 1 << 20, nil, "1 MB", stating(func(n int) string { return fill("SELECT id FROM docs WHERE f = '", "x", "'", n) })},
		{"nesting of NOT and ( )", 64, nil, "", stating(func(n int) string {
			return "SELECT id FROM docs WHERE " + strings.Repeat("(", n) + "f = 'x'" + strings.Repeat(")", n)
		})},
		{"length of an `IN` list", 1 << 20, nil, "1 MB", stating(func(n int) string { return fill("SELECT id FROM docs WHERE f IN ('x'", ",'x'", ")", n) })},
		{"length of a `LIKE` or `GLOB` pattern", 1 << 20, nil, "1 MB", stating(func(n int) string { return fill("SELECT id FROM docs WHERE f LIKE '", "%x", "'", n) })},
		{"digits of `LIMIT`", 18, nil, "whole number", stating(func(n int) string { return "SELECT id FROM docs LIMIT " + strings.Repeat("9", n) })},
		{"length of a text", maxDoc, api.ErrTooLarge, "", put(func(n int) api.Document { return api.Document{ID: "t", Text: fill("", "w", "", n)} })},
		{"length of an id", 4096, api.ErrTooLarge, "", put(func(n int) api.Document { return api.Document{ID: strings.Repeat("i", n), Text: some} })},
		{"metadata of a document", engine.MaxMetaBytes, api.ErrTooLarge, "", put(func(n int) api.Document {
			return api.Document{ID: "m", Text: some, Meta: api.Meta{"f": strings.Repeat("x", n-len(`{"f":""}`))}}
		})},
		{"number of metadata fields", engine.MaxMetaBytes, api.ErrTooLarge, "", put(func(n int) api.Document {
			meta, size := api.Meta{}, len("{}")
			for ; n-size >= 24; size += len(`"0000000":1,`) {
				meta[fmt.Sprintf("%07d", size)] = 1
			}
			meta["f"] = strings.Repeat("x", n-size-len(`"f":""`)) // its comma is that which the last field has not
			return api.Document{ID: "n", Text: some, Meta: meta}
		})},
		{"length of a field name", engine.MaxMetaBytes, api.ErrTooLarge, "", put(func(n int) api.Document {
			return api.Document{ID: "name", Text: some, Meta: api.Meta{strings.Repeat("f", n-len(`{"":1}`)): 1}}
		})},
		{"nesting of metadata", 10_000, api.ErrInvalid, "", put(func(n int) api.Document {
			var v any = 1
			for range n - 1 {
				v = []any{v}
			}
			return api.Document{ID: "d", Text: some, Meta: api.Meta{"v": v}}
		})},
		{"length of the name of a collection", 200, api.ErrInvalid, "", made(func(n int) (string, api.Settings) { return strings.Repeat("c", n), api.Settings{} })},
		{"`k`", 100, api.ErrInvalid, "", made(func(n int) (string, api.Settings) { return "k", api.Settings{K: n} })},
		{"similarity indexes", 4, api.ErrInvalid, "", made(func(n int) (string, api.Settings) {
			return "si", api.Settings{SI: listed(n, func(i int) string { return fmt.Sprint("m3a k", i) })}
		})},
		{"`k`, `w` and `n`", 10_000, api.ErrInvalid, "", made(func(n int) (string, api.Settings) { return "field", api.Settings{SI: fmt.Sprint("m3a k", n)} })},
		{"ranges of `intervals`", 127, api.ErrInvalid, "", made(func(n int) (string, api.Settings) {
			return "ranges", api.Settings{Intervals: listed(n, func(i int) string { return fmt.Sprintf("%d-%d", i, i) })}
		})},
		{"fields of `index`", 16, api.ErrInvalid, "", made(func(n int) (string, api.Settings) {
			return "index", api.Settings{Index: listed(n, func(i int) string { return fmt.Sprint("f", i) })}
		})},
		{"text and tokens", maxDoc, api.ErrTooLarge, "", put(func(n int) api.Document {
			tokens := make([]string, (n-2)/4) // a byte says that there is no text, and one how long each token is
			for i := range tokens {
				tokens[i] = "abc"
			}
			tokens[0] += strings.Repeat("d", n-1-4*len(tokens))
			return api.Document{Collection: "tokens", ID: "t", Tokens: tokens}
		})},
		{"bytes of a batch", 64 << 20, api.ErrTooLarge, "", func(ctx context.Context, db *DB, n int) error {
			var b Batch
			b.Note("n", make([]byte, n-len("n")-32))
			_, err := db.Commit(ctx, &b)
			return err
		}},
	} {
		if err := c.try(ctx, db, c.limit); err != nil {
			t.Errorf("%s of %d: %.200s, want that it goes", c.input, c.limit, err)
		}
		says, err := c.says, c.try(ctx, db, c.limit+1)
		if says == "" {
			says = strconv.Itoa(c.limit)
		}
		var at *api.ParseError
		if err == nil || c.is != nil && !errors.Is(err, c.is) || c.is == nil && !(errors.As(err, &at) && errors.Is(err, api.ErrInvalid)) || !strings.Contains(err.Error(), says) || len(err.Error()) > 1000 {
			t.Errorf("%s of %d: %.200v, want %v that says %s", c.input, c.limit+1, err, c.is, says)
		}
		if !strings.Contains(limitsPage(t), "\n| "+c.input) {
			t.Errorf("docs/limits.md has no row for %s", c.input)
		}
	}
}

// Settings with very many parts are refused at the first that is too many. To compare all
// of them with each other would take minutes, and no context ends that.
func TestSettingsOfManyParts(t *testing.T) {
	db := openTemp(t, nil)
	for name, s := range map[string]api.Settings{
		"si":        {SI: listed(9999, func(i int) string { return fmt.Sprint("m3a k", i) })},
		"index":     {Index: listed(1<<20, strconv.Itoa)},
		"intervals": {Intervals: listed(1<<20, func(i int) string { return fmt.Sprintf("%d-%d", i, i) })},
	} {
		if err := db.CreateCollection(t.Context(), "many", s); !errors.Is(err, api.ErrInvalid) || len(err.Error()) > 200 {
			t.Errorf("%s of very many parts = %.300v, want a short ErrInvalid", name, err)
		}
	}
}

// stating runs a statement made for a size.
func stating(statement func(int) string) func(context.Context, *DB, int) error {
	return func(ctx context.Context, db *DB, n int) error {
		rows, err := db.Query(ctx, statement(n))
		if err != nil {
			return err
		}
		defer rows.Close()
		for _, err := range rows.All() {
			if err != nil {
				return err
			}
		}
		return nil
	}
}

func put(document func(int) api.Document) func(context.Context, *DB, int) error {
	return func(ctx context.Context, db *DB, n int) error { return db.Put(ctx, document(n)) }
}

func made(collection func(int) (string, api.Settings)) func(context.Context, *DB, int) error {
	return func(ctx context.Context, db *DB, n int) error {
		name, settings := collection(n)
		return db.CreateCollection(ctx, name, settings)
	}
}

// fill repeats a piece between a beginning and an end until there are n bytes. For what is
// left over the first space of the beginning is made wider.
func fill(begin, piece, end string, n int) string {
	room := n - len(begin) - len(end)
	begin = strings.Replace(begin, " ", strings.Repeat(" ", 1+room%len(piece)), 1)
	return begin + strings.Repeat(piece, room/len(piece)) + end
}

// listed joins what a function returns for 1 to n.
func listed(n int, item func(int) string) string {
	items := make([]string, n)
	for i := range items {
		items[i] = item(i + 1)
	}
	return strings.Join(items, ",")
}

func limitsPage(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile("docs/limits.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

var (
	limitInCode = regexp.MustCompile("`([a-z/]+\\.go)`: `(\\w+)`")
	figure      = regexp.MustCompile(`[0-9][0-9,]*`)
)

// Each row that names a constant has its value as the first number of its limit.
func TestLimitsAreThoseOfTheCode(t *testing.T) {
	compared := 0
	for line := range strings.Lines(limitsPage(t)) {
		named := limitInCode.FindStringSubmatch(line)
		if named == nil {
			continue
		}
		compared++
		cells := strings.Split(line, "|")
		want := constantOf(t, named[1], named[2])
		if got := strings.ReplaceAll(figure.FindString(cells[2]), ",", ""); got != want {
			t.Errorf("docs/limits.md says %s for %s, and %s in %s is %s", got, cells[1], named[2], named[1], want)
		}
	}
	if compared < 15 {
		t.Errorf("docs/limits.md names %d constants", compared)
	}
}

// constantOf returns the value of a constant of the package that a file belongs to.
func constantOf(t *testing.T, file, name string) string {
	t.Helper()
	parsed, set := []*ast.File{}, token.NewFileSet()
	files, err := filepath.Glob(filepath.Dir(file) + "/*.go")
	for _, name := range slices.DeleteFunc(files, func(f string) bool { return strings.HasSuffix(f, "_test.go") }) {
		f, parseErr := parser.ParseFile(set, name, nil, 0)
		parsed, err = append(parsed, f), errors.Join(err, parseErr)
	}
	if err != nil {
		t.Fatal(err)
	}
	lenient := types.Config{Error: func(error) {}} // what is imported is not there
	pkg, _ := lenient.Check(file, set, parsed, nil)
	c, ok := pkg.Scope().Lookup(name).(*types.Const)
	if !ok || c.Val().Kind() != constant.Int || set.File(c.Pos()).Name() != file {
		t.Fatalf("%s has no constant %s that is a number", file, name)
	}
	return c.Val().ExactString()
}
