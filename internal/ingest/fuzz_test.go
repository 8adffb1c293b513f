package ingest

// The decoders against any bytes, and the fast ones against the plain ones.

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"io"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

// The fast scanner gives what encoding/json gives, or nothing.
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
		want, reason := decodeAnyJSON(line, usualFields)
		if !utf8.Valid(line) {
			if doc, reason := (&jsonDecoder{ids: usualFields}).decode(line); reason == "" && len(doc.Warnings) == 0 {
				t.Errorf("decode(%q) does not warn of invalid UTF-8", line)
			}
			return
		}
		if got, ok := (&jsonDecoder{ids: usualFields}).scan(line); ok && (reason != "" || !reflect.DeepEqual(got, want)) {
			t.Errorf("scan(%q) = %#v, want %#v %s", line, got, want, reason)
		}
	})
}

// Eight bytes at once are what they are one by one.
func TestFirstSpecial(t *testing.T) {
	check := func(word [8]byte) {
		t.Helper()
		want := 0
		for want < 8 && plain[word[want]] {
			want++
		}
		if got := firstSpecial(binary.LittleEndian.Uint64(word[:])); got != want {
			t.Fatalf("firstSpecial(%q) = %d, want %d", word, got, want)
		}
	}
	near := []byte{0, 1, 0x1f, ' ', '!', '"', '#', '[', '\\', ']', 0x7f, 0x80, 0x9f, 0xa0, 0xa2, 0xdc, 0xff}
	for i := range 8 {
		for c := range 256 {
			for _, other := range near {
				word := [8]byte(bytes.Repeat([]byte{other}, 8))
				word[i] = byte(c)
				check(word)
			}
		}
	}
	const seed = 1
	random := rand.New(rand.NewPCG(seed, 0))
	for range 100_000 {
		var word [8]byte
		for i := range word {
			word[i] = near[random.IntN(len(near))]
		}
		check(word)
	}
}

// Usual lines must not fall back, or the fast scanner is for nothing.
func TestScanTakesUsualLines(t *testing.T) {
	for _, line := range []string{
		`{"id":"a","text":"x"}`, `{"id": 5, "text": "a\nb \u00e9 \ud83d\ude00", "year": 2026, "title": "é", "ok": false, "no": null}`,
	} {
		if _, ok := (&jsonDecoder{ids: usualFields}).scan([]byte(line)); !ok {
			t.Errorf("scan(%s) fell back", line)
		}
	}
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
