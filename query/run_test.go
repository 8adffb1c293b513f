package query

// Statements on a store: their rows, arguments, options and errors.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/query/plan"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func openStore(t *testing.T) *engine.DB {
	t.Helper()
	db, err := engine.Open(filepath.Join(t.TempDir(), "store"), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// answer runs a statement and shows its columns, rows and notes, or its error.
func answer(db *engine.DB, opts Options, src string, args ...any) string {
	rows, err := Run(context.Background(), db, opts, src, args...)
	if err != nil {
		return "error " + err.Error()
	}
	defer rows.Close()
	var b strings.Builder
	b.WriteString(strings.Join(rows.Columns, " ") + "\n")
	for row, err := range rows.All() {
		if err != nil {
			return b.String() + "error " + err.Error()
		}
		cells := make([]string, len(row))
		for i, v := range row {
			c, err := json.Marshal(v)
			if err != nil {
				return b.String() + "error " + err.Error()
			}
			cells[i] = string(c)
		}
		b.WriteString(strings.Join(cells, " ") + "\n")
	}
	for _, n := range rows.Notes() {
		b.WriteString("-- " + n + "\n")
	}
	return b.String()
}

func TestRun(t *testing.T) {
	db := openStore(t)
	golden(t, "testdata/run.txt", func(src string) string { return answer(db, Options{Files: true}, src) })
}

// RELATED TO: its rows, its bounds, what it refuses and what EXPLAIN shows.
func TestRunRelated(t *testing.T) {
	db := openStore(t)
	golden(t, "testdata/related.txt", func(src string) string { return answer(db, Options{}, src) })
}

func fill(t *testing.T, db *engine.DB) {
	t.Helper()
	got := answer(db, Options{}, `INSERT INTO docs (id, text, n, o) VALUES
		('a', 'one two three four five', 1, ?), ('b', 'one two three four five', 2, ?), ('c', 'one two three four six', 3, ?)`,
		map[string]any{"deep": []any{json.Number("1"), "x"}, "s": "in"}, nil, "flat")
	if got != "inserted replaced\n3 0\n" {
		t.Fatal(got)
	}
}

// Lists, times, changes of metadata, and its index.
func TestRunMeta(t *testing.T) {
	db := openStore(t)
	golden(t, "testdata/meta.txt", func(src string) string { return answer(db, Options{}, src) })
}

func TestRunArguments(t *testing.T) {
	db := openStore(t)
	tests := []struct {
		src  string
		args []any
		want string
	}{
		{"SIMILAR TO ? WHERE sim >= ? RETURNING id LIMIT ?", []any{"a", 0.5, 1}, "id\n\"b\"\n"},
		{"SIMILAR TO TEXT :t WHERE sim >= :m RETURNING id", []any{named("m", 1), named("t", "one two three four six")}, "id\n\"c\"\n"},
		{"SIMILAR TO $2 WHERE n = $1 RETURNING id", []any{2, "a"}, "id\n\"b\"\n-- no threshold given: sim >= 0.8\n"},
		{"SIMILAR TO ?", []any{1}, `error 1:12: want the id of a document, found "1"`},
		{"SIMILAR TO ?", nil, "error 1:12: want an argument for $1, found 0 given"},
		{"SIMILAR TO a", []any{1}, "error 1:1: want a parameter $1 for each argument, found none"},
		{"SIMILAR TO a LIMIT ?", []any{-1}, `error 1:20: want a whole number of rows, found "-1"`},
		{"SIMILAR TO a WHERE n = ?", []any{[]int{1}}, "error 1:24: want a string, number, boolean, time or nil for $1, found a []int"},
		{"SELECT id, o.s, o FROM docs WHERE o.s = 'in'", nil, "id o.s o\n\"a\" \"in\" {\"deep\":[1,\"x\"],\"s\":\"in\"}\n"},
		{"SELECT id FROM docs WHERE o.deep IS NOT NULL", nil, "id\n\"a\"\n"},
		{"SELECT id FROM docs WHERE o.dep IS NULL", nil, `error 1:27: want a field of docs, found "o.dep", which no document has; did you mean o.deep?`},
		{"SIMILAR PAIRS WHERE b.o.dep IS NULL", nil, `error 1:21: want a field of docs, found "o.dep", which no document has; did you mean o.deep?`},
		{"DELETE FROM docs WHERE n >= ?", []any{2}, "deleted\n2\n"},
		{"DELETE FROM docs WHERE n >= ?", []any{2}, "deleted\n0\n"},
	}
	fill(t, db)
	for _, tt := range tests {
		if got := answer(db, Options{}, tt.src, tt.args...); got != tt.want {
			t.Errorf("%s %v gives\n%s\nwant\n%s", tt.src, tt.args, got, tt.want)
		}
	}
}

// What a caller does not allow is refused, with an error that says so.
func TestLimits(t *testing.T) {
	db := openStore(t)
	fill(t, db)
	ctx := t.Context()
	for _, src := range []string{"SELECT id FROM docs", "SELECT id FROM docs ORDER BY size", "SIMILAR PAIRS WHERE sim >= 0", "SHOW STATS"} {
		all := strings.Count(answer(db, Options{}, src), "\n") - 1
		if all < 2 {
			t.Fatalf("%s has %d rows", src, all)
		}
		if got, want := answer(db, Options{MaxRows: int64(all)}, src), answer(db, Options{}, src); got != want {
			t.Errorf("%s with room for all rows: %s, want %s", src, got, want)
		}
		got := answer(db, Options{MaxRows: int64(all) - 1}, src)
		if n := strings.Count(got, "\n"); n != all || !strings.Contains(got, fmt.Sprintf("more than %d rows", all-1)) {
			t.Errorf("%s with room for one row less: %s", src, got)
		}
	}
	if got, want := answer(db, Options{MaxRows: 1}, "SELECT count(*) FROM docs"), answer(db, Options{}, "SELECT count(*) FROM docs"); got != want {
		t.Errorf("count(*) with MaxRows 1 is %q, want %q", got, want)
	}
	for _, o := range []Options{{MaxRows: -1}, {Timeout: -1}} {
		if _, err := Run(ctx, db, o, "SHOW STATS"); !errors.Is(err, api.ErrInvalid) {
			t.Errorf("%+v: %v, want ErrInvalid", o, err)
		}
	}
	err := ended(Run(ctx, db, Options{Timeout: time.Nanosecond}, "SIMILAR PAIRS WHERE sim >= 0"))
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "Timeout") {
		t.Errorf("a statement without time: %v", err)
	}
	// The end of the caller's own time is not ours.
	ctx, cancel := context.WithTimeout(ctx, 0)
	defer cancel()
	err = ended(Run(ctx, db, Options{Timeout: time.Hour}, "SELECT id FROM docs"))
	if !errors.Is(err, context.DeadlineExceeded) || strings.Contains(err.Error(), "Timeout") {
		t.Errorf("a caller without time: %v", err)
	}
}

// ended reads rows to their end, and says what it was.
func ended(rows *Rows, err error) error {
	if err != nil {
		return err
	}
	for _, e := range rows.All() {
		err = e
	}
	return errors.Join(err, rows.Close())
}

func TestRunOptions(t *testing.T) {
	db := openStore(t)
	fill(t, db)
	file := filepath.Join(t.TempDir(), "probe.txt")
	if err := os.WriteFile(file, []byte("one two three four five"), 0o666); err != nil {
		t.Fatal(err)
	}
	if got, want := answer(db, Options{Files: true}, "SIMILAR TO FILE ? WHERE sim >= 1 RETURNING id", file), "id\n\"a\"\n\"b\"\n"; got != want {
		t.Errorf("FILE gives %q, want %q", got, want)
	}
	if got, want := answer(db, Options{}, "SIMILAR TO FILE ?", file), "this caller may not read files"; !strings.Contains(got, want) {
		t.Errorf("FILE without Files gives %q, want %q", got, want)
	}
	if got, want := answer(db, Options{Files: true}, "SIMILAR TO FILE ?", filepath.Dir(file)), "is not a regular file"; !strings.Contains(got, want) {
		t.Errorf("FILE of a folder gives %q, want %q", got, want)
	}
	if err := os.Truncate(file, 16<<20+1); err != nil {
		t.Fatal(err)
	}
	if got, want := answer(db, Options{Files: true}, "SIMILAR TO FILE ?", file), "is larger than 16 MiB"; !strings.Contains(got, want) {
		t.Errorf("FILE of a large file gives %q, want %q", got, want)
	}
	if got := answer(db, Options{}, "COMPACT"); !strings.HasPrefix(got, "bytes_before bytes_after\n") {
		t.Errorf("COMPACT gives %q", got)
	}
	if got := answer(db, Options{}, "SHOW STATS"); !strings.Contains(got, "\"documents\" 3\n") {
		t.Errorf("SHOW STATS gives %q, want 3 documents", got)
	}
}

// A caller tells a rejected statement from a failing store by type and sentinel.
func TestRunErrorClasses(t *testing.T) {
	db := openStore(t)
	fill(t, db)
	ctx := context.Background()
	tests := []struct {
		src      string
		sentinel error // it is this one and no other of those here
	}{
		{"SIMILAR TO nosuch", api.ErrNotFound},
		{"COMPARE a WITH nosuch", api.ErrNotFound},
		{"SELECT * FROM nosuch", api.ErrNotFound},
		{"DROP COLLECTION nosuch", api.ErrNotFound},
		{"CREATE COLLECTION docs", api.ErrExists},
		{"CREATE COLLECTION x WITH (intervals='10-1')", api.ErrInvalid},
		{"SIMILAR TO a USING containment(access='prefix')", api.ErrInvalid},
		{"SIMILAR TO a WHERE sim >= 80", api.ErrInvalid},
		{"SIMILAR TO a WHERE colour = 1", api.ErrInvalid},
		{"SELEC id FROM docs", api.ErrInvalid},
		{"SIMILAR TO FILE 'testdata'", api.ErrInvalid},
		{"SIMILAR TO FILE '-'", api.ErrInvalid},
		{"SIMILAR TO FILE 'no/such/file'", os.ErrNotExist},
	}
	for _, tt := range tests {
		_, err := Run(ctx, db, Options{Files: true}, tt.src)
		var pe *api.ParseError
		if !errors.As(err, &pe) {
			t.Errorf("%s fails with %v, want a *ParseError", tt.src, err)
		}
		for _, e := range []error{api.ErrInvalid, api.ErrNotFound, api.ErrExists, os.ErrNotExist} {
			if errors.Is(err, e) != (e == tt.sentinel) {
				t.Errorf("%s fails with %v: that it is %q is %v", tt.src, err, e, errors.Is(err, e))
			}
		}
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	rows, err := Run(cancelled, db, Options{}, "SELECT * FROM docs")
	if err == nil {
		defer rows.Close()
		_, err = plan.Length(rows.All())
	}
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled SELECT fails with %v, want %v", err, context.Canceled)
	}
}

func TestRowsOnce(t *testing.T) {
	db := openStore(t)
	fill(t, db)
	rows, err := Run(context.Background(), db, Options{}, "SELECT id FROM docs")
	if err != nil {
		t.Fatal(err)
	}
	if n, err := plan.Length(rows.All()); n != 3 || err != nil {
		t.Errorf("first reading gives %d rows and %v, want 3", n, err)
	}
	if _, err := plan.Length(rows.All()); !errors.Is(err, errRead) {
		t.Errorf("second reading gives %v, want %v", err, errRead)
	}
	if err := errors.Join(rows.Close(), rows.Close()); err != nil {
		t.Errorf("Close gives %v", err)
	}
}

func named(name string, value any) api.NamedArg { return api.NamedArg{Name: name, Value: value} }
