package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// folder makes files of words: a file of "1-40" holds the words w1 to w40.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// words returns n words that no other letter's have.
func words(letter string, n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(letter + strings.Repeat("x", i) + " ")
	}
	return b.String()
}

func names(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			path, err = filepath.Rel(dir, path)
			names = append(names, filepath.ToSlash(path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestDedupe(t *testing.T) {
	files := map[string]string{
		"a.txt":        words("a", 60),
		"sub/a-2.txt":  words("a", 62), // 58 shingles of 60
		"a.copy":       words("a", 60),
		"b.txt":        words("b", 60),
		"b-half.txt":   words("b", 30),
		"c.bin":        "\x00\x01",
		"empty.txt":    "",
		"lines.jsonl":  `{"id":"b.txt","text":"` + words("c", 40) + `"}`,
		"sub/d1/d.txt": words("d", 50),
		"sub/d2/d.txt": words("d", 50),
	}
	dir := folder(t, files)
	const groups = "sub/a-2.txt stays\n  a.copy goes: like sub/a-2.txt\n  a.txt goes: like sub/a-2.txt\nsub/d1/d.txt stays\n  sub/d2/d.txt goes: like sub/d1/d.txt\n"
	for _, step := range []struct {
		args []string
		want string // the end of what is printed
		left int
	}{
		{[]string{dir}, groups + "3 files can go; -delete deletes them\n", 10},
		{[]string{"-delete", dir}, groups + "3 files are deleted\n", 7},
		{[]string{"-delete", dir}, "0 files are deleted\n", 7},
		{[]string{"-delete", "-min", "0.4", dir}, "b.txt stays\n  b-half.txt goes: like b.txt\n1 files are deleted\n", 6},
	} {
		var out bytes.Buffer
		if err := run(t.Context(), step.args, &out); err != nil {
			t.Fatal(err)
		}
		if got := filepath.ToSlash(out.String()); !strings.HasSuffix(got, step.want) || !strings.Contains(got, "c.bin is left out") {
			t.Errorf("dedupe %q prints\n%swant c.bin left out and\n%s", step.args[:len(step.args)-1], got, step.want)
		}
		if left := names(t, dir); len(left) != step.left {
			t.Errorf("dedupe %q leaves %q, want %d files", step.args[:len(step.args)-1], left, step.left)
		}
	}
	want := []string{"b.txt", "c.bin", "empty.txt", "lines.jsonl", "sub/a-2.txt", "sub/d1/d.txt"}
	if left := names(t, dir); !slices.Equal(left, want) {
		t.Errorf("%q is left, want %q", left, want)
	}
	if err := run(t.Context(), []string{filepath.Join(dir, "none")}, &bytes.Buffer{}); err == nil {
		t.Errorf("a folder that is missing: no error")
	}
	if err := run(t.Context(), []string{folder(t, nil)}, &bytes.Buffer{}); err != nil {
		t.Errorf("an empty folder: %v", err)
	}
}
