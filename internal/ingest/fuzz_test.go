package ingest

// The decoders against any bytes, and the fast ones against the plain ones.

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

// A line gives what encoding/json gives of it, and a warning where that guesses.
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

// Splitting CSV into records first gives what encoding/csv gives of the whole.
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
		l := lines{r: bufio.NewReaderSize(strings.NewReader(s), 16), max: 1 << 30, quotes: &quotes{between: between}}
		var d csvDecoder
		for {
			want, wantErr := whole.Read()
			got, reason := nextRow(&l, &d, between)
			if wantErr == io.EOF || reason == "end" {
				if wantErr != io.EOF || reason != "end" {
					t.Fatalf("%q: encoding/csv ends with %v, records with %q", s, wantErr, reason)
				}
				return
			}
			if (wantErr != nil) != (reason != "") || wantErr == nil && !reflect.DeepEqual(got, want) {
				t.Fatalf("%q: got %q %s, want %q %v", s, got, reason, want, wantErr)
			}
		}
	})
}

func nextRow(l *lines, d *csvDecoder, between byte) ([]string, string) {
	for {
		rec, err := l.next()
		if err != nil {
			return nil, "end"
		}
		if values, reason := d.fields(rec.bytes, between); reason != blank {
			return values, reason
		}
	}
}

// No archive, however broken, ends the import or brings an id from outside.
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
