package simdb_test

import (
	"encoding"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/load"
)

// Every exported field of a type of package api that a call returns, yields or passes to a callback
// has a name in JSON, and no two fields of a type have the same.
func TestRowsHaveNamesInJSON(t *testing.T) {
	w := walk{t: t, seen: map[reflect.Type]bool{}}
	for _, typ := range []reflect.Type{
		reflect.TypeFor[*simdb.DB](), reflect.TypeFor[*simdb.Snapshot](), reflect.TypeFor[*simdb.Shards](),
		reflect.TypeFor[*simdb.ShardsSnapshot](), reflect.TypeFor[*simdb.Batch](), reflect.TypeFor[*simdb.Rows](),
	} {
		for i := range typ.NumMethod() {
			w.call(typ.Method(i).Type)
		}
	}
	for _, f := range []any{simdb.OpenContext, simdb.OpenShards, simdb.Tail, simdb.History, simdb.ExtendBackup, simdb.RestoreTo, simdb.Salvage, simdb.WithPlan, simdb.WithPassages, simdb.WithProgress, load.Import, load.Sync} {
		w.call(reflect.TypeOf(f))
	}
	for _, typ := range []reflect.Type{reflect.TypeFor[api.Match](), reflect.TypeFor[api.BatchStats](), reflect.TypeFor[api.Reject](), reflect.TypeFor[api.OpenProgress](), reflect.TypeFor[api.Settings](), reflect.TypeFor[api.Plan]()} {
		if !w.seen[typ] {
			t.Errorf("the walk over all calls does not come to %v", typ)
		}
	}
}

// walk goes through types that callers receive.
type walk struct {
	t    *testing.T
	seen map[reflect.Type]bool
}

// call visits the results of a function and its callbacks, also those among its options.
func (w walk) call(f reflect.Type) {
	for i := range f.NumOut() {
		w.visit(f.Out(i))
	}
	for i := range f.NumIn() {
		w.callbacks(f.In(i))
	}
}

func (w walk) callbacks(in reflect.Type) {
	if in.Kind() == reflect.Pointer && in.Elem().Kind() == reflect.Slice || in == reflect.TypeFor[*api.Plan]() { // which the call fills
		w.visit(in.Elem())
	}
	if in.Kind() == reflect.Pointer {
		in = in.Elem()
	}
	switch in.Kind() {
	case reflect.Func:
		w.visit(in)
	case reflect.Struct:
		for i := range in.NumField() {
			if f := in.Field(i); f.IsExported() && f.Type.Kind() == reflect.Func {
				w.visit(f.Type)
			}
		}
	}
}

// writesItself reports whether a type has a form in JSON of its own.
func writesItself(typ reflect.Type) bool {
	return typ.Implements(reflect.TypeFor[json.Marshaler]()) || typ.Implements(reflect.TypeFor[encoding.TextMarshaler]())
}

func (w walk) visit(typ reflect.Type) {
	switch typ.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		w.visit(typ.Elem())
	case reflect.Func:
		for i := range typ.NumIn() {
			w.visit(typ.In(i))
		}
		for i := range typ.NumOut() {
			w.visit(typ.Out(i))
		}
	case reflect.Struct:
		if !strings.HasSuffix(typ.PkgPath(), "/api") || writesItself(typ) || w.seen[typ] {
			return
		}
		w.seen[typ] = true
		names := map[string]bool{}
		for i := range typ.NumField() {
			f := typ.Field(i)
			if !f.IsExported() {
				continue
			}
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name == "" && !f.Anonymous || names[name] {
				w.t.Errorf("%v.%s has the name %q in JSON, want one of its own", typ, f.Name, name)
			}
			names[name] = name != ""
			w.visit(f.Type)
		}
	}
}
