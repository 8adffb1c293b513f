package output

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/parquet-go/parquet-go"

	"github.com/simdb/simdb/api"
)

// A column has the type of its values, and text where they have several.
func TestTypesOfColumns(t *testing.T) {
	rows := [][]any{
		{"a", int64(1), 0.5, true, nil, int64(1), json.Number("1"), map[string]any{"x": 1}, nil, json.Number("0.1234567890123456789")},
		{"b\xff", int64(-2), 1.0, nil, nil, 2.5, json.Number("1.50"), []any{1}, nil, json.Number("2")},
		{"", nil, nil, false, nil, nil, "x", nil, nil, nil},
	}
	names := []string{"id", "n", "f", "b", "sim", "mixed", "any", "json", "nothing", "long"}
	want := [][]any{
		{"a", int64(1), 0.5, true, nil, 1.0, "1", `{"x":1}`, nil, "0.1234567890123456789"},
		{"b\uFFFD", int64(-2), 1.0, nil, nil, 2.5, "1.50", `[1]`, nil, "2"},
		{"", nil, nil, false, nil, nil, "x", nil, nil, nil},
	}
	for format, read := range map[string]func(*testing.T, []byte) ([]string, [][]any){"parquet": readParquet, "arrow": readArrow} {
		var b bytes.Buffer
		p := NewPrinter(format, &b, untyped(names...), Style{})
		for _, row := range rows {
			if err := p.Row(row); err != nil {
				t.Fatal(err)
			}
		}
		if err := p.End(); err != nil {
			t.Fatal(err)
		}
		columns, got := read(t, b.Bytes())
		if !reflect.DeepEqual(columns, names) || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: columns %q, rows\n%#v, want\n%#v", format, columns, got, want)
		}
	}
}

// The declared type decides where rows have NULL alone, or whole numbers of a column of numbers.
func TestDeclaredTypes(t *testing.T) {
	columns := []api.Column{{Name: "sim", Type: api.NumberType}, {Name: "size", Type: api.IntegerType}, {Name: "keep", Type: api.BooleanType}, {Name: "id", Type: api.TextType}, {Name: "x"}}
	var b bytes.Buffer
	p := NewPrinter("arrow", &b, columns, Style{})
	if err := p.Row([]any{json.Number("1"), nil, nil, nil, nil}); err != nil {
		t.Fatal(err)
	}
	if err := p.End(); err != nil {
		t.Fatal(err)
	}
	r, err := ipc.NewReader(&b)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	var got []string
	for _, f := range r.Schema().Fields() {
		got = append(got, f.Name+" "+f.Type.Name())
	}
	if want := "sim float64, size int64, keep bool, id utf8, x utf8"; strings.Join(got, ", ") != want {
		t.Errorf("types %q, want %q", got, want)
	}
}

// Rows after the sample must match its types, and are written in batches.
func TestTypedStream(t *testing.T) {
	for format, read := range map[string]func(*testing.T, []byte) ([]string, [][]any){"parquet": readParquet, "arrow": readArrow} {
		var b bytes.Buffer
		p := NewPrinter(format, &b, untyped("id", "n"), Style{})
		for i := range 3 * rowsToType {
			if err := p.Row([]any{fmt.Sprint(i), int64(i)}); err != nil {
				t.Fatal(err)
			}
		}
		if err := p.Row([]any{nil, "word"}); err == nil || !strings.Contains(err.Error(), `row 49153: column "n" is "word" here`) {
			t.Errorf("%s: a word among numbers: %v", format, err)
		}
		p = NewPrinter(format, &b, untyped("id", "n"), Style{})
		b.Reset()
		for i := range 3 * rowsToType {
			if err := p.Row([]any{fmt.Sprint(i), int64(i)}); err != nil {
				t.Fatal(err)
			}
		}
		if err := p.End(); err != nil {
			t.Fatal(err)
		}
		_, rows := read(t, b.Bytes())
		if len(rows) != 3*rowsToType || !reflect.DeepEqual(rows[40000], []any{"40000", int64(40000)}) {
			t.Errorf("%s: %d rows", format, len(rows))
		}
		b.Reset()
		if err := NewPrinter(format, &b, untyped("x", "x"), Style{}).End(); err == nil {
			t.Errorf("%s: two columns of one name are written", format)
		}
	}
}

func readParquet(t *testing.T, b []byte) (columns []string, rows [][]any) {
	t.Helper()
	f, err := parquet.OpenFile(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range f.Root().Columns() {
		columns = append(columns, c.Name())
	}
	r := parquet.NewReader(f)
	defer r.Close()
	buf := make([]parquet.Row, 100)
	for {
		n, err := r.ReadRows(buf)
		for _, row := range buf[:n] {
			var values []any
			for _, v := range row {
				switch {
				case v.IsNull():
					values = append(values, nil)
				case v.Kind() == parquet.Int64:
					values = append(values, v.Int64())
				case v.Kind() == parquet.Double:
					values = append(values, v.Double())
				case v.Kind() == parquet.Boolean:
					values = append(values, v.Boolean())
				default:
					values = append(values, string(v.ByteArray()))
				}
			}
			rows = append(rows, values)
		}
		if err != nil {
			return columns, rows
		}
	}
}

func readArrow(t *testing.T, b []byte) (columns []string, rows [][]any) {
	t.Helper()
	r, err := ipc.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	for _, f := range r.Schema().Fields() {
		columns = append(columns, f.Name)
	}
	for r.Next() {
		batch := r.RecordBatch()
		for i := range int(batch.NumRows()) {
			var values []any
			for _, c := range batch.Columns() {
				switch {
				case c.IsNull(i):
					values = append(values, nil)
				case c.DataType().Name() == "utf8":
					values = append(values, strings.Clone(c.ValueStr(i)))
				default:
					var v any
					if err := json.Unmarshal([]byte(c.ValueStr(i)), &v); err != nil {
						t.Fatal(err)
					}
					if f, ok := v.(float64); ok && c.DataType().Name() == "int64" {
						v = int64(f)
					}
					values = append(values, v)
				}
			}
			rows = append(rows, values)
		}
	}
	return columns, rows
}
