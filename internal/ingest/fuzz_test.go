package ingest

// The decoders on arbitrary bytes, and the fast decoders against simple ones.

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// A line decodes as with encoding/json, with a warning for each repair.
func FuzzJSONLine(f *testing.F) {
	for _, line := range []string{
		`{"id":"a","text":"x","year":-2026.5e+7,"ok":true,"no":null}`,
		`{"text":"\u00e9\ud83d\ude00\ud83d\u0041\n\/\"","id":0}`,
		`{"id":"a","text":"\ud83d\ud83d\ude00"}`,
		`{"id":"\\\"\/\b\f\n\r\t","text":"eight by\teight by\u0000eight by\ud83d"}`, `{"id":"\n`, `{"id":"\`, `{"id":"\u12`,
		`{"id":"a","text":"x","id":"b"}`, `{"id":1.,"text":""}`, `{"id":"a","text":"x",}`, `{"id":-,"text":""} `,
		`{"id":"a","text":"x","m":{"a":[1]}}`, " {\t\"id\" : 1e5 , \"text\":\"\"\r}\n", `{}`, `[]`, ``, "{\"id\":\"\x7f\",\"text\":\"\xff\"}",
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		var want map[string]any
		in := json.NewDecoder(bytes.NewReader(line))
		in.UseNumber()
		wantErr := in.Decode(&want)
		if _, err := in.Token(); wantErr == nil && err != io.EOF {
			wantErr = errors.New("more behind the object")
		}
		d := &jsonDecoder{ids: usualFields}
		got, err := d.fields(line, jsontext.AllowInvalidUTF8(true))
		if (err != nil || got == nil) != (wantErr != nil || want == nil) || wantErr == nil && !reflect.DeepEqual(got, want) {
			t.Errorf("fields(%q) = %#v, %v, want %#v, %v", line, got, err, want, wantErr)
		}
		doc, reason := d.decode(line)
		if reason == "" && !utf8.Valid(line) && len(doc.Warnings) == 0 {
			t.Errorf("decode(%q) does not warn of invalid UTF-8", line)
		}
	})
}

// Splitting CSV into records first gives the same fields as encoding/csv on the whole file.
func FuzzCSV(f *testing.F) {
	for _, s := range []string{
		"id,text\na,x\n", "a,\"b\nc\",d\r\n\r\ne", "a,\"b\"\"c\"\n\"d", "a\"b,\"c\n\"d\"e\nf\n", "\"a\"\rb\n\"a\"\r\n\"a\"\r", "\r\r\n,\n\"\"\n", "\"a,\r\nb\"\r\n",
	} {
		f.Add(s, byte(','))
		f.Add(strings.ReplaceAll(s, ",", ";"), byte(';'))
	}
	f.Fuzz(func(t *testing.T, s string, between byte) {
		if _, err := newIDRule(Options{Delimiter: between}); between == 0 || err != nil {
			return
		}
		whole := csv.NewReader(strings.NewReader(s))
		whole.FieldsPerRecord, whole.Comma = -1, rune(between)
		l := rows{r: bufio.NewReaderSize(strings.NewReader(s), 16), max: 1 << 30, dialect: dialect{between: between}}
		for {
			want, wantErr := whole.Read()
			if wantErr != nil && wantErr != io.EOF {
				return // no reference for rows that it refuses
			}
			got, ok := nextRow(&l)
			if (wantErr == io.EOF) != !ok {
				t.Fatalf("%q: encoding/csv ends with %v, records with %t", s, wantErr, ok)
			}
			if !ok {
				return
			}
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("%q: got %q, want %q", s, got, want)
			}
		}
	})
}

func nextRow(l *rows) ([]string, bool) {
	for {
		rec, err := l.next()
		if err != nil {
			return nil, false
		}
		if line, _ := bytes.CutSuffix(rec.bytes, []byte("\n")); len(bytes.TrimSuffix(line, []byte("\r"))) > 0 {
			values, _ := splitRow(rec.bytes, l.dialect)
			return values, true
		}
	}
}

// Whatever the quotes, no line of a file is lost silently: records follow without gaps, and each
// has the fields of the header or is rejected.
func FuzzRows(f *testing.F) {
	for _, s := range []string{"a,\"b\nc,d\n", "a,\"b \"c\" d\"\ne,f", "a,\"b\" c\nd,e\n", "a,\"\nb,\"\"\"\nc,d", "\"\n\"\n\"\n", `a,"b\"c"` + "\nd,\\N\n"} {
		for how := range literal + 1 {
			f.Add(s, byte(','), uint8(how), uint8(2))
		}
	}
	f.Fuzz(func(t *testing.T, s string, between byte, how, fields uint8) {
		if _, err := newIDRule(Options{Delimiter: between}); between == 0 || err != nil || fields == 0 {
			return
		}
		l := rows{r: bufio.NewReaderSize(strings.NewReader(s), 16), max: 40, dialect: dialect{between, quoting(how % 5)}, fields: int(fields)}
		line := int64(1)
		for {
			rec, err := l.next()
			if err != nil {
				break
			}
			if rec.line != line {
				t.Fatalf("%q: a record begins in line %d, want %d", s, rec.line, line)
			}
			line = l.line + 1
			if rec.reason != "" && rec.lines != line-rec.line {
				t.Fatalf("%q: %d lines are lost, want %d", s, rec.lines, line-rec.line)
			}
			if rec.reason == "" && line-rec.line > 1 && rec.size <= 40 {
				if got, good := splitRow(rec.bytes, dialect{between, rec.how}); !good || len(got) != int(fields) {
					t.Fatalf("%q: a record of %d lines has the fields %q (%t), want %d", s, line-rec.line, got, good, fields)
				}
			}
		}
		if want := int64(strings.Count(strings.TrimSuffix(s, "\n"), "\n") + 1); s != "" && line-1 != want {
			t.Fatalf("%q: %d lines are read, want %d", s, line-1, want)
		}
	})
}

// No archive, however damaged, ends the import or yields an id outside it.
func fuzzArchive(f *testing.F, format string) {
	f.Fuzz(func(t *testing.T, content []byte) {
		dir := t.TempDir()
		path, next := filepath.Join(dir, "a."+format), filepath.Join(dir, "next")
		write(t, path, string(content))
		write(t, next, "x")
		o := Options{MaxDocBytes: 1000}
		got := readAll(t, o, path, next)
		if n := len(got.docs); n == 0 || got.docs[n-1].ID != "next" {
			t.Fatal("the next path was not read")
		}
		for _, d := range got.docs {
			if len(d.Text) > 1000 {
				t.Errorf("text of %d bytes", len(d.Text))
			}
			if d.Line == 0 && (strings.HasPrefix(d.ID, "/") || bytes.Contains([]byte("/"+d.ID+"/"), []byte("/../"))) {
				t.Errorf("id %q", d.ID)
			}
		}
	})
}

func FuzzTar(f *testing.F) {
	f.Add([]byte(tarOf(f, "a", "x", "../b", "y", "c.jsonl", "{}")))
	f.Add([]byte(gz(tarOf(f, "a", "x"))))
	fuzzArchive(f, "tar")
}

func FuzzZip(f *testing.F) {
	archive := zipOf(f, "a", "x", "../b", "y", "c.csv", "id,text\n1,2\n")
	f.Add([]byte(archive))
	f.Add([]byte(overlap(archive)))
	f.Add([]byte(encrypt(archive)))
	fuzzArchive(f, "zip")
}
