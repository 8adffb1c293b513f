package ingest

// The result of each format, path and option, and the messages of rejects.

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"go.uber.org/goleak"

	"github.com/simdb/simdb/api"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// result collects everything that an import yields.
type result struct {
	docs    []Doc
	rejects []api.Reject
	batches []*Batch
}

func readAll(t testing.TB, o Options, paths ...string) result {
	t.Helper()
	var got result
	for batch, err := range Read(t.Context(), paths, o) {
		if err != nil {
			t.Fatalf("Read(%q): %v", paths, err)
		}
		got.docs = append(got.docs, batch.Docs...)
		got.rejects = append(got.rejects, batch.Rejects...)
		got.batches = append(got.batches, batch)
	}
	return got
}

// summary formats a result for comparison: a line per document with its metadata and warnings, then
// a line per reject.
func (r result) summary(dir string) string {
	var b strings.Builder
	for _, d := range r.docs {
		fmt.Fprintf(&b, "%s=%q", d.ID, d.Text)
		if len(d.Meta) > 0 {
			meta, _ := json.Marshal(d.Meta)
			fmt.Fprintf(&b, " %s", meta)
		}
		if len(d.Warnings) > 0 {
			fmt.Fprintf(&b, " (%s)", strings.Join(d.Warnings, ", "))
		}
		b.WriteByte('\n')
	}
	for _, j := range r.rejects {
		source := filepath.ToSlash(strings.TrimPrefix(strings.TrimPrefix(j.Source, dir), string(filepath.Separator)))
		fmt.Fprintf(&b, "reject %s:%d %s: %s\n", source, j.Line, j.ID, j.Reason)
	}
	return b.String()
}

// checkSummary compares the summary of reading one file with the given content.
func checkSummary(t *testing.T, o Options, name, content, want string) {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, name)
	write(t, path, content)
	want = strings.TrimPrefix(want, "\n")
	if got := readAll(t, o, path).summary(dir); got != want {
		t.Errorf("Read(%s with %.200q) =\n%swant\n%s", name, content, got, want)
	}
}

func write(t testing.TB, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
}

func gz(s string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.WriteString(w, s)
	w.Close()
	return b.String()
}

func zst(s string) string {
	var b bytes.Buffer
	w, _ := zstd.NewWriter(&b)
	io.WriteString(w, s)
	w.Close()
	return b.String()
}

// tarOf returns a tar of name, content, name, content …
func tarOf(t testing.TB, files ...string) string {
	t.Helper()
	var headers []tar.Header
	var contents []string
	for pair := range slices.Chunk(files, 2) {
		headers = append(headers, tar.Header{Name: pair[0], Typeflag: tar.TypeReg, Mode: 0o644, Size: int64(len(pair[1]))})
		contents = append(contents, pair[1])
	}
	return tarWith(t, headers, contents)
}

func tarWith(t testing.TB, headers []tar.Header, contents []string) string {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for i := range headers {
		if err := w.WriteHeader(&headers[i]); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, contents[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func zipOf(t testing.TB, files ...string) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for pair := range slices.Chunk(files, 2) {
		f, err := w.Create(pair[0])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(f, pair[1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestFormats(t *testing.T) {
	lines := `{"id":"a","text":"x"}` + "\n" + `{"id":7,"text":"y"}` + "\n"
	const records = "a=\"x\"\n7=\"y\"\n"
	for _, test := range []struct{ name, format, content, want string }{
		{"a.txt", "", "hello", "a.txt=\"hello\"\n"},
		{"a.md.gz", "", gz("hello"), "a.md.gz=\"hello\"\n"},
		{"a.md.zst", "", zst("hello"), "a.md.zst=\"hello\"\n"},
		{"wrapped", "", gz("hello"), "wrapped=\"hello\"\n"},
		{"plain.gz", "", "hello", "plain.gz=\"hello\"\n"},
		{"a.jsonl", "", lines, records},
		{"a.ndjson", "", lines, records},
		{"a.JSONL.GZ", "", gz(lines), records},
		{"a.jsonl.zst", "", zst(lines), records},
		{"two.jsonl.gz", "", gz(lines[:22]) + gz(lines[22:]), records},
		{"noending", "jsonl", lines, records},
		{"a.jsonl", "text", "{}", "a.jsonl=\"{}\"\n"},
		{"a.jsonl.gz", "text", gz("{}"), "a.jsonl.gz=\"{}\"\n"},
		{"a.csv", "", "id,text\na,x\n7,y\n", records},
		{"a.csv.gz", "", gz("id,text\na,x\n7,y\n"), records},
		{"a.tar", "", tarOf(t, "a", "x", "7", "y"), records},
		{"noending", "", tarOf(t, "a", "x", "7", "y"), records},
		{"a.tar.gz", "", gz(tarOf(t, "a", "x", "7", "y")), records},
		{"a.tgz", "", gz(tarOf(t, "a", "x", "7", "y")), records},
		{"a.tar.zst", "", zst(tarOf(t, "./a", "x", "/7", "y")), records},
		{"a.zip", "", zipOf(t, "a", "x", "7", "y"), records},
		{"noending", "", zipOf(t, "a", "x", "7", "y"), records},
		{"noending", "zip", zipOf(t, "a", "x", "7", "y"), records},
		{"a.tar", "", tarOf(t, "dir//b.txt", "x", "dir/r.jsonl", lines, "dir/c.txt.gz", gz("z")), "dir/b.txt=\"x\"\n" + records + "dir/c.txt.gz=\"z\"\n"},
		{"empty.jsonl", "", "", ""},
		{"empty.txt", "", "", "empty.txt=\"\" (empty text)\n"},
		{"empty.gz", "", gz(""), "empty.gz=\"\" (empty text)\n"},
		{"bom.txt", "", "\ufeffx", "bom.txt=\"x\"\n"},
		{"bom.jsonl", "", "\ufeff" + lines, records},
		{"bom.csv", "", "\ufeffid,text\na,x\n7,y\n", records},
		{"bom16.csv", "", "\xff\xfei\x00d\x00,\x00t\x00e\x00x\x00t\x00\n\x00a\x00,\x00x\x00", "a=\"x\"\n"},
		{"le.txt", "", "\xff\xfeh\x00i\x00", "le.txt=\"hi\"\n"},
		{"be.txt", "", "\xfe\xff\x00h\x00i", "be.txt=\"hi\"\n"},
		{"invalid.txt", "", "a\xffb", "invalid.txt=\"a\\xffb\" (invalid UTF-8)\n"},
		{"zero.bin", "", "ab\x00c", "reject zero.bin:0 zero.bin: binary file: NUL byte at offset 2; use --binary to read its bytes as Latin-1\n"},
		{"not16.bin", "", "\xff\xfea\x00b", "reject not16.bin:0 not16.bin: binary file: NUL byte at offset 3; use --binary to read its bytes as Latin-1\n"},
		{"late.bin", "", strings.Repeat("a", sniffBytes) + "\x00", fmt.Sprintf("late.bin=%q\n", strings.Repeat("a", sniffBytes)+"\x00")},
		{"bad.zip", "", "hello", "reject bad.zip:0 : cannot read on: zip: not a valid zip file\n"},
		{"bad.tar", "", "hello", "reject bad.tar:0 : input ends early (truncated?); nothing behind it is read\n"},
		{"a.zip.gz", "", gz(zipOf(t, "a", "x")), "reject a.zip.gz:0 : compressed zip: decompress it first\n"},
		{"zero.csv", "", "id,text\na,\x00\n", "a=\"\\x00\"\n"},
	} {
		t.Run(test.name+" "+test.format, func(t *testing.T) {
			checkSummary(t, Options{Format: test.format}, test.name, test.content, test.want)
		})
	}
}

func TestBinary(t *testing.T) {
	checkSummary(t, Options{Binary: true}, "a.bin", "\x00\xe9", "a.bin=\"\\x00é\"\n")
	checkSummary(t, Options{Binary: true}, "utf8.txt", "é", "utf8.txt=\"é\"\n")
}

// A binary file is rejected by its kind, with or without a NUL byte, and without the advice to read
// it as Latin-1. A text that happens to begin like such a file is a text.
func TestKindsOfBinaries(t *testing.T) {
	docx := zipOf(t, "[Content_Types].xml", "<Types/>", "word/document.xml", "<w/>")
	epub := zipOf(t, "mimetype", "application/epub+zip", "a.xhtml", "<p/>")
	const truncated = "input ends early (truncated?)"
	for _, test := range []struct{ name, content, kind string }{
		{"a.txt.xz", "\xfd7zXZ\x00\x00\x04", truncated},
		{"a.jsonl.xz", "\xfd7zXZ\x00\x00\x04", truncated},
		{"a.jsonl", "\xfd7zXZ\x00\x00\x04", truncated},
		{"a.csv", "\xfd7zXZ\x00\x00\x04", truncated},
		{"a.bz2", "BZh91AY&SY\x01\x02", truncated},
		{"a.7z", "7z\xbc\xaf\x27\x1c", "7z archive, not a text; unpack it first"},
		{"a.pdf", "%PDF-1.4\n1 0 obj", "PDF document, not a text; import the text of it"},
		{"a.pdf.gz", gz("%PDF-1.4\n1 0 obj"), "PDF document, not a text; import the text of it"},
		{"a.doc", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\x00", "Office document (doc, xls, ppt), not a text; import the text of it"},
		{"a.docx", docx, "Office document (docx, xlsx, pptx), not a text; import the text of it"},
		{"a.epub", epub, "OpenDocument or EPUB document, not a text; import the text of it"},
		{"a.png", "\x89PNG\r\n\x1a\n\x00", "PNG image, not a text"},
		{"a.exe", "MZ\x90\x00", "Windows program, not a text"},
		{"a.dump", "{\"simdb_dump\":1,", "dump of simdb, not a text; read it with simdb restore"},
		{"a.jsonl", "{\"simdb_dump\":1,\"crc\":\"00000000\"}\n{\"id\":\"a\",\"text\":\"b\"}\n", "dump of simdb, not a text; read it with simdb restore"},
		{"a.webp", "RIFF\x01\x02\x03\x04WEBPVP8 ", "WebP image, not a text"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, test.name)
			write(t, path, test.content)
			got := readAll(t, Options{}, path)
			if len(got.docs) != 0 || len(got.rejects) != 1 || got.rejects[0].Reason != test.kind {
				t.Errorf("Read(%s) = %v and rejects %v, want a reject: %s", test.name, got.docs, got.rejects, test.kind)
			}
		})
	}
	for _, text := range []string{"BMW is a maker of cars", "MZ was a maker too", "BZh is not the start of a word", "wOF", "PAR1 and more"} {
		checkSummary(t, Options{}, "a.txt", text, fmt.Sprintf("a.txt=%q\n", text))
	}
	checkSummary(t, Options{Binary: true}, "a.pdf", "%PDF-1.4", "a.pdf=\"%PDF-1.4\"\n")
	checkSummary(t, Options{}, "docx.zip", docx, "[Content_Types].xml=\"<Types/>\"\nword/document.xml=\"<w/>\"\n")
}

// jsonSays returns the message of the library for bad JSON, which differs between its releases.
func jsonSays(bad string) string {
	var syntax *jsontext.SyntacticError
	errors.As(jsontext.NewDecoder(strings.NewReader(bad)).SkipValue(), &syntax)
	return syntax.Err.Error()
}

func TestJSONLines(t *testing.T) {
	for _, test := range []struct{ line, want string }{
		{`{"id":"a","text":"x","year":2026,"tags":["b"],"z":null,"ok":true}`, `a="x" {"ok":true,"tags":["b"],"year":2026,"z":null}`},
		{`{"id":1.50e3,"text":"x","n":1.50}`, `1.50e3="x" {"n":1.50}`},
		{`{"id":"a","text":""}`, `a="" (empty text)`},
		{`{"text":"\u00e9\ud83d\ude00\ud83d\n","id":"a"}`, `a="é😀�\n" (half a surrogate pair, read as U+FFFD)`},
		{`{"id":"a","text":"x","m":["\udc00"]}`, `a="x" {"m":["�"]} (half a surrogate pair, read as U+FFFD)`},
		{`{"id":"a","text":"x","m":"\ud83dA"}`, `a="x" {"m":"�A"} (half a surrogate pair, read as U+FFFD)`},
		{`{"id":"a","text":"x","m":"\ud83d\ud83d\ude00"}`, `a="x" {"m":"�😀"} (half a surrogate pair, read as U+FFFD)`},
		{`{"id":"a","text":"x","m":"\\ud83d \uFFFD \ud83d\ude00"}`, `a="x" {"m":"\\ud83d � 😀"}`},
		{`{"id":"a","text":"one","text":"two"}`, `a="two"`},
		{"{\"id\":\"a\",\"text\":\"é\xff\"}", `a="é�" (invalid UTF-8, read as U+FFFD)`},
		{`{"text":"x"}`, `in.jsonl#1="x"`},
		{`{"id":"a"}`, `reject in.jsonl:1 a: no field "text", has ["id"]; --id-field and --text-field name others`},
		{`{"id":"a","text":null}`, `reject in.jsonl:1 a: field "text" is null`},
		{`{"id":"a","text":5}`, `reject in.jsonl:1 a: field "text" is a number, want a string`},
		{`{"id":null,"text":"x"}`, `in.jsonl#1="x"`},
		{`{"id":true,"text":"x"}`, `reject in.jsonl:1 : field "id" is a boolean, want a string or a number`},
		{`{"id":{},"text":"x"}`, `reject in.jsonl:1 : field "id" is an object, want a string or a number`},
		{`{"id":"","text":"x"}`, `reject in.jsonl:1 : empty id`},
		{`{"id":"` + strings.Repeat("a", 5000) + `","text":"x"}`, `reject in.jsonl:1 : id of 5000 bytes is over the limit of 4096`},
		{`{"id":"a","text":"x"}{}`, `a="x"` + "\n" + `reject in.jsonl:1 : no field "text"`},
		{`{"id":"a","text":"x"`, `reject in.jsonl:1 : invalid JSON: the line ends early`},
		{`{"id":"a" "text":"x"}`, `reject in.jsonl:1 : invalid JSON at column 11: ` + jsonSays(`{"a":"b" "`)},
		{`{"id":"a","text":"` + "\x01" + `"}`, `reject in.jsonl:1 : invalid JSON at column 19: ` + jsonSays("\"\x01\"")},
		{`["a"]`, `reject in.jsonl:1 : not a JSON object`},
		{`null`, `reject in.jsonl:1 : not a JSON object`},
		{`{}`, `reject in.jsonl:1 : no field "text"`},
		{`{"id":01,"text":""}`, `reject in.jsonl:1 : invalid JSON at column 8: ` + jsonSays(`{"a":01`)},
		{strings.Repeat(`[`, 300000), `reject in.jsonl:1 : invalid JSON at column 10001: ` + jsonSays(strings.Repeat(`[`, 300000))},
	} {
		checkSummary(t, Options{Format: "jsonl"}, "in.jsonl", test.line, test.want+"\n")
	}
}

// A bad line does not hide the next, and its reject has its number.
func TestJSONLGoesOn(t *testing.T) {
	checkSummary(t, Options{}, "a.jsonl", "\n{\"id\":\"a\",\"text\":\"x\"}\r\n  \nbad\n{\"id\":\"b\",\"text\":\"y\"}", `
a="x"
b="y"
reject a.jsonl:4 : invalid JSON at column 1: `+jsonSays("b")+"\n")
}

func TestCSV(t *testing.T) {
	for _, test := range []struct{ name, content, want string }{
		{"metadata", "year,id,text\n2026,a,\"x, \"\"y\"\"\nz\"\n", `a="x, \"y\"\nz" {"year":"2026"}` + "\n"},
		{"ragged", "id,text\na\nb,x\nc,x,y\nd,x", "b=\"x\"\nd=\"x\"\nreject in.csv:2 : record has 1 fields, the header 2\nreject in.csv:4 : record has 3 fields, the header 2\n"},
		{"bare quote", "id,text\na,x\"y\nb,\"y\"\n", "a=\"x\\\"y\"\nb=\"y\"\n"},
		{"text behind quote", "id,text\na,\"x\"y,\"\nb,y\n", "a=\"x\\\"y,\"\nb=\"y\"\n"},
		{"open quote", "id,text\na,x\nb,\"y\nc,z\n", "a=\"x\"\nb=\"\\\"y\"\nc=\"z\"\n"},
		{"line numbers", "\r\nid,text\r\na,\"1\r\n2\"\r\n\r\nb\r\n", "a=\"1\\n2\"\nreject in.csv:6 : record has 1 fields, the header 2\n"},
		{"no header", "", "reject in.csv:0 : CSV without a header row\n"},
		{"no text", "id,body\na,x\n", "reject in.csv:1 : CSV header has no field \"text\", has [\"id\" \"body\"]; use --text-field body, or --text-field 2 for the second field of a file without a header\n"},
		{"twice", "id,text,a,a\n", "reject in.csv:1 : CSV header has field \"a\" twice\n"},
		{"not UTF-8", "id,text,n\xffm\na,x,caf\xe9\nb,y,z\n", "a=\"x\" {\"nÿm\":\"café\"}\nb=\"y\" {\"nÿm\":\"z\"}\n"},
		{"empty", "id,text\n,x\na,\n", "in.csv#2=\"x\"\na=\"\" (empty text)\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			checkSummary(t, Options{}, "in.csv", test.content, test.want)
		})
	}
}

// The size of a header is limited, because it determines the layout of every record.
func TestCSVHeaderLimits(t *testing.T) {
	columns := func(n int) string {
		var b strings.Builder
		b.WriteString("id,text")
		for i := range n - 2 {
			fmt.Fprintf(&b, ",%x", i)
		}
		return b.String()
	}
	path := filepath.Join(t.TempDir(), "in.csv")
	for _, test := range []struct{ header, want string }{
		{columns(maxColumns), ""},
		{columns(maxColumns) + ",0", "CSV header has 16385 fields, over the limit of 16384"},
		{columns(600000), "CSV header is over the limit of 1048576 bytes"},
		{strings.TrimPrefix(columns(1000), "id,text,"), "CSV header has no field \"text\", has [\"0\" \"1\" \"2\" \"3\" \"4\" \"5\" \"6\" \"7\" \"8\" \"9\"] and 988 more; use --text-field NAME, or --text-field 2 for the second field of a file without a header"},
		{columns(1000) + ",3", "CSV header has field \"3\" twice"},
	} {
		write(t, path, test.header+"\nx,y\n")
		got := readAll(t, Options{}, path)
		if len(got.docs) != 0 || len(got.rejects) != 1 || test.want != "" && got.rejects[0].Reason != test.want {
			t.Errorf("Read(%.30s…) = %d documents and rejects %v, want %s", test.header, len(got.docs), got.rejects, test.want)
		}
	}
}

func TestLimit(t *testing.T) {
	big := strings.Repeat("a", 101)
	small := strings.Repeat("b", 100)
	o := Options{MaxDocBytes: 100}
	const reason = "text of 101 bytes is over the limit of 100; raise --max-doc\n"
	checkSummary(t, o, "a.txt", small, "a.txt=\""+small+"\"\n")
	checkSummary(t, o, "a.txt", big, "reject a.txt:0 a.txt: "+reason)
	checkSummary(t, o, "a.gz", gz(big), "reject a.gz:0 a.gz: text is over the limit of 100 bytes; raise --max-doc\n")
	checkSummary(t, o, "a.jsonl", `{"id":"a","text":"`+big+`"}`, "reject a.jsonl:1 a: "+reason)
	checkSummary(t, o, "a.csv", "id,text\na,"+big, "reject a.csv:2 a: "+reason)
	checkSummary(t, o, "a.tar", tarOf(t, "x", big, "y", small), "y=\""+small+"\"\nreject a.tar/x:0 x: "+reason)
	checkSummary(t, o, "a.zip", zipOf(t, "x", big, "y", small), "y=\""+small+"\"\nreject a.zip/x:0 x: "+reason)
	checkSummary(t, Options{MaxDocBytes: 100, Binary: true}, "a.bin", "\x00"+strings.Repeat("\xe9", 60), "reject a.bin:0 a.bin: text of 121 bytes is over the limit of 100; raise --max-doc\n")
}

func TestDirectory(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{
		"a/x.txt":      "1",
		"a.txt":        "2",
		"a-b/.hidden":  "3",
		".git/config":  "not read",
		"b/.git/HEAD":  "not read",
		"b/report.odt": zipOf(t, "mimetype", "application/vnd.oasis.opendocument.text"),
		"b/run.jar":    zipOf(t, "x", "not read"),
		"b/deep/z.gz":  gz("4"),
		"c.tar":        tarOf(t, "in/y", "5"),
		"d.zip":        zipOf(t, "../y", "not read", "in/z.zip", zipOf(t, "q", "not read"), "y", "6"),
		"e.jsonl":      `{"id":"own","text":"7"}`,
		"f.csv.gz":     gz("id,text\nown2,8\n"),
		"g.csv":        "year,sum\n",
	} {
		write(t, filepath.Join(dir, filepath.FromSlash(name)), content)
	}
	want := `a/x.txt="1"
a-b/.hidden="3"
a.txt="2"
b/deep/z.gz="4"
c.tar/in/y="5"
d.zip/y="6"
own="7"
own2="8"
reject b/report.odt:0 b/report.odt: OpenDocument or EPUB document, not a text; import the text of it
reject b/run.jar:0 b/run.jar: zip archive, not a text; give it the ending .zip, or name it alone with --input-format zip
reject d.zip/../y:0 : path leads out of the archive
reject d.zip/in/z.zip:0 : archive in an archive
reject g.csv:1 : CSV header has no field "text", has ["year" "sum"]; use --text-field NAME, or --text-field 2 for the second field of a file without a header
`
	if got := readAll(t, Options{}, dir).summary(dir); got != want {
		t.Errorf("Read(directory) =\n%swant\n%s", got, want)
	}
	got := readAll(t, Options{Format: "text"}, filepath.Join(dir, "e.jsonl"), filepath.Join(dir, "a")).summary(dir)
	if want := "e.jsonl=\"{\\\"id\\\":\\\"own\\\",\\\"text\\\":\\\"7\\\"}\"\na/x.txt=\"1\"\n"; got != want {
		t.Errorf("Read(format text) =\n%swant\n%s", got, want)
	}
}

func TestGlob(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a/x.txt", "b/c/x.txt.gz", "b/y.md", "[z].txt"} {
		write(t, filepath.Join(dir, filepath.FromSlash(name)), name)
	}
	got := readAll(t, Options{}, filepath.Join(dir, "**", "*.txt*")).summary(dir)
	if want := "[z].txt=\"[z].txt\"\na/x.txt=\"a/x.txt\"\nb/c/x.txt.gz=\"b/c/x.txt.gz\"\n"; got != want {
		t.Errorf("Read(glob) =\n%swant\n%s", got, want)
	}
	got = readAll(t, Options{}, filepath.Join(dir, "[z].txt")).summary(dir)
	if want := "[z].txt=\"[z].txt\"\n"; got != want {
		t.Errorf("Read(file with brackets) =\n%swant\n%s", got, want)
	}
}

func TestPathErrors(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.txt"), "x")
	for _, path := range []string{"nosuch", "*.nosuch", "a.txt/x*"} {
		for batch, err := range Read(t.Context(), []string{filepath.Join(dir, "a.txt"), filepath.Join(dir, path)}, Options{}) {
			if batch != nil || err == nil || !strings.Contains(err.Error(), filepath.FromSlash(path)) {
				t.Errorf("Read(%s) yielded %v, %v; want an error that names the path first", path, batch, err)
			}
			if path != "a.txt/x*" && !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("Read(%s): %v is not fs.ErrNotExist", path, err)
			}
		}
	}
	for _, err := range Read(t.Context(), []string{"-", "-"}, Options{}) {
		if err == nil || !strings.Contains(err.Error(), "twice") {
			t.Errorf("Read(-, -): %v", err)
		}
	}
	for _, err := range Read(t.Context(), nil, Options{Format: "pdf"}) {
		if err == nil || !strings.Contains(err.Error(), "pdf") {
			t.Errorf("Read(format pdf): %v", err)
		}
	}
}

// The search for the matches of a glob ends with its context.
func TestGlobCancelled(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.txt"), "x")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Check(ctx, []string{filepath.Join(dir, "**", "*.nosuch")}); !errors.Is(err, context.Canceled) {
		t.Errorf("Check(cancelled) = %v, want %v", err, context.Canceled)
	}
}

func TestStdin(t *testing.T) {
	for _, test := range []struct{ format, content, want string }{
		{"", "hello", "stdin=\"hello\"\n"},
		{"", "", "reject stdin:0 : nothing came in; did the command before the pipe fail?\n"},
		{"", gz("hello"), "stdin=\"hello\"\n"},
		{"", "\ufeff \n{\"id\":\"a\",\"text\":\"x\"}\n", "a=\"x\"\n"},
		{"", zst("{\"id\":\"a\",\"text\":\"x\"}\n"), "a=\"x\"\n"},
		{"", gz(tarOf(t, "a", "x")), "a=\"x\"\n"},
		{"text", "{}", "stdin=\"{}\"\n"},
		{"csv", "id,text\na,x\n", "a=\"x\"\n"},
	} {
		got := readAll(t, Options{Format: test.format, Stdin: strings.NewReader(test.content)}, "-").summary("")
		if got != test.want {
			t.Errorf("Read(- with %.40q) =\n%swant\n%s", test.content, got, test.want)
		}
	}
	var got error
	for _, err := range Read(t.Context(), []string{"-"}, Options{Stdin: strings.NewReader(zipOf(t, "a", "x"))}) {
		got = err
	}
	if !errors.Is(got, errZipStdin) {
		t.Errorf("Read(- with a zip): %v, want %v", got, errZipStdin)
	}
}

// A loop over standard input can end before the input, as can a cancelled one.
func TestStdinAbandoned(t *testing.T) {
	in, feed := io.Pipe()
	defer in.Close() // ends the writer
	go func() {
		line := []byte(`{"id":"a","text":"x"}` + "\n")
		for err := error(nil); err == nil; {
			_, err = feed.Write(line)
		}
	}()
	for _, err := range Read(t.Context(), []string{"-"}, Options{Stdin: in, BatchDocs: 1}) {
		if err != nil {
			t.Error(err)
		}
		break
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var got error
	for _, err := range Read(ctx, []string{"-"}, Options{Stdin: in, BatchDocs: 1}) {
		cancel()
		got = err
	}
	if !errors.Is(got, context.Canceled) {
		t.Errorf("Read(cancelled) ended with %v, want %v", got, context.Canceled)
	}
}

func TestBreakAndCancel(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.jsonl.gz")
	write(t, path, gz(strings.Repeat(`{"id":"a","text":"x"}`+"\n", 50000)))
	for range Read(t.Context(), []string{path}, Options{BatchDocs: 10}) {
		break
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	batches, failed := 0, 0
	for _, err := range Read(ctx, []string{path}, Options{BatchDocs: 10}) {
		cancel()
		if batches++; err != nil {
			failed++
			if !errors.Is(err, context.Canceled) {
				t.Errorf("Read(cancelled) yielded %v", err)
			}
		}
	}
	if failed != 1 || batches > 100 {
		t.Errorf("Read(cancelled) went on for %d batches with %d errors", batches, failed)
	}
}

func TestBatchesAreBounded(t *testing.T) {
	var in strings.Builder
	for i := range 100 {
		fmt.Fprintf(&in, `{"id":%d,"text":"%s"}`+"\n", i, strings.Repeat("x", i))
	}
	path := filepath.Join(t.TempDir(), "a.jsonl")
	write(t, path, in.String())
	for _, o := range []Options{{BatchDocs: 7}, {BatchBytes: 300}, {BatchDocs: 1, BatchBytes: 1}} {
		got := readAll(t, o, path)
		if len(got.docs) != 100 {
			t.Fatalf("%d documents with %+v", len(got.docs), o)
		}
		for i, b := range got.batches {
			if o.BatchDocs > 0 && len(b.Docs) > o.BatchDocs {
				t.Errorf("batch %d has %d documents with %+v", i, len(b.Docs), o)
			}
			if o.BatchBytes > 0 && b.Bytes > int64(o.BatchBytes)+100 {
				t.Errorf("batch %d has %d bytes with %+v", i, b.Bytes, o)
			}
		}
		for i, d := range got.docs {
			if d.ID != fmt.Sprint(i) || d.Line != int64(i+1) {
				t.Fatalf("document %d is %s of line %d", i, d.ID, d.Line)
			}
		}
	}
}

func TestProgressAndRejects(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.jsonl"), "bad\n{}\n")
	write(t, filepath.Join(dir, "b", "c.txt"), strings.Repeat("x", 100))
	var read, total int64
	var rejects []api.Reject
	got := readAll(t, Options{
		Progress: func(r, n int64) { read, total = r, n },
		OnReject: func(r api.Reject) { rejects = append(rejects, r) },
	}, filepath.Join(dir, "b"), filepath.Join(dir, "a.jsonl"))
	if read != 107 || total != 107 {
		t.Errorf("progress ended at %d of %d, want 107 of 107", read, total)
	}
	if !reflect.DeepEqual(rejects, got.rejects) || len(rejects) != 2 {
		t.Errorf("OnReject got %v, the batches %v", rejects, got.rejects)
	}
}
