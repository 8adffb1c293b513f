package load

// Imports without files and without a terminal.

import (
	"archive/zip"
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/simdb/simdb/api"
)

// A reader is imported like a file of its name.
func TestImportReader(t *testing.T) {
	for _, tt := range []struct {
		name, content string
		o             api.ImportOptions
		want          string
	}{
		{"notes/today.txt", "one text", api.ImportOptions{}, "notes/today.txt"},
		{"notes/today.txt", "one text", api.ImportOptions{ID: "name", Prefix: "p/"}, "p/today.txt"},
		{"a.jsonl", `{"id":"a","text":"x"}` + "\n" + `{"id":"b","text":"y"}`, api.ImportOptions{}, "a b"},
		{"a.csv", "id,text\na,x\n", api.ImportOptions{}, "a"},
		{"body", `{"id":"a","text":"x"}`, api.ImportOptions{}, "a"},
		{"body", `{"id":"a","text":"x"}`, api.ImportOptions{Format: "text"}, "body"},
	} {
		db := openTemp(t, nil)
		stats, err := ImportReader(t.Context(), db, tt.name, strings.NewReader(tt.content), tt.o)
		got := strings.Join(slices.Sorted(maps.Keys(stored(t, db, "docs"))), " ")
		if err != nil || got != tt.want || stats.Rejected > 0 {
			t.Errorf("ImportReader(%s, %q) stores %q, %+v, %v, want %q", tt.name, tt.content, got, stats, err, tt.want)
		}
	}
	db := openTemp(t, nil)
	if _, err := ImportReader(t.Context(), db, "", strings.NewReader("x"), api.ImportOptions{}); !errors.Is(err, api.ErrInvalid) {
		t.Errorf("ImportReader without a name: %v, want ErrInvalid", err)
	}
	if _, err := ImportReader(t.Context(), db, "x", nil, api.ImportOptions{}); !errors.Is(err, api.ErrInvalid) {
		t.Errorf("ImportReader of nil: %v, want ErrInvalid", err)
	}
}

// Import never reads os.Stdin, even for the path -: a server would wait there forever.
func TestImportWithoutStdin(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	defer func(stdin *os.File) { os.Stdin = stdin }(os.Stdin)
	os.Stdin = r // delivers nothing
	db := openTemp(t, nil)
	if _, err := Import(t.Context(), db, []string{"-"}, api.ImportOptions{}); !errors.Is(err, api.ErrInvalid) {
		t.Errorf("Import(-) without Stdin: %v, want ErrInvalid", err)
	}
	if c, err := db.Collections(t.Context()); err != nil || len(c) > 0 {
		t.Errorf("it leaves %v, %v", c, err)
	}
}

// An fs.FS is read like the file system of the machine.
func TestImportFS(t *testing.T) {
	var packed bytes.Buffer
	z := zip.NewWriter(&packed)
	for _, name := range []string{"in/one.txt", "two.txt"} {
		f, err := z.Create(name)
		if err == nil {
			_, err = f.Write([]byte("packed " + name))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{
		"docs/a.txt": "1", "docs/b/a.txt": "2", "docs/b/c.md": "3", "docs/.git/config": "no", "other/r.jsonl": `{"id":"r","text":"4"}`,
		"docs/b/d.zip": packed.String(), "docs/link": "a.txt",
	}
	mapped := fstest.MapFS{}
	for name, content := range files {
		mapped[name] = &fstest.MapFile{Data: []byte(content)}
	}
	mapped["docs/link"].Mode = fs.ModeSymlink
	dir := t.TempDir()
	delete(files, "docs/link")
	writeFiles(t, dir, files)
	if err := os.Symlink("a.txt", dir+"/docs/link"); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		paths, want string
		rejected    int64
	}{
		{".", "docs/a.txt docs/b/a.txt docs/b/c.md docs/b/d.zip/in/one.txt docs/b/d.zip/two.txt r", 1},
		{"docs", "a.txt b/a.txt b/c.md b/d.zip/in/one.txt b/d.zip/two.txt", 1},
		{"docs/**/*.txt", "a.txt b/a.txt", 0},
		{"docs/a.txt docs/b other", "docs/a.txt docs/b/a.txt docs/b/c.md docs/b/d.zip/in/one.txt docs/b/d.zip/two.txt r", 0},
		{"docs/b/d.zip", "in/one.txt two.txt", 0},
	} {
		for name, fsys := range map[string]fs.FS{"a map": mapped, "a directory": os.DirFS(dir)} {
			db := openTemp(t, nil)
			stats, err := Import(t.Context(), db, strings.Fields(tt.paths), api.ImportOptions{FS: fsys})
			got := strings.Join(slices.Sorted(maps.Keys(stored(t, db, "docs"))), " ")
			if err != nil || got != tt.want || stats.Rejected != tt.rejected {
				t.Errorf("%s of %s stores %q, %+v, %v, want %q", tt.paths, name, got, stats, err, tt.want)
			}
		}
	}
	for _, path := range []string{"nosuch", "docs/*.nosuch"} {
		if _, err := Import(t.Context(), openTemp(t, nil), []string{path}, api.ImportOptions{FS: mapped}); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Import(%s): %v, want fs.ErrNotExist", path, err)
		}
	}
}
