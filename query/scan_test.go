package query

// Rows as variables.

import (
	"database/sql"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/simdb/simdb/api"
)

func TestScan(t *testing.T) {
	db := openStore(t)
	at := time.Date(2026, 1, 31, 12, 0, 0, 5, time.FixedZone("", 3600))
	meta := api.Meta{"i": math.MinInt64, "u": uint64(math.MaxUint64), "big": int64(1)<<53 + 1, "f": 0.1, "half": 2.5, "s": "text", "n": " 42 ",
		"yes": true, "at": at, "tags": []string{"x", "y"}, "mixed": []any{"x", 1, true, nil}, "o": map[string]any{"k": 1.50}, "huge": json.Number("1e400")}
	if err := db.Put(t.Context(), api.Document{ID: "a", Text: "one two three four", Meta: meta}); err != nil {
		t.Fatal(err)
	}
	one := func(field string) []any {
		t.Helper()
		rows, err := Run(t.Context(), db, Options{}, "SELECT "+field+" FROM docs")
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		for row, err := range rows.All() {
			if err != nil {
				t.Fatal(err)
			}
			return row
		}
		t.Fatal("no row")
		return nil
	}
	type name string
	for _, c := range []struct {
		field string
		into  any // a pointer
		want  any // what it points to then; nil if it cannot
	}{
		{"i", new(int64), int64(math.MinInt64)}, {"i", new(int), math.MinInt64}, {"i", new(int32), nil}, {"i", new(uint64), nil}, {"i", new(float64), float64(math.MinInt64)},
		{"u", new(uint64), uint64(math.MaxUint64)}, {"u", new(int64), nil}, {"u", new(json.Number), json.Number("18446744073709551615")},
		{"big", new(int64), int64(1)<<53 + 1}, {"big", new(float64), nil}, {"big", new(string), "9007199254740993"},
		{"f", new(float64), 0.1}, {"f", new(float32), float32(0.1)}, {"f", new(int), nil}, {"half", new(int), nil}, {"half", new(float32), float32(2.5)},
		{"s", new(string), "text"}, {"s", new(name), name("text")}, {"s", new(int), nil}, {"s", new(time.Time), nil}, {"s", new(bool), nil},
		{"n", new(int8), int8(42)}, {"n", new(uint8), uint8(42)}, {"yes", new(bool), true}, {"yes", new(string), "true"}, {"yes", new(int), nil},
		{"at", new(time.Time), at}, {"at", new(string), "2026-01-31T12:00:00.000000005+01:00"},
		{"tags", new([]string), []string{"x", "y"}}, {"tags", new([]any), []any{"x", "y"}}, {"mixed", new([]string), nil}, {"tags", new(string), nil},
		{"o", new(api.Meta), api.Meta{"k": json.Number("1.5")}}, {"o", new(map[string]any), map[string]any{"k": json.Number("1.5")}}, {"tags", new(api.Meta), nil},
		{"huge", new(json.Number), json.Number("1e400")}, {"huge", new(float64), nil}, {"huge", new(any), json.Number("1e400")},
		{"size", new(int16), int16(18)}, {"id", new(string), "a"}, {"id", new(sql.NullString), sql.NullString{String: "a", Valid: true}},
	} {
		err := Scan(one(c.field), c.into)
		if c.want == nil {
			if !errors.Is(err, api.ErrInvalid) || !strings.Contains(err.Error(), "column 1") {
				t.Errorf("Scan of %s into a %T = %v, want an error that names the column", c.field, c.into, err)
			}
			continue
		}
		got := reflect.ValueOf(c.into).Elem().Interface()
		if want, ok := c.want.(time.Time); ok && err == nil && want.Equal(got.(time.Time)) {
			continue
		}
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("Scan of %s into a %T = %v, %v, want %v", c.field, c.into, got, err, c.want)
		}
		pointer := reflect.New(reflect.TypeOf(c.into)) // to one more pointer
		if err := Scan(one(c.field), pointer.Interface()); err != nil || !reflect.DeepEqual(pointer.Elem().Elem().Interface(), got) {
			t.Errorf("Scan of %s into a %T = %v", c.field, pointer.Interface(), err)
		}
	}
}

func TestScanNull(t *testing.T) {
	db := openStore(t)
	for _, d := range []api.Document{{ID: "a", Meta: api.Meta{"x": 1, "y": nil}}, {ID: "b"}} {
		if err := db.Put(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
	rows, err := Run(t.Context(), db, Options{}, "SELECT id, x, y FROM docs ORDER BY id")
	if err != nil {
		t.Fatal(err)
	}
	var id string
	var list []string
	x, hash := new(int), new(string)
	defer rows.Close()
	n := 0
	for row, err := range rows.All() {
		if err != nil {
			t.Fatal(err)
		}
		n++
		if err := Scan(row, &id, &x, &hash); err != nil || hash != nil || (x == nil) != (id == "b") {
			t.Errorf("Scan gives %q, %v, %v, %v", id, x, hash, err)
		}
		for _, into := range [][]any{{&id}, {&id, x, &list, 1}, {id, &x, &hash}, {(*string)(nil), &x, &hash}, {&id, &x, new(string)}} {
			if err := Scan(row, into...); !errors.Is(err, api.ErrInvalid) {
				t.Errorf("Scan(%T…) = %v, want ErrInvalid", into[0], err)
			}
		}
		if err := Scan(row, &id, &x, &list); err != nil || list != nil {
			t.Errorf("Scan of NULL into a []string = %v, %v", list, err)
		}
	}
	if n != 2 {
		t.Errorf("%d rows, want 2", n)
	}
}

// What goes in as metadata comes back, by every way in.
func TestNumbersComeBack(t *testing.T) {
	db := openStore(t)
	at := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		in   any
		want any
	}{
		{int64(math.MinInt64), json.Number("-9223372036854775808")}, {uint64(math.MaxUint64), json.Number("18446744073709551615")},
		{int64(1)<<53 + 1, json.Number("9007199254740993")}, {0.1, json.Number("0.1")}, {1e-30, json.Number("1e-30")}, {json.Number("1.50"), json.Number("1.50")},
		{json.Number("1e400"), json.Number("1e400")}, {"x", "x"}, {true, true}, {nil, nil}, {at, "2026-01-31T12:00:00Z"},
		{[]any{1, "a"}, []any{json.Number("1"), "a"}}, {[]string{"a"}, []any{"a"}}, {api.Meta{"k": 1}, map[string]any{"k": json.Number("1")}},
	} {
		if err := db.Put(t.Context(), api.Document{ID: "put", Meta: api.Meta{"v": c.in, "w": 1}}); err != nil {
			t.Fatal(err)
		}
		if err := db.Put(t.Context(), api.Document{ID: "changed", Meta: api.Meta{"v": 0, "w": 1}}); err != nil {
			t.Fatal(err)
		}
		if c.in != nil { // it would remove the field
			if err := db.UpdateMeta(t.Context(), "", "changed", api.Meta{"v": c.in}); err != nil {
				t.Fatal(err)
			}
		} else if err := db.Put(t.Context(), api.Document{ID: "changed", Meta: api.Meta{"v": nil}}); err != nil {
			t.Fatal(err)
		}
		for _, src := range []string{"INSERT INTO docs (id, text, v) VALUES ('insert', '', ?)", "UPDATE docs SET v = ? WHERE id = 'put'"} {
			rows, err := Run(t.Context(), db, Options{}, src, c.in)
			if err != nil {
				t.Fatalf("%s with %v: %v", src, c.in, err)
			}
			rows.Close()
		}
		snap, err := db.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range []string{"put", "changed", "insert"} {
			d, err := snap.Get("docs", id)
			if got := d.Meta["v"]; err != nil || !reflect.DeepEqual(got, c.want) {
				t.Errorf("%s: %v (%T) comes back as %v (%T), %v", id, c.in, c.in, got, got, err)
			}
		}
		snap.Close()
	}
}
