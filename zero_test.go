package simdb_test

// A DB that was not opened.

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

// Every call of a DB that was not opened says so.
func TestNotOpened(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(path, []byte("one two three"), 0o644); err != nil {
		t.Fatal(err)
	}
	given := map[reflect.Type]any{
		reflect.TypeFor[context.Context](): t.Context(), reflect.TypeFor[string](): path, reflect.TypeFor[[]string](): []string{path},
		reflect.TypeFor[io.Reader](): strings.NewReader("one two three"), reflect.TypeFor[io.Writer](): io.Discard,
		reflect.TypeFor[api.Target](): api.ByID("a"), reflect.TypeFor[[]api.Target](): []api.Target{api.ByID("a")},
		reflect.TypeFor[*simdb.Batch](): &simdb.Batch{},
	}
	db := reflect.ValueOf(&simdb.DB{})
	for i := range db.NumMethod() {
		method, name := db.Method(i), db.Type().Method(i).Name
		var args []reflect.Value
		for j := range method.Type().NumIn() {
			in := method.Type().In(j)
			v := reflect.Zero(in)
			switch value, ok := given[in]; {
			case method.Type().IsVariadic() && j == method.Type().NumIn()-1:
				continue
			case strings.HasPrefix(name, "Query") && in.Kind() == reflect.String:
				v = reflect.ValueOf("SHOW STATS")
			case ok:
				v = reflect.ValueOf(value)
			case in.Kind() == reflect.Func && in.NumIn() == 1 && in.In(0).Kind() == reflect.Func: // a source that has nothing
				v = reflect.MakeFunc(in, func([]reflect.Value) []reflect.Value { return nil })
			}
			args = append(args, v)
		}
		out := method.Call(args)
		last := out[len(out)-1]
		if name == "Metrics" || name == "MaxDocBytes" || name == "MemoryBytes" { // calls without an error
			if !last.IsZero() {
				t.Errorf("%s() = %v, want none", name, last)
			}
			continue
		}
		if last.Kind() == reflect.Func { // rows
			for _, err := range last.Seq2() {
				last = err
			}
		}
		if err, _ := last.Interface().(error); !errors.Is(err, api.ErrClosed) || !strings.Contains(err.Error(), "use simdb.Open") {
			t.Errorf("%s of a DB that was not opened: %v, want ErrClosed, and that it is not open", name, err)
		}
	}
}
