package main

// Imports around a database that is open.

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/cmd/simdb/internal/exit"
	"github.com/simdb/simdb/load"
)

// An import of the folder in which the database lies reads nothing of it, and
// leaves it locked: closing a locked file would unlock it.
func TestImportAroundDatabase(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "db")
	db, err := simdb.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("one text"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, from := range []string{dir, filepath.Join(dir, "**")} {
		stats, err := load.Import(t.Context(), db, []string{from}, api.ImportOptions{})
		if err != nil || stats.Imported+stats.Replaced != 1 || stats.Rejected != 0 {
			t.Errorf("Import(%s) = %+v, %v, want a.txt and no rejects", from, stats, err)
		}
	}
	for _, from := range []string{path, filepath.Join(path, "LOCK"), filepath.Join(path, "*")} {
		if stats, err := load.Import(t.Context(), db, []string{from}, api.ImportOptions{}); err == nil {
			t.Errorf("Import(%s) = %+v, want an error", from, stats)
		}
	}
	other := exec.Command("simdb", "compact", path)
	if out, _ := other.CombinedOutput(); other.ProcessState.ExitCode() != exit.Unavailable {
		t.Errorf("another process opens the database: exit code %d, want %d\n%s", other.ProcessState.ExitCode(), exit.Unavailable, out)
	}
}

// An export of several collections comes back as what it was: every document in its own
// collection. With --in all of them go there.
func TestImportOfExport(t *testing.T) {
	dir := t.TempDir()
	a, b, c := filepath.Join(dir, "a"), filepath.Join(dir, "b"), filepath.Join(dir, "c")
	ran := func(stdin string, want int, args ...string) (stdout, stderr string) {
		t.Helper()
		var out, errs bytes.Buffer
		if code := run(args, strings.NewReader(stdin), &out, &errs); code != want {
			t.Fatalf("simdb %q: exit code %d, want %d; stderr:\n%s", args, code, want, errs.String())
		}
		return out.String(), errs.String()
	}
	for name, documents := range map[string]int{"docs": 503, "drafts": 600, "old \"papers\"": 300} {
		var lines strings.Builder
		for i := range documents {
			fmt.Fprintf(&lines, `{"id":"%d","text":"text %d of %s","meta.id":1,"year":%d,"meta":{"collection":"m"}}`+"\n", i, i, strings.ToUpper(name[:3]), i)
		}
		ran(lines.String(), exit.OK, "import", "--quiet", "--in", name, a, "-")
	}
	export, _ := ran("", exit.OK, "export", a)
	if got := strings.Count(export, "\n"); got != 1403 {
		t.Fatalf("the export has %d lines, want 1403", got)
	}
	if _, said := ran(export, exit.OK, "import", b, "-"); !strings.Contains(said, `imported 1,403 · replaced 0 · skipped 0 · rejected 0 · "docs" 503 · "drafts" 600 · "old ""papers""" 300 · `) {
		t.Errorf("the import of an export ends with %q", said)
	}
	if again, _ := ran("", exit.OK, "export", b); again != export {
		t.Errorf("exported, imported and exported again: %d lines that differ, want the same %d", strings.Count(again, "\n"), 1403)
	}
	if _, said := ran(export, exit.OK, "import", b, "-"); !strings.Contains(said, "imported 0 · replaced 1,403 · ") {
		t.Errorf("the same once more ends with %q", said)
	}
	ran(export, exit.OK, "import", "--quiet", "--in", "one", c, "-")
	if got, _ := ran("", exit.OK, "query", "--format", "csv", c, "SELECT count(*) FROM one"); got != "count\n600\n" {
		t.Errorf("with --in there are %q documents, want the 600 different ids", got)
	}
}

// A field collection is metadata, unless the line is one that export writes.
func TestFieldCollection(t *testing.T) {
	db := filepath.Join(t.TempDir(), "db")
	input := `{"id":"1","text":"a","collection":"x"}
{"collection": "x","id":"2","text":"a"}
{"collection":"x","text":"a","id":"3"}
{"collection":"x","year":1,"id":"4","text":"a"}
{"collection":"x","id":5,"text":"a"}
{"collection":"x\"\u00e4","id":"6","text":"a","meta.text":1,"meta.meta.id":2,"meta.year":3}
{"collection":"x\ny","id":"7","text":"a"}
`
	var out, errs bytes.Buffer
	if code := run([]string{"import", db, "-"}, strings.NewReader(input), &out, &errs); code != exit.Incomplete || !strings.Contains(errs.String(), "rejected stdin:7 (id \"7\"): no collection can have the name") {
		t.Errorf("import: exit code %d, want %d and a reject of line 7; stderr:\n%s", code, exit.Incomplete, errs.String())
	}
	if code := run([]string{"export", db}, nil, &out, &errs); code != exit.OK {
		t.Fatal(errs.String())
	}
	want := `{"collection":"docs","id":"1","text":"a","meta.collection":"x"}
{"collection":"docs","id":"2","text":"a","meta.collection":"x"}
{"collection":"docs","id":"3","text":"a","meta.collection":"x"}
{"collection":"docs","id":"4","text":"a","meta.collection":"x","year":1}
{"collection":"docs","id":"5","text":"a","meta.collection":"x"}
{"collection":"x\"ä","id":"6","text":"a","meta.meta.id":2,"meta.year":3,"meta.text":1}
`
	if out.String() != want {
		t.Errorf("export:\n%swant\n%s", out.String(), want)
	}
}
