package columnar

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/torture"
)

// arrowColumns are a column of each type, as a row of JSON of the library, and as a row of an
// import.
var arrowColumns = []struct {
	name       string
	dataType   arrow.DataType
	meta       string // extension
	json, want string
}{
	{"id", arrow.BinaryTypes.String, "", `"i%d"`, `"i%d"`},
	{"text", arrow.BinaryTypes.LargeString, "", `"one two"`, `"one two"`},
	{"view", arrow.BinaryTypes.StringView, "", `"a view that is longer than twelve bytes"`, `"a view that is longer than twelve bytes"`},
	{"dict", &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}, "", `"en"`, `"en"`},
	{"list", arrow.ListOf(arrow.PrimitiveTypes.Int32), "", `[1,null,3]`, `[1,null,3]`},
	{"large", arrow.LargeListOf(arrow.BinaryTypes.String), "", `["a"]`, `["a"]`},
	{"fixed", arrow.FixedSizeListOf(2, arrow.PrimitiveTypes.Float32), "", `[1.5,2]`, `[1.5,2]`},
	{"lview", arrow.ListViewOf(arrow.PrimitiveTypes.Int8), "", `[7]`, `[7]`},
	{"struct", arrow.StructOf(arrow.Field{Name: "a", Type: arrow.PrimitiveTypes.Int64, Nullable: true}, arrow.Field{Name: "b", Type: arrow.ListOf(arrow.BinaryTypes.String), Nullable: true}), "", `{"a":1,"b":["x"]}`, `{"a":1,"b":["x"]}`},
	{"map", arrow.MapOf(arrow.PrimitiveTypes.Int32, arrow.BinaryTypes.String), "", `[{"key":1,"value":"x"}]`, `{"1":"x"}`},
	{"bool", arrow.FixedWidthTypes.Boolean, "", `true`, `true`},
	{"i8", arrow.PrimitiveTypes.Int8, "", `-8`, `-8`}, {"i16", arrow.PrimitiveTypes.Int16, "", `-16`, `-16`},
	{"u8", arrow.PrimitiveTypes.Uint8, "", `8`, `8`}, {"u16", arrow.PrimitiveTypes.Uint16, "", `16`, `16`}, {"u32", arrow.PrimitiveTypes.Uint32, "", `32`, `32`},
	{"u64", arrow.PrimitiveTypes.Uint64, "", `18446744073709551615`, `18446744073709551615`},
	{"f16", arrow.FixedWidthTypes.Float16, "", `1.5`, `1.5`}, {"f64", arrow.PrimitiveTypes.Float64, "", `0.1`, `0.1`},
	{"dec", &arrow.Decimal128Type{Precision: 10, Scale: 2}, "", `"-2.05"`, `-2.05`}, {"dec32", &arrow.Decimal32Type{Precision: 5, Scale: 1}, "", `"7.5"`, `7.5`},
	{"dec256", &arrow.Decimal256Type{Precision: 40, Scale: 2}, "", `"1.50"`, `1.50`}, {"dec64", &arrow.Decimal64Type{Precision: 12, Scale: 0}, "", `"12"`, `12`},
	{"date", arrow.FixedWidthTypes.Date32, "", `"2026-01-02"`, `"2026-01-02"`}, {"date64", arrow.FixedWidthTypes.Date64, "", `"2026-01-02"`, `"2026-01-02"`},
	{"time", arrow.FixedWidthTypes.Time64us, "", `"03:04:05.678"`, `"03:04:05.678"`}, {"time32", arrow.FixedWidthTypes.Time32s, "", `"03:04:05"`, `"03:04:05"`},
	{"utc", arrow.FixedWidthTypes.Timestamp_us, "", `"2026-01-02T03:04:05.678Z"`, `"2026-01-02T03:04:05.678Z"`},
	{"local", &arrow.TimestampType{Unit: arrow.Millisecond}, "", `"2026-01-02T03:04:05.678"`, `"2026-01-02T03:04:05.678"`},
	{"duration", arrow.FixedWidthTypes.Duration_s, "", `"3s"`, `"3s"`},
	{"binary", arrow.BinaryTypes.Binary, "", `"b2s="`, `"ok"`},
	{"json", arrow.BinaryTypes.String, "arrow.json", `"{\"a\": 1}"`, `{"a": 1}`},
	{"uuid", &arrow.FixedSizeBinaryType{ByteWidth: 16}, "arrow.uuid", `"AAAAAAAAAAAAAAAAAAAABQ=="`, `"00000000-0000-0000-0000-000000000005"`},
	{"union", arrow.SparseUnionOf([]arrow.Field{{Name: "n", Type: arrow.PrimitiveTypes.Int32, Nullable: true}, {Name: "s", Type: arrow.BinaryTypes.String, Nullable: true}}, []arrow.UnionTypeCode{0, 1}), "", `[1,"x"]`, `"x"`},
	{"none", arrow.Null, "", `null`, `null`},
}

// arrowOf writes batches of two rows, of which the second has only an id and a text.
func arrowOf(t testing.TB, batches int, file bool, options ...ipc.Option) (_ []byte, want []string) {
	t.Helper()
	var fields []arrow.Field
	var row, line []string
	for _, c := range arrowColumns {
		f := arrow.Field{Name: c.name, Type: c.dataType, Nullable: true}
		if c.meta != "" {
			f.Metadata = arrow.NewMetadata([]string{"ARROW:extension:name"}, []string{c.meta})
		}
		fields = append(fields, f)
		row = append(row, fmt.Sprintf("%q:%s", c.name, c.json))
		line = append(line, fmt.Sprintf("%q:%s", c.name, c.want))
	}
	schema := arrow.NewSchema(fields, nil)
	var b bytes.Buffer
	options = append(options, ipc.WithSchema(schema))
	var w interface {
		Write(arrow.RecordBatch) error
		Close() error
	} = ipc.NewWriter(&b, options...)
	if file {
		var err error
		if w, err = ipc.NewFileWriter(&b, options...); err != nil {
			t.Fatal(err)
		}
	}
	for n := range batches {
		second := fmt.Sprintf(`{"id":"j%d","text":"three"}`, n)
		rows := "[{" + fmt.Sprintf(strings.Join(row, ","), n) + "}," + second + "]"
		batch, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, strings.NewReader(rows))
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(batch); err != nil {
			t.Fatal(err)
		}
		nulls := []string{fmt.Sprintf(`"id":"j%d"`, n), `"text":"three"`}
		for _, c := range arrowColumns[2:] {
			nulls = append(nulls, fmt.Sprintf("%q:null", c.name))
		}
		want = append(want, "{"+fmt.Sprintf(strings.Join(line, ","), n)+"}", "{"+strings.Join(nulls, ",")+"}")
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), want
}

var arrowFields = api.TableFields{ID: "id", Text: []string{"text"}, MaxBytes: 1 << 20}

// Files and streams of every type come out, packed or not, from a disk and from a pipe.
func TestArrowOfEveryKind(t *testing.T) {
	for _, file := range []bool{false, true} {
		for name, packed := range map[string][]ipc.Option{"plain": nil, "lz4": {ipc.WithLZ4()}, "zstd": {ipc.WithZstd()}, "deltas": {ipc.WithDictionaryDeltas(true)}} {
			raw, want := arrowOf(t, 3, file, packed...)
			got, err := read(raw, arrowFields)
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Fatalf("file %v, %s: %v\n%q, want\n%q", file, name, err, got, want)
			}
			n := 0
			for r, err := range (Reader{}).Records(t.Context(), headOf(raw), struct{ io.Reader }{bytes.NewReader(raw)}, -1, arrowFields) {
				if n++; err != nil || r.Reason != "" {
					t.Errorf("from a pipe: %v, %s", err, r.Reason)
				}
			}
			if n != len(want) {
				t.Errorf("from a pipe: %d rows, want %d", n, len(want))
			}
		}
	}
	raw, _ := arrowOf(t, 0, true)
	if got, err := read(raw, arrowFields); err != nil || got != nil {
		t.Errorf("a file without rows: %q, %v", got, err)
	}
	raw, _ = arrowOf(t, 1, false)
	got, err := read(raw, api.TableFields{ID: "id", Text: []string{"view"}, Metadata: []string{"list"}, MaxBytes: 100})
	if want := []string{`{"id":"i0","view":"a view that is longer than twelve bytes","list":[1,null,3]}`, `{"id":"j0","view":null,"list":null}`}; err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("three columns: %q, %v, want %q", got, err, want)
	}
	if _, err := read(raw, api.TableFields{ID: "url", Text: []string{"text"}}); err == nil || !strings.HasPrefix(err.Error(), `cannot read Arrow: no column "url"; the columns are ["id" "text"`) {
		t.Errorf("a column that is not there: %v", err)
	}
}

// messagesOf returns where the messages of a stream begin, and the end of their heads.
func messagesOf(raw []byte) (at, body []int) {
	for next := 0; next+8 <= len(raw); {
		length := int(binary.LittleEndian.Uint32(raw[next+4:]))
		if length == 0 {
			break
		}
		info, err := checkMessage(raw[next+8:][:length])
		if err != nil {
			break
		}
		at, body = append(at, next), append(body, next+8+length)
		next += 8 + length + int(info.body)
	}
	return at, body
}

// A damaged record batch is rejected with its rows, and later batches are read. A
// damaged dictionary and a truncated stream report the number of lost rows.
func TestDamagedArrow(t *testing.T) {
	whole, want := arrowOf(t, 4, false, ipc.WithLZ4())
	at, body := messagesOf(whole)
	if len(at) != 6 { // a schema, a dictionary, four batches
		t.Fatalf("%d messages", len(at))
	}
	for name, c := range map[string]struct {
		harm func([]byte) []byte
		want []string
		last string // reject
		rows int64
	}{
		"a buffer of a batch": {func(b []byte) []byte {
			for i := range 40 {
				b[body[3]+8+i] ^= 0x5a
			}
			return b
		}, append(append([]string{}, want[:2]...), want[4:]...), "record batch 2: ", 2},
		"a dictionary":                         {func(b []byte) []byte { copy(b[body[1]:], bytes.Repeat([]byte{0x7f}, 16)); return b }, nil, "record batch 1: a dictionary before it is damaged: ", 8},
		"the end of a batch":                   {func(b []byte) []byte { return b[:at[5]-3] }, want[:4], "record batch 3: message at byte ", 2},
		"the mark of a message":                {func(b []byte) []byte { b[at[4]] = 0; return b }, want[:4], "cannot read Arrow: message at byte ", 0},
		"no end, which a stream need not have": {func(b []byte) []byte { return b[:len(b)-8] }, want, "", 0},
	} {
		var lines []string
		last, rows := "", int64(0)
		file := c.harm(bytes.Clone(whole))
		for r, err := range (Reader{}).Records(t.Context(), headOf(file), bytes.NewReader(file), int64(len(file)), arrowFields) {
			switch {
			case err != nil:
				last = err.Error()
			case r.Reason != "":
				last, rows = r.Reason, rows+r.Rows
			default:
				lines = append(lines, string(r.JSON))
			}
		}
		if !reflect.DeepEqual(lines, c.want) || !strings.HasPrefix(last, c.last) || (last == "") != (c.last == "") || rows != c.rows {
			t.Errorf("%s: %d rows, %d lost, %q, want %d, %d, %q", name, len(lines), rows, last, len(c.want), c.rows, c.last)
		}
	}
	file, _ := arrowOf(t, 2, true)
	cut := bytes.LastIndex(file, []byte{0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0})
	if _, err := read(file[:cut], arrowFields); err == nil || !strings.Contains(err.Error(), "is it cut off?") {
		t.Errorf("a file without an end: %v", err)
	}
}

// Any wrong bytes give rows or rejects; they never end the process.
func TestHostileArrow(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, o := range [][]ipc.Option{nil, {ipc.WithLZ4()}, {ipc.WithZstd()}} {
		raw, _ := arrowOf(t, 2, false, o...)
		for range torture.Few(300, 10_000) {
			harmed := bytes.Clone(raw)
			for range 1 + rng.IntN(4) {
				at := rng.IntN(len(harmed))
				harmed[at] = []byte{byte(rng.IntN(256)), 0xff, harmed[at] ^ 1<<rng.IntN(8)}[rng.IntN(3)]
			}
			n := 0
			for range arrowRecords(t.Context(), bytes.NewReader(harmed), 4<<20, arrowFields) {
				if n++; n > 1000 {
					break
				}
			}
		}
	}
	// An excessive declared size is rejected before an allocation.
	raw, _ := arrowOf(t, 1, false)
	n := 0
	for r, err := range (Reader{MemoryBytes: 2000}).Records(t.Context(), headOf(raw), bytes.NewReader(raw), int64(len(raw)), arrowFields) {
		if n++; err != nil && !strings.Contains(err.Error(), "--memory") || err == nil && !strings.Contains(r.Reason, "raise --memory to ") {
			t.Errorf("with little memory: %v, %q", err, r.Reason)
		}
	}
	if n != 1 {
		t.Errorf("with little memory: %d rows and rejects", n)
	}
}

// The head of a message is refused that has lists longer than itself, or the same column again
// and again.
func TestArrowHeads(t *testing.T) {
	raw, _ := arrowOf(t, 1, false)
	length := int(binary.LittleEndian.Uint32(raw[4:]))
	head := raw[8:][:length]
	if info, err := checkMessage(head); err != nil || info.damage != nil || info.kind != schemaMessage {
		t.Fatalf("a schema is %+v, %v", info, err)
	}
	for at := range head {
		for _, v := range []byte{0, 0x7f, 0xff} {
			harmed := bytes.Clone(head)
			harmed[at] = v
			checkMessage(harmed) // returns
		}
	}
	if readsArrow([]byte("\xff\xff\xff\xff\x07\x00\x00\x00")) || readsArrow([]byte("\xff\xfea\x00b\x00c\x00")) || !readsArrow(raw) {
		t.Error("what is Arrow is not told from what is not")
	}
}

func FuzzArrow(f *testing.F) {
	for _, file := range []bool{false, true} {
		for _, o := range [][]ipc.Option{nil, {ipc.WithLZ4()}, {ipc.WithZstd()}} {
			raw, _ := arrowOf(f, 2, file, o...)
			f.Add(raw)
		}
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		n := 0
		for range arrowRecords(t.Context(), bytes.NewReader(file), 4<<20, arrowFields) {
			if n++; n > 1000 {
				break
			}
		}
	})
}
