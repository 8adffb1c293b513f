package load

// Files with equal ids, in an undisturbed and in a resumed import.

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

func writeFiles(t *testing.T, dir string, contents map[string]string) {
	t.Helper()
	for name, content := range contents {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(content), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
}

// stored returns the texts of a collection by id.
func stored(t *testing.T, db *simdb.DB, collection string) map[string]string {
	t.Helper()
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	texts := map[string]string{}
	for d, err := range s.Documents(t.Context(), collection) {
		if errors.Is(err, api.ErrNotFound) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		texts[d.ID] = d.Text
	}
	return texts
}

// Of files with one id the first is stored, and the others are rejected with both places; or else
// the last is stored. Of records the last is stored.
func TestFilesOfOneID(t *testing.T) {
	dir := t.TempDir()
	writeFiles(t, dir, map[string]string{"a/LICENSE": "first", "b/LICENSE": "second", "c/\xff": "odd", "d/\xff": "odd too", "r.jsonl": `{"id":"LICENSE","text":"record"}`})
	names := func(names ...string) (paths []string) {
		for _, n := range names {
			paths = append(paths, filepath.Join(dir, n))
		}
		return paths
	}
	for _, tt := range []struct {
		name    string
		o       api.ImportOptions
		paths   []string
		want    string // of LICENSE
		rejects []string
	}{
		{"paths differ", api.ImportOptions{}, names("a", "b"), "", nil},
		{"names", api.ImportOptions{ID: "name"}, names("a", "b", "c", "d"), "first", names("b/LICENSE", "d/\xff")},
		{"stripped", api.ImportOptions{Strip: 1}, names("b/LICENSE", "a/LICENSE"), "second", names("a/LICENSE")},
		{"twice the same", api.ImportOptions{Prefix: "x-", Strip: 7}, names("a", "a/LICENSE"), "", names("a/LICENSE")},
		{"the last wins", api.ImportOptions{ID: "name", LastWins: true}, names("a", "b"), "second", nil},
		{"a record", api.ImportOptions{ID: "name"}, names("a", "r.jsonl"), "record", nil},
	} {
		db := openTemp(t, nil)
		var rejects []string
		tt.o.OnReject = func(r api.Reject) {
			rejects = append(rejects, r.Source)
			if !strings.Contains(r.Reason, "has the id of "+dir) || r.ID == "" {
				t.Errorf("%s: reject %+v, want its id and the place of the first", tt.name, r)
			}
		}
		stats, err := Import(t.Context(), db, tt.paths, tt.o)
		if err != nil || !slices.Equal(rejects, tt.rejects) || int(stats.Rejected) != len(rejects) {
			t.Errorf("%s: %+v, %v, rejected %q, want %q", tt.name, stats, err, rejects, tt.rejects)
		}
		if got := stored(t, db, "docs")["LICENSE"]; got != tt.want {
			t.Errorf("%s: LICENSE is %q, want %q", tt.name, got, tt.want)
		}
	}
	for _, o := range []api.ImportOptions{{ID: "hash"}, {IDField: "text"}, {Delimiter: '"'}, {Exclude: []string{"[a"}}, {Strip: -1}} {
		if _, err := Import(t.Context(), openTemp(t, nil), names("a"), o); !errors.Is(err, api.ErrInvalid) {
			t.Errorf("Import with %+v: %v, want ErrInvalid", o, err)
		}
	}
}

// A repeatedly interrupted import rejects the same files as an undisturbed one: it remembers the
// files read before each interruption.
func TestFilesOfOneIDResumed(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{}
	for i := range 4500 {
		files[fmt.Sprintf("a/%04d", i)] = fmt.Sprint("text of a ", i)
		if i%3 == 0 {
			files[fmt.Sprintf("b/%04d", i)] = fmt.Sprint("text of b ", i)
		}
	}
	writeFiles(t, dir, files)
	rejects := map[string]int{}
	o := api.ImportOptions{ID: "name", Resume: true, OnReject: func(r api.Reject) {
		rejects[r.Source]++
		if first := filepath.Join(dir, "a", r.ID); !strings.Contains(r.Reason, first+",") {
			t.Errorf("reject %+v, want the place %s", r, first)
		}
	}}
	db := openTemp(t, nil)
	interrupted := 0
	for {
		ctx, cancel := context.WithCancel(t.Context())
		o.OnStored = func(string, int) { cancel() }
		_, err := Import(ctx, db, []string{dir}, o)
		cancel()
		if err == nil {
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		interrupted++
	}
	if interrupted == 0 {
		t.Error("the import was never interrupted")
	}
	if len(rejects) != 1500 {
		t.Errorf("%d files were rejected, want the 1500 of b", len(rejects))
	}
	for id, text := range stored(t, db, "docs") {
		if want := "text of a " + strings.TrimLeft(id, "0"); text != want && id != "0000" {
			t.Fatalf("%s is %q, want %q", id, text, want)
		}
	}

	// Files added later are compared too, although the import had finished.
	writeFiles(t, dir, map[string]string{"c/0000": "late"})
	o.OnStored = nil
	if stats, err := Import(t.Context(), db, []string{dir}, o); err != nil || stats.Rejected != 1 {
		t.Errorf("resumed with another file: %+v, %v, want it rejected", stats, err)
	}
	// A new import remembers nothing.
	o.Resume, o.OnReject = false, nil
	if stats, err := Import(t.Context(), db, []string{dir}, o); err != nil || stats.Replaced != 4500 || stats.Rejected != 1501 {
		t.Errorf("once more: %+v, %v, want 4500 replaced and 1501 rejected", stats, err)
	}
}

// A hash collision does not equate two ids.
func TestFilesOfOneHash(t *testing.T) {
	s := &importFiles{db: openTemp(t, nil), begin: "test/"}
	if first, err := s.add("a", "place of a"); first != "" || err != nil {
		t.Fatal(first, err)
	}
	for hash := range s.seen {
		delete(s.seen, hash)
	}
	s.seen[maphash.String(s.seed, "b")] = 0 // as if a and b had one hash
	for _, want := range []string{"", "place of b"} {
		if first, err := s.add("b", "place of b"); first != want || err != nil {
			t.Errorf("add(b) = %q, %v, want %q", first, err, want)
		}
	}
}

// With ids made from texts, equal texts are one document without a reject.
func TestFilesOfOneText(t *testing.T) {
	dir := t.TempDir()
	writeFiles(t, dir, map[string]string{"a.txt": "one text", "b/c.txt": "one text", "d.txt": "another"})
	db := openTemp(t, nil)
	got, err := Import(t.Context(), db, []string{dir}, api.ImportOptions{ID: "sha256"})
	if want := (api.ImportStats{Imported: 2, Superseded: 1, TextBytes: got.TextBytes}); err != nil || got != want {
		t.Errorf("Import = %+v, %v, want %+v", got, err, want)
	}
	if texts := stored(t, db, "docs"); len(texts) != 2 {
		t.Errorf("stored %q, want two texts", texts)
	}
}
