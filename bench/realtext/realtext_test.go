package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestFunctions(t *testing.T) {
	body := strings.Repeat("\tanswer += of(the, question);\n", 10)
	text := "#include <a.h>\n\nstruct a {\n\tint b;\n};\n\n/* What it is for. */\nint\nfirst(int a)\n{\n" + body + "}\n\nstatic int second(void) {\n" + body + "}\nint few(void)\n{\n}\n"
	var lines []int
	for line, f := range functions("c", text) {
		lines = append(lines, line)
		if !strings.HasSuffix(f, body+"}\n") {
			t.Errorf("line %d: %q", line, f)
		}
	}
	if !slices.Equal(lines, []int{8, 23}) {
		t.Errorf("functions at lines %v", lines)
	}
	for range functions("python", text) {
		t.Error("a language without braces has functions")
	}
}

// Files of archives, and of archives in them, come with their names; what is packed wrongly, is
// no text or too short does not.
func TestArchives(t *testing.T) {
	page := strings.Repeat("what a page of a manual says\n", 20)
	packed := func(s string) string {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		io.WriteString(w, s)
		w.Close()
		return b.String()
	}
	tarred := func(files ...string) string {
		var b bytes.Buffer
		w := tar.NewWriter(&b)
		for i := 0; i < len(files); i += 2 {
			w.WriteHeader(&tar.Header{Name: files[i], Mode: 0o600, Size: int64(len(files[i+1])), Typeflag: tar.TypeReg})
			io.WriteString(w, files[i+1])
		}
		w.Close()
		return b.String()
	}
	dir := t.TempDir()
	tgz := filepath.Join(dir, "a.tgz")
	inner := packed(tarred("in/b.txt", page))
	all := tarred("usr/man/man1/a.1.gz", packed(page), "src.tar.gz", inner, "broken.txt.gz", "no", "short.txt", "few", "x.bin", page, "zeros.txt", page+"\x00")
	if err := os.WriteFile(tgz, []byte(packed(all)), 0o600); err != nil {
		t.Fatal(err)
	}
	zipped := filepath.Join(dir, "b.zip")
	var z bytes.Buffer
	w := zip.NewWriter(&z)
	f, _ := w.Create("c.go")
	io.WriteString(f, page)
	w.Close()
	if err := os.WriteFile(zipped, z.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	sum := map[string]string{}
	var list strings.Builder
	for name, file := range map[string]string{"a": tgz, "b": zipped} {
		to := filepath.Join(dir, "keep", "npm-"+name+"-1")
		if err := os.MkdirAll(to, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(file, filepath.Join(to, filepath.Base(file))); err != nil {
			t.Fatal(err)
		}
		sum[name], _ = sumOf(filepath.Join(to, filepath.Base(file)))
	}
	for _, name := range []string{"a", "b"} {
		fmt.Fprintf(&list, "npm\t%s\t1\t%s\n", name, sum[name])
	}
	sources := filepath.Join(dir, "sources.tsv")
	args := []string{"-keep", filepath.Join(dir, "keep"), "-sources", sources}
	if err := os.WriteFile(sources, []byte(list.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := run(t.Context(), args, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	var ids []string
	for line := range strings.Lines(out.String()) {
		ids = append(ids, strings.Split(line, `"`)[3])
	}
	if want := []string{"a@1/usr/man/man1/a.1", "a@1/src/in/b.txt", "b@1/c.go"}; !slices.Equal(ids, want) {
		t.Errorf("documents %q, want %q", ids, want)
	}
	if err := os.WriteFile(sources, []byte(strings.Replace(list.String(), sum["b"], "another", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := run(t.Context(), args, io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), sum["b"]) {
		t.Errorf("a file of another sum: %v", err)
	}
}
