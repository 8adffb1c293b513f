package sqldriver

// Values, arguments, and refusals.

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

// texts returns n documents, each similar to all others.
func texts(n int) (docs []api.Document) {
	for i := range n {
		docs = append(docs, api.Document{
			ID: fmt.Sprintf("d%02d", i), Text: fmt.Sprintf("the quick brown fox jumps over the lazy dog %d", i), Meta: api.Meta{"n": i},
		})
	}
	return docs
}

// create creates a database and returns its path and a function that adds documents.
func create(t *testing.T, docs ...api.Document) (path string, put func(...api.Document)) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "x.simdb")
	put = func(docs ...api.Document) {
		t.Helper()
		db, err := simdb.Open(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(db.Put(t.Context(), docs...), db.Close()); err != nil {
			t.Fatal(err)
		}
	}
	put(docs...)
	return path, put
}

func open(t *testing.T, name string) *sql.DB {
	t.Helper()
	db, err := sql.Open("simdb", name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

type querier interface {
	QueryContext(context.Context, string, ...any) (*sql.Rows, error)
}

// ids reads the first column of all rows.
func ids(ctx context.Context, db querier, statement string, args ...any) (out []string, err error) {
	rows, err := db.QueryContext(ctx, statement, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		out = append(out, id)
	}
	return out, rows.Err()
}

func wantIDs(t *testing.T, db querier, statement string, want ...string) {
	t.Helper()
	got, err := ids(t.Context(), db, statement)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%s: %q, %v, want %q", statement, got, err, want)
	}
}

const all = "SELECT id FROM docs ORDER BY id"

// Each value has a type and is returned without loss.
func TestColumnTypes(t *testing.T) {
	path, _ := create(t, api.Document{ID: "a", Text: "some text of a", Meta: api.Meta{
		"s": "word", "yes": true, "n": json.Number("9007199254740993"), "half": 0.5, "tenth": json.Number("0.10000000000000000001"), "big": json.Number("123456789012345678901234567890"),
		"list": []any{"x", json.Number("1")}, "none": nil,
	}})
	db := open(t, path)
	rows, err := db.Query("SELECT id, s, yes, n, half, tenth, big, list, none FROM docs")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	types, err := rows.ColumnTypes()
	if err != nil || !rows.Next() {
		t.Fatal(err, rows.Err())
	}
	values := make([]any, len(types))
	into := make([]any, len(types))
	for i := range values {
		into[i] = &values[i]
	}
	if err := rows.Scan(into...); err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		column, name string
		scan         reflect.Type
		value        any
	}{
		{"id", "TEXT", reflect.TypeFor[sql.NullString](), "a"},
		{"s", "TEXT", reflect.TypeFor[sql.NullString](), "word"},
		{"yes", "BOOLEAN", reflect.TypeFor[sql.NullBool](), true},
		{"n", "INTEGER", reflect.TypeFor[sql.NullInt64](), int64(9007199254740993)},
		{"half", "REAL", reflect.TypeFor[sql.NullFloat64](), 0.5},
		{"tenth", "DECIMAL", reflect.TypeFor[sql.NullString](), "0.10000000000000000001"},
		{"big", "DECIMAL", reflect.TypeFor[sql.NullString](), "123456789012345678901234567890"},
		{"list", "JSON", reflect.TypeFor[sql.NullString](), `["x",1]`},
		{"none", "", reflect.TypeFor[any](), nil},
	} {
		if c := types[i]; c.Name() != want.column || c.DatabaseTypeName() != want.name || c.ScanType() != want.scan || values[i] != want.value {
			t.Errorf("%s is %s, %v, %#v, want %+v", c.Name(), c.DatabaseTypeName(), c.ScanType(), values[i], want)
		}
	}
	if rows.Next() || rows.Err() != nil {
		t.Errorf("a second row, or %v", rows.Err())
	}
}

// Values that metadata cannot contain, and a column without rows.
func TestValues(t *testing.T) {
	for _, of := range []struct {
		in, out any
		name    string
	}{
		{0.25, 0.25, typeReal}, {uint64(7), int64(7), typeInteger}, {uint64(1 << 63), "9223372036854775808", typeDecimal},
		{api.Meta{"a": 1}, `{"a":1}`, typeJSON},
	} {
		if out, name := valueOf(of.in); out != of.out || name != of.name {
			t.Errorf("%v is %#v of type %s, want %#v of type %s", of.in, out, name, of.out, of.name)
		}
	}
	path, _ := create(t, texts(1)...)
	rows, err := open(t, path).Query("SIMILAR TO 'd00'")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	types, err := rows.ColumnTypes()
	if err != nil || len(types) == 0 || types[0].DatabaseTypeName() != "" || rows.Next() {
		t.Errorf("types %v, %v", types, err)
	}
}

type valuer struct{}

func (valuer) Value() (driver.Value, error) { return "d01", nil }

// Arguments of every kind reach the statement, by place and by name.
func TestArguments(t *testing.T) {
	path, _ := create(t, texts(3)...)
	db := open(t, path)
	one, id := int64(1), "d01"
	for _, of := range []struct {
		predicate string
		arg       any
	}{
		{"id = ?", "d01"}, {"id = ?", []byte("d01")}, {"id = ?", &id}, {"id = ?", valuer{}}, {"id = $1", "d01"}, {"id = :x", sql.Named("x", "d01")},
		{"n = ?", 1}, {"n = ?", &one}, {"n = ?", uint64(1)}, {"n = ?", float32(1)}, {"n = ?", json.Number("1.0")}, {"n = :x", sql.Named("x", int8(1))},
	} {
		statement := "SELECT id FROM docs WHERE " + of.predicate
		if got, err := ids(t.Context(), db, statement, of.arg); err != nil || !slices.Equal(got, []string{"d01"}) {
			t.Errorf("%s of a %T: %q, %v", of.predicate, of.arg, got, err)
		}
		prepared, err := db.Prepare(statement)
		if err != nil {
			t.Fatal(err)
		}
		var got string
		if err := prepared.QueryRow(of.arg).Scan(&got); err != nil || got != "d01" {
			t.Errorf("%s of a %T, prepared: %q, %v", of.predicate, of.arg, got, err)
		}
		if err := prepared.Close(); err != nil {
			t.Error(err)
		}
	}
	for name, args := range map[string][]any{"a channel": {make(chan int)}, "none": nil, "two": {1, 2}} {
		if got, err := ids(t.Context(), db, "SELECT id FROM docs WHERE n = ?", args...); !errors.Is(err, api.ErrInvalid) {
			t.Errorf("arguments %s: %q, %v", name, got, err)
		}
	}
}

// Every attempt to write is refused.
func TestWritesAreRefused(t *testing.T) {
	path, _ := create(t, texts(2)...)
	owner, err := simdb.Open("", &simdb.Options{InMemory: true})
	if err != nil {
		t.Fatal(err)
	}
	defer owner.Close()
	if err := owner.Put(t.Context(), texts(2)...); err != nil {
		t.Fatal(err)
	}
	for name, db := range map[string]*sql.DB{"of a path": open(t, path), "of a database": sql.OpenDB(NewConnector(owner))} {
		prepared, err := db.Prepare("DELETE FROM docs WHERE n = 1")
		if err != nil {
			t.Fatal(err)
		}
		for call, write := range map[string]func() error{
			"Exec":          func() error { _, err := db.Exec("DELETE FROM docs WHERE n = 1"); return err },
			"Exec of reads": func() error { _, err := db.Exec(all); return err },
			"Stmt.Exec":     func() error { _, err := prepared.Exec(); return err },
			"Stmt.Query":    func() error { _, err := prepared.Query(); return err },
			"Query": func() error {
				_, err := ids(t.Context(), db, "INSERT INTO docs (id, text) VALUES ('x', 'y')")
				return err
			},
			"Begin": func() error { _, err := db.Begin(); return err },
		} {
			if err := write(); !errors.Is(err, api.ErrReadOnly) || !strings.Contains(err.Error(), "read") {
				t.Errorf("%s %s: %v", call, name, err)
			}
		}
		wantIDs(t, db, all, "d00", "d01")
		if err := errors.Join(prepared.Close(), db.Close()); err != nil {
			t.Error(err)
		}
	}
	if n := owner.Metrics().Documents; n != 2 {
		t.Errorf("the database of the caller has %d documents, want 2", n)
	}
}

// Invalid data source names are refused before a database is opened.
func TestDataSourceNames(t *testing.T) {
	for _, name := range []string{"", "?timeout=1s", "x?timeout=1", "x?timeout=-1s", "x?max_rows=many", "x?max_rows=0", "x?mode=ro", "x?timeout=1s&timeout=2s", "x?%zz"} {
		if _, err := sql.Open("simdb", name); !errors.Is(err, api.ErrInvalid) {
			t.Errorf("%q: %v", name, err)
		}
	}
	s, err := parse("/a b/x.simdb?timeout=2s&max_rows=3&refresh=1m&cache_bytes=4&memory_bytes=5")
	if err != nil {
		t.Fatal(err)
	}
	if s.path != "/a b/x.simdb" || s.query.Timeout.String() != "2s" || s.query.MaxRows != 3 || s.refresh.String() != "1m0s" || s.open.CacheBytes != 4 || s.open.MemoryBytes != 5 {
		t.Errorf("parsed %+v", s)
	}
	if !s.open.ReadOnly || !s.open.MustExist || !s.query.ReadOnly || s.query.Files {
		t.Errorf("the options allow too much: %+v", s)
	}
	if err := open(t, filepath.Join(t.TempDir(), "nosuch")).Ping(); err == nil {
		t.Error("a database that is not there can be opened")
	}
}

// The limits of a data source name apply to each statement.
func TestLimits(t *testing.T) {
	path, _ := create(t, texts(3)...)
	if got, err := ids(t.Context(), open(t, path+"?max_rows=2"), all); !errors.Is(err, api.ErrTooLarge) || len(got) != 2 {
		t.Errorf("max_rows=2: %q, %v", got, err)
	}
	if got, err := ids(t.Context(), open(t, path+"?timeout=1ns"), all); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("timeout=1ns: %q, %v", got, err)
	}
}
