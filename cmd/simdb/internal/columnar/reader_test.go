package columnar

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/encoding"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
	"golang.org/x/sync/semaphore"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/torture"
)

// page is a typical row.
type page struct {
	URL   string            `parquet:"url"`
	Text  *string           `parquet:"text,optional"`
	Size  int32             `parquet:"size"`
	Tags  []string          `parquet:"tags,list"`
	About map[string]string `parquet:"about"`
	Place *struct {
		Path  string  `parquet:"path"`
		Score float64 `parquet:"score"`
	} `parquet:"place,optional"`
}

func text(s string) *string { return &s }

// pagesFile writes n pages, in row groups of ten.
func pagesFile(t testing.TB, n int, options ...parquet.WriterOption) []byte {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[page](&b, append(options, parquet.MaxRowsPerRowGroup(10), parquet.PageBufferSize(200))...)
	for i := range n {
		p := page{URL: fmt.Sprintf("u%d", i), Text: text(strings.Repeat("word ", i%7)), Size: int32(i)}
		if i%4 == 1 {
			p.Text = nil
		}
		for j := range i % 3 {
			p.Tags = append(p.Tags, fmt.Sprint("t", j))
		}
		if i%2 == 0 {
			p.About = map[string]string{"k": fmt.Sprint(i)}
			p.Place = &struct {
				Path  string  `parquet:"path"`
				Score float64 `parquet:"score"`
			}{"p", float64(i) / 4}
		}
		if _, err := w.Write([]page{p}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

var pageFields = api.TableFields{ID: "url", Text: []string{"text"}, MaxBytes: 1 << 20}

// headOf returns the head of a file as an import passes it.
func headOf(file []byte) []byte { return file[:min(len(file), 8<<10)] }

// read returns the rows of a file as lines, and the error that ended it.
func read(file []byte, want api.TableFields, of ...Reader) (lines []string, err error) {
	for r, err := range append(of, Reader{})[0].Records(context.Background(), headOf(file), bytes.NewReader(file), int64(len(file)), want) {
		if err != nil {
			return lines, err
		}
		line := string(r.JSON)
		if r.Reason != "" {
			line = "reject " + r.Reason
		}
		lines = append(lines, line)
	}
	return lines, nil
}

func pageLines(n int) (lines []string) {
	for i := range n {
		body, about, place := `"`+strings.Repeat("word ", i%7)+`"`, "{}", "null"
		if i%4 == 1 {
			body = "null"
		}
		var tags []string
		for j := range i % 3 {
			tags = append(tags, fmt.Sprintf(`"t%d"`, j))
		}
		if i%2 == 0 {
			about, place = fmt.Sprintf(`{"k":"%d"}`, i), fmt.Sprintf(`{"path":"p","score":%v}`, float64(i)/4)
		}
		lines = append(lines, fmt.Sprintf(`{"url":"u%d","text":%s,"size":%d,"tags":[%s],"about":%s,"place":%s}`, i, body, i, strings.Join(tags, ","), about, place))
	}
	return lines
}

// All row groups come out in their order, by every compression and kind of page.
func TestPagesOfEveryKind(t *testing.T) {
	for _, codec := range []compress.Codec{&parquet.Uncompressed, &parquet.Snappy, &parquet.Gzip, &parquet.Brotli, &parquet.Zstd, &parquet.Lz4Raw} {
		for version := 1; version <= 2; version++ {
			for _, enc := range []encoding.Encoding{&parquet.Plain, &parquet.RLEDictionary, &parquet.DeltaLengthByteArray, &parquet.DeltaByteArray} {
				name := fmt.Sprintf("%v v%d %v", codec, version, enc)
				file := pagesFile(t, 95, parquet.Compression(codec), parquet.DataPageVersion(version), parquet.DefaultEncodingFor(parquet.ByteArray, enc))
				got, err := read(file, pageFields)
				if want := pageLines(95); err != nil || !reflect.DeepEqual(got, want) {
					for i := range min(len(got), len(want)) {
						if got[i] != want[i] {
							t.Errorf("%s: row %d is %s, want %s", name, i, got[i], want[i])
							break
						}
					}
					t.Fatalf("%s: %d rows, %v, want %d", name, len(got), err, len(want))
				}
			}
		}
	}
}

// Parts that tile a file read each row once, in order, whatever their number.
func TestPartsOfAFile(t *testing.T) {
	file := pagesFile(t, 95)
	size := int64(len(file))
	for _, parts := range []int64{1, 2, 3, 7, 10, 25} {
		var got []string
		most := 0
		for i := range parts {
			part, err := read(file, pageFields, Reader{From: size * i / parts, To: size * (i + 1) / parts})
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, part...)
			most = max(most, len(part))
		}
		if want := pageLines(95); !reflect.DeepEqual(got, want) || parts > 1 && most > 60 {
			t.Errorf("%d parts: %d rows, want %d, at most %d in a part", parts, len(got), len(want), most)
		}
	}
}

// Only the columns that are wanted come out, and a column that is not there is named with
// those that are.
func TestWantedColumns(t *testing.T) {
	file := pagesFile(t, 3)
	got, err := read(file, api.TableFields{ID: "url", Text: []string{"text"}, Metadata: []string{"size"}, MaxBytes: 1 << 20})
	if want := `{"url":"u2","text":"word word ","size":2}`; err != nil || len(got) != 3 || got[2] != want {
		t.Errorf("rows %q, %v, want the last %s", got, err, want)
	}
	_, err = read(file, api.TableFields{ID: "id", Text: []string{"text"}})
	if want := `no column "id"; the columns are ["url" "text" "size" "tags" "about" "place"]; --id-field, --text-field and --metadata name others`; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

// A value that cannot become a string rejects its row only.
func TestRejectedRows(t *testing.T) {
	type row struct {
		ID   string `parquet:"id"`
		Text []byte `parquet:"text"`
	}
	var b bytes.Buffer
	w := parquet.NewGenericWriter[row](&b)
	if _, err := w.Write([]row{{"a", []byte("x")}, {"b", []byte{0xff, 1}}, {"c", []byte("y")}, {"d", bytes.Repeat([]byte("z"), 200)}}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := read(b.Bytes(), api.TableFields{ID: "id", Text: []string{"text"}, MaxBytes: 100})
	want := []string{`{"id":"a","text":"x"}`, `reject column "text": bytes that are no UTF-8; leave the column out by --metadata, or store it as text`, `{"id":"c","text":"y"}`,
		"reject record is over the limit of 100 bytes; raise --max-doc"}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("rows %q, %v, want %q", got, err, want)
	}
}

// A row is rejected before it takes memory: a value that is too long is not quoted, and names
// and null, which take no bytes of a file, are counted as they are written.
func TestRowsOverTheLimit(t *testing.T) {
	most := rowLimit(100)
	long := &node{name: []byte(`"long"`), most: most, write: func([]byte, parquet.Value) ([]byte, error) { panic("quoted") }, to: 1}
	null := &node{name: []byte(`"` + strings.Repeat("n", blockBytes/64) + `"`), most: most, def: 1, optional: true, to: 1}
	for name, n := range map[string]*node{
		"a long text":    long,
		"names of NULL":  {shape: groupShape, most: most, to: 1, children: slices.Repeat([]*node{null}, 1000)},
		"a list of them": {shape: groupShape, most: most, to: 1, repeated: true, children: []*node{null}},
	} {
		row := []parquet.Value{parquet.ByteArrayValue(make([]byte, 101))}
		if n != long {
			row = slices.Repeat([]parquet.Value{{}}, 1000)
		}
		if b, err := n.append(nil, [][]parquet.Value{row}); err != most || cap(b) > 4*blockBytes {
			t.Errorf("%s: %d bytes, %v, want the limit", name, len(b), err)
		}
	}
}

// A file that is cut off or has a wrong bit is an error, or still has rows; it never ends the
// process, and every row before the damage is right.
func TestDamagedFiles(t *testing.T) {
	for _, codec := range []compress.Codec{&parquet.Uncompressed, &parquet.Snappy, &parquet.Lz4Raw, &parquet.Zstd} {
		file := pagesFile(t, torture.Few(12, 25), parquet.Compression(codec))
		step := torture.Few(11, 1)
		for n := 0; n < len(file); n += 13 * step {
			if _, err := read(file[:n], pageFields); err == nil {
				t.Errorf("%v: the first %d of %d bytes are read as a file", codec, n, len(file))
			}
		}
		for at := 0; at < len(file); at += step {
			for _, bit := range []byte{1, 0x80} {
				damaged := bytes.Clone(file)
				damaged[at] ^= bit
				read(damaged, pageFields) // returns
			}
		}
	}
}

// A column of lists holds the page of its next row, and none of those before.
func TestListsLetPagesGo(t *testing.T) {
	type row struct {
		Vector []float32 `parquet:"vector,list"`
	}
	var b bytes.Buffer
	w := parquet.NewGenericWriter[row](&b, parquet.PageBufferSize(4096))
	const rows, width = 500, 100
	for i := range rows {
		r := row{make([]float32, width)}
		for j := range r.Vector {
			r.Vector[j] = float32(i)
		}
		if _, err := w.Write([]row{r}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := open(bytes.NewReader(b.Bytes()), int64(b.Len()), defaultMemory, api.TableFields{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := f.cellsOf(0, f.leaves[0])
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	for i := range rows {
		values, err := c.row()
		if err != nil || len(values) != width || values[0].Float() != float32(i) || values[width-1].Float() != float32(i) {
			t.Fatalf("row %d has %d values, %v", i, len(values), err)
		}
		if len(c.held) > 1 {
			t.Fatalf("row %d: %d pages are held", i, len(c.held))
		}
	}
}

// edited writes another footer to a file.
func edited(t *testing.T, file []byte, edit func(*format.FileMetaData)) []byte {
	t.Helper()
	length := int(binary.LittleEndian.Uint32(file[len(file)-8:]))
	body, footer := file[:len(file)-8-length], file[len(file)-8-length:len(file)-8]
	var meta format.FileMetaData
	if err := decodeThrift(footer, &meta); err != nil {
		t.Fatal(err)
	}
	edit(&meta)
	footer, err := thrift.Marshal(new(thrift.CompactProtocol), &meta)
	if err != nil {
		t.Fatal(err)
	}
	out := append(bytes.Clone(body), footer...)
	return append(binary.LittleEndian.AppendUint32(out, uint32(len(footer))), "PAR1"...)
}

// Row groups without rows may stand anywhere, with columns that lie nowhere.
func TestEmptyRowGroups(t *testing.T) {
	whole := pagesFile(t, 20)
	empty := func(m *format.FileMetaData) format.RowGroup {
		g := format.RowGroup{Columns: slices.Clone(m.RowGroups[0].Columns)}
		for i := range g.Columns {
			c := &g.Columns[i].MetaData
			c.NumValues, c.DataPageOffset, c.DictionaryPageOffset, c.TotalCompressedSize = 0, 0, 0, 15
		}
		return g
	}
	for name, c := range map[string]struct {
		edit func(*format.FileMetaData)
		want []string
	}{
		"first":  {func(m *format.FileMetaData) { m.RowGroups = slices.Insert(m.RowGroups, 0, empty(m)) }, pageLines(20)},
		"middle": {func(m *format.FileMetaData) { m.RowGroups = slices.Insert(m.RowGroups, 1, empty(m)) }, pageLines(20)},
		"last":   {func(m *format.FileMetaData) { m.RowGroups = append(m.RowGroups, empty(m)) }, pageLines(20)},
		"alone":  {func(m *format.FileMetaData) { m.RowGroups = []format.RowGroup{empty(m)} }, nil},
		"none":   {func(m *format.FileMetaData) { m.RowGroups = nil }, nil},
		"no statistics": {func(m *format.FileMetaData) {
			for _, g := range m.RowGroups {
				for i := range g.Columns {
					g.Columns[i].MetaData.Statistics = format.Statistics{}
					g.Columns[i].OffsetIndexOffset, g.Columns[i].ColumnIndexOffset = 0, 0
				}
			}
		}, pageLines(20)},
	} {
		if got, err := read(edited(t, whole, c.edit), pageFields); err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %q, %v, want %q", name, got, err, c.want)
		}
	}
}

// A damaged row group reports the number of lost rows, and the other groups are read.
func TestDamagedRowGroup(t *testing.T) {
	file := edited(t, pagesFile(t, 40), func(m *format.FileMetaData) { m.RowGroups[1].Columns[0].MetaData.DataPageOffset = 0 })
	var rows []int64
	lines := []string{}
	for r, err := range (Reader{}).Records(t.Context(), headOf(file), bytes.NewReader(file), int64(len(file)), pageFields) {
		if err != nil {
			t.Fatal(err)
		}
		if r.Reason != "" {
			rows = append(rows, r.Rows)
			if !strings.HasPrefix(r.Reason, `row group 2, column "url": damaged`) || !strings.HasSuffix(r.Reason, "; 10 rows of it are not read") {
				t.Errorf("reason %q", r.Reason)
			}
			continue
		}
		lines = append(lines, string(r.JSON))
	}
	want := slices.Delete(pageLines(40), 10, 20)
	if !reflect.DeepEqual(lines, want) || !reflect.DeepEqual(rows, []int64{10}) {
		t.Errorf("%d rows and rejects of %d, want %d and one of 10", len(lines), rows, len(want))
	}
}

// The rows before damage come out, also where their block is not full.
func TestRowsBeforeDamage(t *testing.T) {
	whole := pagesFile(t, 10)
	for name, c := range map[string]struct {
		harm func(*file)
		rows int
	}{
		"an eleventh row": {func(f *file) { f.meta.RowGroups[0].NumRows++ }, 10},
		"a panic": {func(f *file) {
			write := f.fields[0].write
			f.fields[0].write = func(b []byte, v parquet.Value) ([]byte, error) {
				if string(v.ByteArray()) == "u7" {
					panic("damage")
				}
				return write(b, v)
			}
		}, 7},
	} {
		f, err := open(bytes.NewReader(whole), int64(len(whole)), defaultMemory, pageFields)
		if err != nil {
			t.Fatal(err)
		}
		c.harm(f)
		g := &group{f: f, blocks: make(chan *block, blocksAhead), ahead: semaphore.NewWeighted(bytesAhead)}
		g.read(t.Context())
		rows := 0
		for b := range g.blocks {
			rows += len(b.rows)
		}
		if rows != c.rows || g.err == nil {
			t.Errorf("%s: %d rows, %v, want %d and an error", name, rows, g.err, c.rows)
		}
	}
}

// Rows that are all rejected are handed on as others are, and reading them can be ended.
func TestBlocksOfRejectedRows(t *testing.T) {
	type row struct {
		Text []byte `parquet:"text"`
	}
	var b bytes.Buffer
	w := parquet.NewGenericWriter[row](&b)
	for range 3 * blockRows {
		if _, err := w.Write([]row{{[]byte{0xff}}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := open(bytes.NewReader(b.Bytes()), int64(b.Len()), defaultMemory, api.TableFields{MaxBytes: 100})
	if err != nil {
		t.Fatal(err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	for _, c := range []struct {
		ctx    context.Context
		blocks int
		err    error
	}{{t.Context(), 3, nil}, {ended, 0, context.Canceled}} {
		g := &group{f: f, blocks: make(chan *block, blocksAhead), ahead: semaphore.NewWeighted(bytesAhead)}
		g.read(c.ctx)
		if len(g.blocks) != c.blocks || g.err != c.err {
			t.Errorf("%d blocks, %v, want %d, %v", len(g.blocks), g.err, c.blocks, c.err)
		}
	}
}

// The memory of a row group is that of a page of each column, with its values, however many
// rows it has. One that needs more than --memory is refused, and read with fewer fields.
func TestMemoryOfRowGroups(t *testing.T) {
	type row struct {
		ID   int64   `parquet:"id"`
		Lang *string `parquet:"lang,dict,optional"`
	}
	const n = 500_000
	var b bytes.Buffer
	w := parquet.NewGenericWriter[row](&b, parquet.PageBufferSize(1<<20))
	if _, err := w.Write(slices.Repeat([]row{{7, text("en")}}, n)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	in := bytes.NewReader(b.Bytes())
	needs := func(want api.TableFields) int64 {
		f, err := open(in, in.Size(), defaultMemory, want)
		if err != nil || len(f.meta.RowGroups) != 1 {
			t.Fatal(len(f.meta.RowGroups), err)
		}
		return f.needs(0)
	}
	all, lang := needs(api.TableFields{}), needs(api.TableFields{Text: []string{"lang"}, Metadata: []string{}})
	if all < 3<<20 || all > 8<<20 || lang < 256<<10 || lang > 2<<20 {
		t.Errorf("%d bytes, and %d of the column of few bytes", all, lang)
	}
	for _, c := range []struct {
		want api.TableFields
		rows int
	}{{api.TableFields{MaxBytes: 100}, 0}, {api.TableFields{Text: []string{"lang"}, Metadata: []string{}, MaxBytes: 100}, n}} {
		rows := 0
		refused := ""
		for r, err := range (Reader{MemoryBytes: 2 << 20}).Records(t.Context(), headOf(b.Bytes()), in, in.Size(), c.want) {
			if err != nil {
				t.Fatal(err)
			}
			if refused += r.Reason; r.Reason == "" {
				rows++
			}
		}
		if rows != c.rows || (rows == 0) != strings.Contains(refused, "raise --memory to ") {
			t.Errorf("%d rows, %v, want %d", rows, refused, c.rows)
		}
	}
}

func FuzzRecords(f *testing.F) {
	for _, codec := range []compress.Codec{&parquet.Uncompressed, &parquet.Snappy, &parquet.Gzip, &parquet.Zstd} {
		for version := 1; version <= 2; version++ {
			f.Add(pagesFile(f, 12, parquet.Compression(codec), parquet.DataPageVersion(version)))
			f.Add(pagesFile(f, 12, parquet.Compression(codec), parquet.DefaultEncodingFor(parquet.ByteArray, &parquet.DeltaByteArray), parquet.DefaultEncodingFor(parquet.Int32, &parquet.DeltaBinaryPacked)))
		}
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		n := 0
		for range (Reader{MemoryBytes: 8 << 20}).Records(t.Context(), headOf(file), bytes.NewReader(file), int64(len(file)), pageFields) {
			if n++; n > 1000 {
				break
			}
		}
	})
}
