package load

// Sync against its definition: after each sync the documents of a folder equal its files.

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

// long is the time of a change that is not recent.
var long = time.Now().Add(-time.Hour)

// filesIn reads the folder in the simplest way.
func filesIn(t *testing.T, dir string) map[string]string {
	t.Helper()
	texts := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		texts[filepath.ToSlash(rel)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

// Files appear, change and disappear at random between syncs, reopened stores and interrupted
// syncs. The counts equal a comparison of before and after.
func TestSyncFollowsFolder(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 6))
	root := t.TempDir()
	dir, path := filepath.Join(root, "folder"), filepath.Join(root, "db")
	db, err := simdb.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { db.Close() }()
	if err := db.Put(t.Context(), api.Document{ID: "other/source", Text: "is never touched"}); err != nil {
		t.Fatal(err)
	}
	before := map[string]string{}
	for round := range 12 {
		for range 300 {
			name := fmt.Sprintf("d%d/%d/f%d.txt", rng.IntN(3), rng.IntN(4), rng.IntN(40))
			file := filepath.Join(dir, name)
			if rng.IntN(3) == 0 {
				os.Remove(file)
				continue
			}
			// Some texts keep the size of the previous text.
			writeFiles(t, dir, map[string]string{name: fmt.Sprintf("text %03d of a file", rng.IntN(5))})
			if rng.IntN(2) == 0 {
				if err := os.Chtimes(file, long, long.Add(time.Duration(rng.IntN(1e9)))); err != nil {
					t.Fatal(err)
				}
			}
		}
		if round%4 == 2 {
			os.RemoveAll(filepath.Join(dir, "d1"))
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if _, err := Sync(ctx, db, dir, api.SyncOptions{Prefix: "p/"}); !errors.Is(err, context.Canceled) {
				t.Fatalf("Sync with an ended context: %v", err)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			if db, err = simdb.Open(path, nil); err != nil {
				t.Fatal(err)
			}
		}
		now := filesIn(t, dir)
		var want api.SyncStats
		for name, text := range now {
			switch was, there := before[name]; {
			case !there:
				want.Added++
			case was != text:
				want.Replaced++
			default:
				want.Unchanged++
			}
		}
		for name := range before {
			if _, there := now[name]; !there {
				want.Deleted++
			}
		}
		got, err := Sync(t.Context(), db, dir, api.SyncOptions{Prefix: "p/"})
		if err != nil || got != want {
			t.Fatalf("round %d: Sync = %+v, %v, want %+v", round, got, err, want)
		}
		docs := map[string]string{"other/source": "is never touched"}
		for name, text := range now {
			docs["p/"+name] = text
		}
		if got := stored(t, db, "docs"); !maps.Equal(got, docs) {
			t.Fatalf("round %d: %d documents are stored, want the %d files and one more", round, len(got), len(now))
		}
		before = now
	}
}

// Situations in which sync must delete nothing.
func TestSyncDeletesNothingByError(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "folder")
	db := openTemp(t, nil)
	writeFiles(t, dir, map[string]string{"a": "one", "b/c": "two", "b/d": "three"})
	sync := func(o api.SyncOptions, want api.SyncStats, is error) {
		t.Helper()
		if got, err := Sync(t.Context(), db, dir, o); got != want || !errors.Is(err, is) {
			t.Errorf("Sync = %+v, %v, want %+v, %v", got, err, want, is)
		}
	}
	sync(api.SyncOptions{}, api.SyncStats{Added: 3}, nil)
	sync(api.SyncOptions{}, api.SyncStats{Unchanged: 3}, nil)

	moved := dir + "-moved"
	if err := os.Rename(dir, moved); err != nil {
		t.Fatal(err)
	}
	sync(api.SyncOptions{}, api.SyncStats{}, fs.ErrNotExist) // missing
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	sync(api.SyncOptions{}, api.SyncStats{}, api.ErrInvalid) // not mounted
	if got := stored(t, db, "docs"); len(got) != 3 {
		t.Fatalf("%d documents are left, want 3", len(got))
	}
	if err := errors.Join(os.Remove(dir), os.Rename(moved, dir)); err != nil {
		t.Fatal(err)
	}

	// A file that became binary, a link in place of a file, an archive.
	writeFiles(t, dir, map[string]string{"a": "%PDF-1.4 and more", "e.jsonl": "{}"})
	sync(api.SyncOptions{}, api.SyncStats{Unchanged: 2, Rejected: 2}, nil)
	if got := stored(t, db, "docs")["a"]; got != "one" {
		t.Errorf("a is %q, want what it was", got)
	}
	if err := errors.Join(os.Remove(filepath.Join(dir, "a")), os.Symlink("b/c", filepath.Join(dir, "a"))); err != nil {
		t.Fatal(err)
	}
	sync(api.SyncOptions{}, api.SyncStats{Unchanged: 2, Rejected: 2, NoText: 1, Deleted: 1}, nil)

	if os.Geteuid() == 0 {
		t.Log("a directory that cannot be read is left out: root reads everything")
	} else {
		if err := os.Chmod(filepath.Join(dir, "b"), 0); err != nil {
			t.Fatal(err)
		}
		sync(api.SyncOptions{}, api.SyncStats{Rejected: 3}, nil)
		if err := os.Chmod(filepath.Join(dir, "b"), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if got := stored(t, db, "docs"); len(got) != 2 {
		t.Errorf("%v are left, want b/c and b/d", got)
	}
	if err := errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o777)); err != nil {
		t.Fatal(err)
	}
	sync(api.SyncOptions{DeleteAll: true}, api.SyncStats{Deleted: 2}, nil)
}

// Sync does not change documents of another origin, and restores deleted ones. With unique_sim it
// rejects a file similar to another document, and stores it once nothing is similar.
func TestSyncConstraint(t *testing.T) {
	dir := t.TempDir()
	db := openTemp(t, nil)
	const first, second = "one two three four five", "six seven eight nine ten"
	var rejects []api.Reject
	o := api.SyncOptions{Settings: api.Settings{UniqueSim: "0.8"}, OnReject: func(r api.Reject) { rejects = append(rejects, r) }}
	for i, step := range []struct {
		files  map[string]string
		want   api.SyncStats
		stored map[string]string
	}{
		{map[string]string{"a": first, "b": second}, api.SyncStats{Added: 2}, map[string]string{"a": first, "b": second}},
		{map[string]string{"b": first, "c": first}, api.SyncStats{Unchanged: 1, Rejected: 2}, map[string]string{"a": first, "b": second}},
		{nil, api.SyncStats{Unchanged: 1, Rejected: 2}, map[string]string{"a": first, "b": second}},
		{map[string]string{"a": "another text of five words"}, api.SyncStats{Replaced: 2, Rejected: 1}, map[string]string{"a": "another text of five words", "b": first}},
		{nil, api.SyncStats{Unchanged: 2, Rejected: 1}, map[string]string{"a": "another text of five words", "b": first}},
	} {
		writeFiles(t, dir, step.files)
		rejects = nil
		if got, err := Sync(t.Context(), db, dir, o); err != nil || got != step.want {
			t.Errorf("sync %d = %+v, %v, want %+v", i, got, err, step.want)
		}
		if int64(len(rejects)) != step.want.Rejected || len(rejects) > 0 && !strings.Contains(rejects[0].Reason, "unique_sim") {
			t.Errorf("sync %d rejects %+v", i, rejects)
		}
		if got := stored(t, db, "docs"); !maps.Equal(got, step.stored) {
			t.Errorf("after sync %d there are %q, want %q", i, got, step.stored)
		}
	}
	// A refused file does not own its id.
	if err := db.Put(t.Context(), api.Document{ID: "c", Text: "from elsewhere and long enough"}); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "c")); err != nil {
		t.Fatal(err)
	}
	if got, err := Sync(t.Context(), db, dir, o); err != nil || got != (api.SyncStats{Unchanged: 2}) {
		t.Errorf("sync beside c = %+v, %v", got, err)
	}
	o.Into, o.Settings = "own", api.Settings{Unit: "token"}
	if _, err := Sync(t.Context(), db, dir, o); !errors.Is(err, api.ErrInvalid) || !strings.Contains(err.Error(), "supply no tokens") {
		t.Errorf("Sync into a collection of own tokens: %v", err)
	}
}

func TestSyncBesideOthers(t *testing.T) {
	dir := t.TempDir()
	db := openTemp(t, nil)
	writeFiles(t, dir, map[string]string{"same": "one", "other": "two", "own": "three"})
	err := db.Put(t.Context(), api.Document{ID: "same", Text: "one", Meta: api.Meta{"year": 1}}, api.Document{ID: "other", Text: "from elsewhere"}, api.Document{ID: "more", Text: "m"})
	if err != nil {
		t.Fatal(err)
	}
	var rejects []api.Reject
	o := api.SyncOptions{OnReject: func(r api.Reject) { rejects = append(rejects, r) }}
	if got, err := Sync(t.Context(), db, dir, o); err != nil || got != (api.SyncStats{Added: 1, Unchanged: 1, Rejected: 1}) {
		t.Errorf("Sync = %+v, %v", got, err)
	}
	if len(rejects) != 1 || rejects[0].ID != "other" || !strings.Contains(rejects[0].Reason, "did not come from this folder") {
		t.Errorf("rejects %+v, want other", rejects)
	}
	snap, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	if d, err := snap.Get(t.Context(), "", "same"); err != nil || d.Meta == nil {
		t.Errorf("same is %+v, %v, want its metadata kept", d, err)
	}
	if err := db.Delete(t.Context(), "docs", "own"); err != nil {
		t.Fatal(err)
	}
	if got, err := Sync(t.Context(), db, dir, api.SyncOptions{}); err != nil || got != (api.SyncStats{Added: 1, Unchanged: 1, Rejected: 1}) {
		t.Errorf("Sync after a deletion = %+v, %v", got, err)
	}
	if err := os.Remove(filepath.Join(dir, "other")); err != nil {
		t.Fatal(err)
	}
	if got, err := Sync(t.Context(), db, dir, api.SyncOptions{}); err != nil || got != (api.SyncStats{Unchanged: 2}) {
		t.Errorf("Sync without the file = %+v, %v, want other left alone", got, err)
	}
	if got := stored(t, db, "docs")["other"]; got != "from elsewhere" {
		t.Errorf("other is %q", got)
	}
}
