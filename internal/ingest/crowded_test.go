package ingest

// Damaged archives, archives with very many or nested entries, and texts in unexpected encodings.

import (
	"archive/zip"
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/simdb/simdb/internal/torture"
)

// A truncated archive or compressed file yields only documents of the intact file, a reject for the
// rest, and the next path.
func TestCutArchives(t *testing.T) {
	lines := "{\"id\":\"a\",\"text\":\"x\"}\n{\"id\":\"b\",\"text\":\"y\"}\n{\"id\":\"c\",\"text\":\"z\"}\n"
	files := []string{"a", "first", "b.jsonl", lines, "c", "last"}
	tries := 0
	for name, whole := range map[string]string{
		"a.tar": tarOf(t, files...), "a.tar.gz": gz(tarOf(t, files...)), "a.tar.zst": zst(tarOf(t, files...)), "a.zip": zipOf(t, files...),
		"a.jsonl.gz": gz(lines), "a.jsonl.zst": zst(lines), "a.csv.gz": gz("id,text\na,x\nb,y\n"), "a.txt.gz": gz("some words"), "a.txt.zst": zst("some words"),
	} {
		dir := t.TempDir()
		path, next := filepath.Join(dir, name), filepath.Join(dir, "next.txt")
		write(t, next, "n")
		write(t, path, whole)
		want := readAll(t, Options{}, path, next).docs
		step := 1 + len(whole)/300 // a tar is mostly zeros
		for n := 0; n < len(whole); n += step {
			tries++
			write(t, path, whole[:n])
			got := readAll(t, Options{}, path, next)
			last := len(got.docs) - 1
			if last < 0 || got.docs[last].ID != "next.txt" {
				t.Fatalf("%s cut at %d of %d: the next path is not read", name, n, len(whole))
			}
			for _, d := range got.docs[:last] {
				there := func(w Doc) bool { return w.ID == d.ID && w.Text == d.Text }
				if d.Text != "" && !slices.ContainsFunc(want, there) {
					t.Errorf("%s cut at %d of %d: document %s=%q, which the whole has not", name, n, len(whole), d.ID, d.Text)
				}
			}
			if len(got.rejects) == 0 && last+1 < len(want) {
				t.Errorf("%s cut at %d of %d: %d documents of %d, and no reject", name, n, len(whole), last, len(want))
			}
		}
	}
	t.Logf("cut at %d places", tries)
}

// Very many empty entries become as many empty documents, in batches of the usual size. Archives
// inside an archive are not read.
func TestCrowdedArchives(t *testing.T) {
	n := torture.Tries(t, "I4-crowded")
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := range n {
		if _, err := w.CreateHeader(&zip.FileHeader{Name: fmt.Sprint(i)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	path, next := filepath.Join(dir, "crowd.zip"), filepath.Join(dir, "next.txt")
	write(t, path, b.String())
	write(t, next, "n")
	docs, most := 0, 0
	for batch, err := range Read(t.Context(), []string{path, next}, Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		docs += len(batch.Docs)
		most = max(most, len(batch.Docs))
		if len(batch.Rejects) > 0 {
			t.Errorf("reject %v", batch.Rejects[0])
		}
	}
	if docs != n+1 || most > 1000 {
		t.Errorf("%d documents in batches of up to %d, want %d", docs, most, n+1)
	}
	nested := zipOf(t, "deep", "x")
	for range 50 {
		nested = zipOf(t, "inner.zip", nested, "a", "y")
	}
	checkSummary(t, Options{}, "a.zip", nested, "a=\"y\"\nreject a.zip/inner.zip:0 : archive in an archive\n")
	torture.Report(t, "I4-crowded", n)
}

func utf16Of(s string, big, mark bool) string {
	if mark {
		s = "\ufeff" + s
	}
	var b strings.Builder
	for _, u := range utf16.Encode([]rune(s)) {
		if big {
			u = u<<8 | u>>8
		}
		b.WriteByte(byte(u))
		b.WriteByte(byte(u >> 8))
	}
	return b.String()
}

// A text in an unexpected encoding becomes a document with a warning, or a reject with the reason.
func TestWrongEncodings(t *testing.T) {
	line := `{"id":"a","text":"über"}` + "\n"
	const nul = "{\"id\":\"a\",\"text\":\"a\x00b\"}"
	for _, test := range []struct{ name, content, want string }{
		{"le.txt", utf16Of("über", false, true), "le.txt=\"über\"\n"},
		{"be.txt", utf16Of("über", true, true), "be.txt=\"über\"\n"},
		{"le.jsonl", utf16Of(line, false, true), "a=\"über\"\n"},
		{"be.csv", utf16Of("id,text\na,über\n", true, true), "a=\"über\"\n"},
		{"unmarked-le.txt", utf16Of("über", false, false), "reject unmarked-le.txt:0 unmarked-le.txt: binary file: NUL byte at offset 1; use --binary to read its bytes as Latin-1\n"},
		{"unmarked-be.txt", utf16Of("über", true, false), "reject unmarked-be.txt:0 unmarked-be.txt: binary file: NUL byte at offset 0; use --binary to read its bytes as Latin-1\n"},
		{"unmarked.jsonl", utf16Of(line, false, false), "a=\"über\"\n"},
		{"unmarked.csv", utf16Of("id,text\na,über\n", false, false), "a=\"über\"\n"},
		{"odd.txt", utf16Of("über", false, true) + "x", "reject odd.txt:0 odd.txt: binary file: NUL byte at offset 3; use --binary to read its bytes as Latin-1\n"},
		{"half.txt", "\xff\xfe\x00\xd8", "reject half.txt:0 half.txt: binary file: NUL byte at offset 2; use --binary to read its bytes as Latin-1\n"},
		{"latin1.txt", "\xfcber", "latin1.txt=\"\\xfcber\" (invalid UTF-8)\n"},
		{"latin1.jsonl", "{\"id\":\"a\",\"text\":\"\xfcber\"}\n", "a=\"über\"\n"},
		{"latin1.csv", "id,text\na,\xfcber\n", "a=\"über\"\n"},
		{"invalid.txt", "\u00fc and \xff\xc0\x80", "invalid.txt=\"ü and \\xff\\xc0\\x80\" (invalid UTF-8)\n"},
		{"surrogate.jsonl", `{"id":"a","text":"\ud800"}` + "\n", "a=\"\uFFFD\" (half a surrogate pair, read as U+FFFD)\n"},
		{"nul.txt", "a\x00b", "reject nul.txt:0 nul.txt: binary file: NUL byte at offset 1; use --binary to read its bytes as Latin-1\n"},
		{"nul.jsonl", nul + "\n{\"id\":\"b\",\"text\":\"a\\u0000b\"}\n", "b=\"a\\x00b\"\nreject nul.jsonl:1 : invalid JSON at column 20: " + jsonSays(nul) + "\n"},
		{"nul.csv", "id,text\na,a\x00b\n", "a=\"a\\x00b\"\n"},
	} {
		t.Run(test.name, func(t *testing.T) { checkSummary(t, Options{}, test.name, test.content, test.want) })
	}
}
