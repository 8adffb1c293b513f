package simdb

import (
	"reflect"
	"testing"

	"github.com/simdb/simdb/api"
)

// Every field of Options and Shared reaches the field of the same name in the engine, and the engine
// has no other.
func TestOptionsReachTheEngine(t *testing.T) {
	shared := &Shared{CacheBytes: 1, MemoryBytes: 2, Awake: 3}
	given := Options{Shared: shared}
	if (*Options)(nil).of() != nil {
		t.Error("nil options are not nil in the engine")
	}
	in := reflect.ValueOf(&given).Elem()
	for _, f := range reflect.VisibleFields(in.Type()) {
		if f.Name != "Shared" {
			in.FieldByIndex(f.Index).Set(nonzero(t, f.Type))
		}
	}
	same(t, in, reflect.ValueOf(*given.of()))
	same(t, reflect.ValueOf(shared).Elem(), reflect.ValueOf(given.of().Shared).Elem())
	if first, second := given.of(), given.of(); first.Shared != second.Shared {
		t.Error("two databases with one Shared share nothing")
	}
}

// nonzero returns a value of the type that is not zero.
func nonzero(t *testing.T, of reflect.Type) reflect.Value {
	v := reflect.New(of).Elem()
	switch of.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int64:
		v.SetInt(7)
	case reflect.Uint32:
		v.SetUint(7)
	case reflect.String:
		v.SetString("x")
	case reflect.Pointer:
		v.Set(reflect.New(of.Elem()))
	case reflect.Func:
		v.Set(reflect.MakeFunc(of, func([]reflect.Value) []reflect.Value { return nil }))
	default:
		t.Fatalf("no value of %v is known", of)
	}
	return v
}

// same compares the exported fields of two structs.
func same(t *testing.T, ours, engines reflect.Value) {
	t.Helper()
	for _, f := range reflect.VisibleFields(engines.Type()) {
		if f.IsExported() && !ours.FieldByName(f.Name).IsValid() {
			t.Errorf("%v lacks %s", ours.Type(), f.Name)
		}
	}
	for _, f := range reflect.VisibleFields(ours.Type()) {
		if !f.IsExported() || f.Type == reflect.TypeFor[*Shared]() {
			continue
		}
		a, b := ours.FieldByIndex(f.Index), engines.FieldByName(f.Name)
		switch {
		case !b.IsValid() && f.Type == reflect.TypeFor[api.Observer](): // the methods of DB call it
		case !b.IsValid():
			t.Errorf("%v lacks %s", engines.Type(), f.Name)
		case a.Kind() == reflect.Func && a.Pointer() != b.Pointer(), a.Kind() != reflect.Func && !a.Equal(b):
			t.Errorf("%s is %v in %v, want %v", f.Name, b, engines.Type(), a)
		}
	}
}
