package load

// Imports: statistics, early ends, and resuming.

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// jsonl writes documents with the ids d<from> … d<to-1>.
func jsonl(t *testing.T, path string, from, to int) {
	t.Helper()
	var b strings.Builder
	for i := from; i < to; i++ {
		fmt.Fprintf(&b, `{"id":"d%d","text":"document number %d of this file"}`+"\n", i, i)
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

func countDocs(t *testing.T, db *simdb.DB) int64 {
	t.Helper()
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	info, err := s.Collection("docs")
	if err != nil {
		t.Fatal(err)
	}
	return info.Documents
}

// An import that is repeatedly cancelled and resumed ends like an undisturbed one: no document is
// duplicated or missing, and each reject is reported once.
func TestImportResumes(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "in.jsonl")
	jsonl(t, path, 0, 3000)
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("{}\n"); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	db := openTemp(t, nil)
	var imported, rejected int64
	rounds := 0
	for finished := false; !finished; rounds++ {
		ctx, cancel := context.WithCancel(t.Context())
		stats, err := Import(ctx, db, []string{path}, api.ImportOptions{
			Resume: rounds > 0,
			Progress: func(p api.ImportProgress) { // cancel once batches flow
				if p.Documents >= 512 && rounds < 4 {
					cancel()
				}
			},
		})
		cancel()
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		imported += stats.Imported + stats.Replaced + stats.Superseded
		rejected += stats.Rejected
		if got := countDocs(t, db); got != imported {
			t.Errorf("after %d rounds %d documents, but %d counted", rounds+1, got, imported)
		}
		finished = err == nil
	}
	if got := countDocs(t, db); got != 3000 {
		t.Errorf("after %d rounds %d documents, want 3000", rounds, got)
	}
	if imported != 3000 || rejected != 1 {
		t.Errorf("%d documents and %d rejects counted, want 3000 and 1", imported, rejected)
	}
	stats, err := Import(t.Context(), db, []string{path}, api.ImportOptions{Resume: true})
	if err != nil || !stats.Finished || stats.Imported+stats.Replaced != 0 {
		t.Errorf("resuming a finished import: %+v, %v, want it to do nothing", stats, err)
	}
}

// An import that ends early counts existing and repeated ids correctly.
func TestImportEndedEarlyCounts(t *testing.T) {
	dir := t.TempDir()
	first, second := filepath.Join(dir, "first.jsonl"), filepath.Join(dir, "second.jsonl")
	jsonl(t, first, 0, 100)
	jsonl(t, second, 0, 3000)
	db := openTemp(t, nil)
	if _, err := Import(t.Context(), db, []string{first}, api.ImportOptions{}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stats, err := Import(ctx, db, []string{second, second}, api.ImportOptions{Progress: func(p api.ImportProgress) {
		if p.Documents >= 3200 { // in the second round
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("Import ended with %v, want %v", err, context.Canceled)
	}
	if got := countDocs(t, db); got != 100+stats.Imported {
		t.Errorf("%d documents after importing %d to 100", got, stats.Imported)
	}
	if stats.Replaced < 100 || stats.Replaced > 200 || stats.Imported+stats.Replaced+stats.Superseded > 6000 {
		t.Errorf("counted %+v", stats)
	}
}

// An import that rejects everything creates no collection, but reports the rejects.
func TestRejectedImportMakesNoCollection(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "bad.jsonl")
	if err := os.WriteFile(path, []byte("{}\n{}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	db := openTemp(t, nil)
	for _, resume := range []bool{false, true} {
		stats, err := Import(t.Context(), db, []string{path}, api.ImportOptions{Settings: api.Settings{K: 7}, Resume: resume})
		if err != nil || !resume && (stats.Rejected != 1 || stats.Lines != 2) || stats.Finished != resume {
			t.Errorf("Import with resume %t: %+v, %v", resume, stats, err)
		}
	}
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if c, err := s.Collections(t.Context()); err != nil || len(c) != 0 {
		t.Errorf("rejects left the collections %v", c)
	}
}

func TestImportCounts(t *testing.T) {
	dir := t.TempDir()
	first, second := filepath.Join(dir, "first.jsonl"), filepath.Join(dir, "second.jsonl")
	jsonl(t, first, 0, 600)
	jsonl(t, second, 300, 1000)
	db := openTemp(t, nil)
	for _, tt := range []struct {
		paths []string
		o     api.ImportOptions
		want  api.ImportStats
	}{
		{[]string{first, first}, api.ImportOptions{}, api.ImportStats{Imported: 600, Superseded: 600}},
		{[]string{second}, api.ImportOptions{IfExists: api.Skip}, api.ImportStats{Imported: 400, Skipped: 300}},
		{[]string{second}, api.ImportOptions{}, api.ImportStats{Replaced: 700}},
		{[]string{second}, api.ImportOptions{Into: "other", IfExists: api.Fail}, api.ImportStats{Imported: 700}},
	} {
		got, err := Import(t.Context(), db, tt.paths, tt.o)
		got.TextBytes = 0
		if err != nil || got != tt.want {
			t.Errorf("Import(%v, %+v) = %+v, %v, want %+v", tt.paths, tt.o, got, err, tt.want)
		}
	}
}

func TestImportErrors(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "in.jsonl")
	jsonl(t, path, 0, 10)
	db := openTemp(t, nil)
	for _, tt := range []struct {
		name  string
		paths []string
		o     api.ImportOptions
		want  error
	}{
		{"a path that is not there", []string{path, filepath.Join(dir, "nosuch")}, api.ImportOptions{}, fs.ErrNotExist},
		{"an unknown IfExists", []string{path}, api.ImportOptions{IfExists: "perhaps"}, api.ErrInvalid},
	} {
		if _, err := Import(t.Context(), db, tt.paths, tt.o); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
		s, err := db.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		if c, err := s.Collections(t.Context()); err != nil || len(c) != 0 {
			t.Errorf("%s: left %v behind", tt.name, c)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Import(t.Context(), db, []string{path}, api.ImportOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := Import(t.Context(), db, []string{path}, api.ImportOptions{IfExists: api.Fail}); !errors.Is(err, api.ErrExists) {
		t.Errorf("importing again with Fail: %v, want ErrExists", err)
	}
}

// Resuming with changed input stores the appended documents or returns an error, whether the import
// had finished or not.
func TestImportResumesChanged(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "in.jsonl")
	db := openTemp(t, nil)
	resume := api.ImportOptions{Resume: true}
	for _, step := range []struct {
		from, to int
		imported int64
		finished bool
		err      error
	}{
		{0, 1000, 1000, false, nil},
		{0, 1000, 0, true, nil},
		{0, 1500, 500, false, nil},
		{0, 1500, 0, true, nil},
		{100, 2000, 0, false, api.ErrChanged},
		{0, 1200, 0, false, api.ErrChanged},
		{0, 2000, 500, false, nil},
	} {
		jsonl(t, path, step.from, step.to)
		got, err := Import(t.Context(), db, []string{path}, resume)
		if !errors.Is(err, step.err) || got.Imported != step.imported || got.Replaced != 0 || got.Finished != step.finished {
			t.Errorf("resume with %d to %d: %+v, %v, want %d imported, finished %t, %v", step.from, step.to, got, err, step.imported, step.finished, step.err)
		}
	}
	if got := countDocs(t, db); got != 2000 {
		t.Errorf("%d documents, want 2000", got)
	}
}

// A new import does not count as finished because an earlier import of the same paths was.
func TestImportAgainIsUnfinished(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "in.jsonl")
	jsonl(t, path, 0, 10)
	db := openTemp(t, nil)
	if _, err := Import(t.Context(), db, []string{path}, api.ImportOptions{}); err != nil {
		t.Fatal(err)
	}
	jsonl(t, path, 0, 2000)
	ctx, cancel := context.WithCancel(t.Context())
	_, err := Import(ctx, db, []string{path}, api.ImportOptions{Progress: func(p api.ImportProgress) {
		if p.Documents > 0 {
			cancel()
		}
	}})
	cancel()
	if err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if err == nil {
		t.Fatal("the import came to its end before it was cancelled")
	}
	stats, err := Import(t.Context(), db, []string{path}, api.ImportOptions{Resume: true})
	if err != nil || stats.Finished {
		t.Fatalf("resume: %+v, %v, want it to go on", stats, err)
	}
	if got := countDocs(t, db); got != 2000 {
		t.Errorf("%d documents, want 2000", got)
	}
}
