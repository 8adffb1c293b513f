// Copies of a store: complete, beside a writer, and on a disk that fails.

package disk_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/engine/internal/testmodel"
)

func TestCheckpointIsAStore(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	db, err := engine.Open(filepath.Join(dir, "db"), &engine.Options{SegmentSets: 8})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	g := &testmodel.Texts{Rng: rand.New(rand.NewPCG(2, 2))}
	m := testmodel.NewModel(enginetest.AnalysisOf(api.Settings{}))
	for i := range 30 {
		id, text := fmt.Sprint(i), g.Next()
		m.Put(id, text)
		if err := db.Put(ctx, api.Document{ID: id, Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Checkpoint(ctx, filepath.Join(dir, "copy")); err != nil {
		t.Fatal(err)
	}
	if err := db.Put(ctx, api.Document{ID: "later", Text: "not in the copy"}); err != nil {
		t.Fatal(err)
	}
	if err := db.Checkpoint(ctx, filepath.Join(dir, "copy")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("second Checkpoint to one place = %v, want fs.ErrExist", err)
	}
	c, err := engine.Open(filepath.Join(dir, "copy"), &engine.Options{MustExist: true})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	enginetest.SameDocuments(t, c, m.Texts)
	enginetest.CheckClean(t, c, "copy")
}

// A store that was opened, and not written to since, is copied whole too.
func TestCheckpointOfAStoreAtRest(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{"db", "copy", "copy of the copy"} {
		db, err := engine.Open(filepath.Join(dir, path), &engine.Options{MustExist: path != "db"})
		if err != nil {
			t.Fatal(err)
		}
		if path == "db" {
			if err := errors.Join(db.Put(t.Context(), api.Document{ID: "a", Text: "one two three four"}), db.Close()); err != nil {
				t.Fatal(err)
			}
			if db, err = engine.Open(filepath.Join(dir, path), nil); err != nil {
				t.Fatal(err)
			}
		}
		enginetest.SameDocuments(t, db, map[string]string{"a": "one two three four"})
		next := map[string]string{"db": "copy", "copy": "copy of the copy"}[path]
		if next != "" {
			err = db.Checkpoint(t.Context(), filepath.Join(dir, next))
		}
		if err := errors.Join(err, db.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// A copy is made while a writer goes on: it holds all that was acknowledged
// before, what came meanwhile or not, and survives a crash once it is there.
func TestCheckpointBesideAWriter(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), testmodel.Patience)
	defer cancel()
	for _, first := range []int{0, 1, 40} { // documents before the copy
		disk := vfs.NewCrashableMem()
		o := enginetest.Options(nil)
		*enginetest.MemTableBytes(o) = 32 << 10
		stored := map[string]string{}
		g := &testmodel.Texts{Rng: rand.New(rand.NewPCG(uint64(first), 3))}
		var db *engine.DB
		put := func() error {
			id := fmt.Sprintf("d%03d", len(stored))
			stored[id] = g.Next()
			return db.Put(ctx, api.Document{ID: id, Text: stored[id]})
		}
		// Each file of the copy waits for a commit and a flush, which wait for
		// the copy if it is made under their mutex.
		*enginetest.FS(o) = enginetest.Creates(disk, "backups/", func(string) error {
			done := make(chan error, 1)
			go func() { done <- errors.Join(put(), enginetest.Disk(db).Flush(ctx)) }()
			select {
			case err := <-done:
				return err
			case <-ctx.Done():
				return ctx.Err()
			}
		})
		db = enginetest.Open(t, o)
		for range first {
			if err := put(); err != nil {
				t.Fatal(err)
			}
		}
		if err := db.Checkpoint(ctx, "backups/monday"); err != nil {
			t.Fatalf("Checkpoint beside a writer: %v", err)
		}
		if len(stored) == first {
			t.Error("no one wrote while the copy was made")
		}
		image := disk.CrashClone(vfs.CrashCloneCfg{})
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		*enginetest.FS(o), o.MustExist = image, true
		for range 2 {
			c, err := engine.Open("backups/monday", o)
			if err != nil {
				t.Fatalf("open the copy made after %d documents: %v", first, err)
			}
			n := int(c.Metrics().Documents)
			if n < first || n > len(stored) {
				t.Errorf("%d documents in the copy, want %d to %d", n, first, len(stored))
			}
			if n > 0 {
				want := maps.Clone(stored)
				maps.DeleteFunc(want, func(id, _ string) bool { return id >= fmt.Sprintf("d%03d", n) })
				enginetest.SameDocuments(t, c, want)
			}
			enginetest.CheckClean(t, c, "copy")
			if err := c.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// A copy that fails leaves nothing behind and can be made again.
func TestCheckpointThatFails(t *testing.T) {
	ctx := context.Background()
	o := enginetest.Options(nil)
	for fails := 1; ; fails++ {
		n, disk := 0, vfs.NewMem()
		*enginetest.FS(o) = enginetest.Creates(disk, "copy", func(string) error {
			if n++; n == fails {
				return errorfs.ErrInjected
			}
			return nil
		})
		db := enginetest.Open(t, o)
		if err := db.Put(ctx, api.Document{ID: "a", Text: "x"}); err != nil {
			t.Fatal(err)
		}
		err := db.Checkpoint(ctx, "copy")
		if n >= fails {
			if !errors.Is(err, errorfs.ErrInjected) {
				t.Errorf("Checkpoint whose file %d fails = %v", fails, err)
			}
			if _, err := disk.Stat("copy"); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("file %d failed: something is left of the copy (%v)", fails, err)
			}
			err = db.Checkpoint(ctx, "copy")
		}
		if err := errors.Join(err, db.Put(ctx, api.Document{ID: "b", Text: "y"}), db.Close()); err != nil {
			t.Errorf("after file %d failed: %v", fails, err)
		}
		if n < fails { // all have failed once
			if fails < 4 {
				t.Errorf("a copy of %d files?", n)
			}
			return
		}
	}
}
