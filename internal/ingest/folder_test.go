package ingest

import (
	"context"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/simdb/simdb/api"
)

// Files of records are read alike in a folder and by name. The reject of a file without text has a
// kind, unless the file was named alone.
func TestRecordsInAFolder(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{
		"a.json":       `[{"id":"a1","text":"x","n":1},{"id":"a2","text":"y"}]`,
		"numbers.json": `[1, 2]`,
		"b.csv":        "id,text,n,m\nb1,x,1,2\n",
		"c.jsonl":      `{"id":"c1","text":"x","m":2}`,
		"picture.png":  "\x89PNG\r\n\x1a\n\x00",
		"sound.ogg":    "OggS\x00",
		"other.csv":    "year,sum\n1,2\n",
	} {
		write(t, filepath.Join(dir, name), content)
	}
	got := readAll(t, Options{}, dir)
	want := `a1="x" {"n":1}
a2="y"
b1="x" {"m":"2","n":"1"}
c1="x" {"m":2}
numbers.json="[1, 2]"
reject other.csv:1 : CSV header has no field "text", has ["year" "sum"]; use --text-field NAME, or --text-field 2 for the second field of a file without a header
reject picture.png:0 picture.png: PNG image, not a text
reject sound.ogg:0 sound.ogg: Ogg sound, not a text
`
	if s := got.summary(dir); s != want {
		t.Errorf("Read(folder) =\n%swant\n%s", s, want)
	}
	kinds := func(o Options, path string) (kinds []string) {
		for b, err := range Read(context.Background(), []string{path}, o) {
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range b.Rejects {
				kinds = append(kinds, r.Kind)
			}
		}
		return kinds
	}
	if got := kinds(Options{}, dir); !slices.Equal(got, []string{"", "picture", "sound"}) {
		t.Errorf("kinds of rejects in the folder %q", got)
	}
	if got := kinds(Options{}, filepath.Join(dir, "picture.png")); !slices.Equal(got, []string{""}) {
		t.Errorf("a picture that is named alone has the kind %q", got)
	}
	got = readAll(t, Options{Metadata: []string{"n"}, Exclude: []string{"*.png", "*.ogg", "other.csv", "numbers.json"}}, dir)
	if s, want := got.summary(dir), "a1=\"x\" {\"n\":1}\na2=\"y\"\nb1=\"x\" {\"n\":\"1\"}\nc1=\"x\"\n"; s != want {
		t.Errorf("with one field of metadata =\n%swant\n%s", s, want)
	}
}

// lineTable is a table reader for tests: after PAR1, each line is a row.
type lineTable struct{}

func (lineTable) Reads(head []byte) bool { return strings.HasPrefix(string(head), "PAR1") }

func (lineTable) Records(_ context.Context, _ []byte, in io.Reader, size int64, want api.TableFields) iter.Seq2[api.TableRecord, error] {
	return func(yield func(api.TableRecord, error) bool) {
		if _, ok := in.(io.ReaderAt); ok != (size >= 0) {
			yield(api.TableRecord{}, fmt.Errorf("size %d", size))
			return
		}
		b, err := io.ReadAll(in)
		if err != nil {
			yield(api.TableRecord{}, err)
			return
		}
		for _, line := range strings.Split(strings.TrimSpace(string(b)), "\n")[1:] {
			r := api.TableRecord{JSON: fmt.Appendf(nil, `{%q:%q,%q:"x"}`, want.ID, line, want.Text[0])}
			switch line {
			case "bad":
				r = api.TableRecord{Reason: "a bad row"}
			case "end":
				yield(r, fmt.Errorf("row group 2: damaged"))
				return
			}
			if !yield(r, nil) {
				return
			}
		}
	}
}

// The rows of a table have numbers, rejects name the row, and an import can resume after any row.
func TestTables(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "t.parquet"), "PAR1\na\nbad\nc\nend\n")
	o := Options{Tables: lineTable{}, IDField: "url", BatchDocs: 1}
	want := "a=\"x\"\nc=\"x\"\nreject t.parquet:2 : a bad row\nreject t.parquet:4 : row group 2: damaged; nothing behind it is read\n"
	for _, path := range []string{dir, filepath.Join(dir, "t.parquet")} {
		if got := readAll(t, o, path).summary(dir); got != want {
			t.Errorf("Read(%s) =\n%swant\n%s", path, got, want)
		}
	}
	for b, err := range Read(t.Context(), []string{dir}, o) {
		if err != nil {
			t.Fatal(err)
		}
		o.After = b.End
		break
	}
	if got := readAll(t, o, dir).summary(dir); got != strings.TrimPrefix(want, "a=\"x\"\n") {
		t.Errorf("resumed behind a row =\n%s", got)
	}
	write(t, filepath.Join(dir, "t.parquet.gz"), gz("PAR1\na\n"))
	if got := readAll(t, Options{Tables: lineTable{}}, filepath.Join(dir, "t.parquet.gz")).summary(dir); got != "a=\"x\"\n" {
		t.Errorf("a compressed table: %s", got)
	}
	if got := readAll(t, Options{Format: "parquet"}, filepath.Join(dir, "t.parquet")).summary(dir); !strings.Contains(got, noTables) {
		t.Errorf("a table without a reader of tables: %s", got)
	}
}
