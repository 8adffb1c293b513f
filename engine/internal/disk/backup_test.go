// Where a backup may go, and what is left of one that was killed.

package disk_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/internal/corpus"
)

// A backup into the store would go with it.
func TestCheckpointInsideTheStore(t *testing.T) {
	ctx := context.Background()
	root := t.TempDir()
	t.Chdir(root)
	db, err := engine.Open("db", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := os.MkdirAll(filepath.Join("other", "deep"), 0o755); err != nil {
		t.Fatal(err)
	}
	links := []string{}
	if err := errors.Join(os.Symlink(filepath.Join(root, "db"), "link"),
		os.Symlink(filepath.Join(root, "db", "log"), filepath.Join("other", "log"))); err == nil {
		links = []string{"link/copy", "link/new/copy", "other/log/copy", "other/log/../copy"}
	} else if runtime.GOOS != "windows" {
		t.Fatal(err)
	}
	before := namesIn(t, "db")
	for _, dir := range append(links, "db/copy", "db/log/copy", "db/new/copy", "other/../db/copy", filepath.Join(root, "db", "copy")) {
		if err := db.Checkpoint(ctx, dir); !errors.Is(err, api.ErrInvalid) {
			t.Errorf("backup to %s = %v, want ErrInvalid", dir, err)
		}
	}
	if now := namesIn(t, "db"); now != before {
		t.Errorf("the store has %s, had %s", now, before)
	}
	for _, dir := range []string{"db-copy", "other/copy", "db/../copy"} {
		if err := db.Checkpoint(ctx, dir); err != nil {
			t.Errorf("backup to %s = %v", dir, err)
		}
	}
	memory := enginetest.Open(t, enginetest.Options(vfs.NewMem()))
	defer memory.Close()
	if err := memory.Checkpoint(ctx, "db/log/../copy"); !errors.Is(err, api.ErrInvalid) {
		t.Errorf("in memory: backup = %v, want ErrInvalid", err)
	}
}

// namesIn lists the directories of a store; Pebble's files come and go.
func namesIn(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

// Wherever a backup is killed, there is none under its name; the error says what
// there is, and the next backup to the same place succeeds.
func TestKilledCheckpoint(t *testing.T) {
	ctx := context.Background()
	for n := int64(1); ; n++ {
		disk := vfs.NewMem()
		var seen atomic.Int64
		var images []*vfs.MemFS
		var on atomic.Bool
		f := errorfs.Wrap(disk, errorfs.InjectorFunc(func(op errorfs.Op) error {
			if on.Load() && strings.HasPrefix(op.Path, "copy") && op.Kind.ReadOrWrite() == errorfs.OpIsWrite && seen.Add(1) == n {
				image := vfs.NewMem()
				for _, dir := range []string{"copy", "copy.partial"} {
					if _, err := vfs.Clone(disk, image, dir, dir); err != nil {
						t.Error(err)
					}
				}
				images = append(images, image)
			}
			return nil
		}))
		db := enginetest.Open(t, enginetest.Options(f))
		if err := db.Put(ctx, api.Document{ID: "a", Text: "some words"}); err != nil {
			t.Fatal(err)
		}
		on.Store(true)
		err := db.Checkpoint(ctx, "copy")
		on.Store(false)
		if err := errors.Join(err, db.Close()); err != nil {
			t.Fatal(err)
		}
		if len(images) == 0 {
			if n < 10 {
				t.Errorf("only %d writes", n)
			}
			break
		}
		killedCheckpoint(t, images[0])
	}
}

func killedCheckpoint(t *testing.T, image *vfs.MemFS) {
	t.Helper()
	ctx := context.Background()
	o := enginetest.Options(image)
	o.MustExist = true
	copied, err := engine.Open("copy", o)
	if err == nil {
		enginetest.SameDocuments(t, copied, map[string]string{"a": "some words"})
		copied.Close()
		return // killed when it was whole
	}
	if !errors.Is(err, fs.ErrNotExist) || errors.Is(err, api.ErrCorrupt) {
		t.Errorf("Open of a killed backup = %v, want fs.ErrNotExist", err)
	}
	if _, gone := image.Stat("copy.partial"); gone == nil && !strings.Contains(err.Error(), "copy.partial") {
		t.Errorf("Open of a killed backup = %v, want the name of what is left", err)
	}
	_, unbegun := image.Stat("copy.partial/store")
	if _, unfinished := image.Stat("copy.partial/STATE"); unbegun == nil && unfinished != nil {
		if _, err := engine.Open("copy.partial", o); !errors.Is(err, api.ErrCorrupt) || !strings.Contains(err.Error(), "not finished") {
			t.Errorf("Open of what is left = %v, want that it was not finished", err)
		}
	}
	db := enginetest.Open(t, enginetest.Options(image))
	defer db.Close()
	if err := db.Checkpoint(ctx, "copy"); err != nil {
		t.Errorf("backup over a killed one = %v", err)
	}
	if _, err := image.Stat("copy.partial"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after a backup copy.partial is there: %v", err)
	}
}

// Damage to every file of a store does not reach its backup, unless that was made of
// links, which share files with it.
func TestCheckpointSharesNoFile(t *testing.T) {
	ctx := context.Background()
	root := t.TempDir()
	path, copied, linked := filepath.Join(root, "db"), filepath.Join(root, "copied"), filepath.Join(root, "linked")
	db, err := engine.Open(path, &engine.Options{SegmentSets: 64})
	if err != nil {
		t.Fatal(err)
	}
	var docs []api.Document
	for i := range 300 {
		docs = append(docs, api.Document{ID: corpus.At(3, i).ID, Text: corpus.At(3, i).Text})
	}
	if err := db.Load(ctx, func(yield func(*engine.Batch, error) bool) {
		b := &engine.Batch{}
		for _, d := range docs {
			b.Put(d)
		}
		yield(b, nil)
	}, func(*engine.Batch, api.BatchStats) {}); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(db.Checkpoint(ctx, copied), db.LinkedCheckpoint(ctx, linked)); err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if err := db.Checkpoint(ended, filepath.Join(root, "none")); !errors.Is(err, context.Canceled) {
		t.Errorf("Checkpoint with an ended context: %v", err)
	}
	shared := map[string]int{}
	for _, dir := range []string{copied, linked} {
		for rel, info := range filesBelow(t, dir) {
			if own, err := os.Stat(filepath.Join(path, rel)); err == nil && os.SameFile(own, info) {
				shared[dir]++
			}
		}
	}
	if shared[copied] != 0 || shared[linked] < 2 { // a table of Pebble's and postings
		t.Errorf("the copy shares %d files with the store, want none; the linked one %d, want some", shared[copied], shared[linked])
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	for rel := range filesBelow(t, path) {
		f, err := os.OpenFile(filepath.Join(path, rel), os.O_WRONLY, 0)
		if err == nil {
			_, err = f.WriteAt([]byte("damage"), 0)
			err = errors.Join(err, f.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	again, err := engine.Open(copied, &engine.Options{MustExist: true})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	report, err := again.Check(ctx, nil)
	if err != nil || report.Found > 0 || report.Documents != int64(len(docs)) {
		t.Errorf("check of the copy: %+v, %v, want %d sound documents", report, err, len(docs))
	}
}

func filesBelow(t *testing.T, dir string) map[string]fs.FileInfo {
	t.Helper()
	files := map[string]fs.FileInfo{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		files[rel], err = d.Info()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
