// Package enginetest is for the tests of the engine and of its rooms: stores in memory, what
// they hold, faults and crashes, and answers that can be compared. Only tests import it.
package enginetest

import (
	"context"
	"iter"
	"runtime/debug"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/inside"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/view"
)

// Stores of tests are small and many: a quarter of their time was the garbage collector's.
func init() { debug.SetGCPercent(800) }

// FS points to the file system of a store.
func FS(o *engine.Options) *vfs.FS { return inside.HooksOf(o).FS }

// MemTableBytes points to the size of Pebble's tables in memory.
func MemTableBytes(o *engine.Options) *int64 { return inside.HooksOf(o).MemTableBytes }

// Unicode points to the version of the tables that texts are read with.
func Unicode(o *engine.Options) *string { return inside.HooksOf(o).Unicode }

// Analysed points to the function that is called with the memory of each analysis.
func Analysed(o *engine.Options) *func(bytes int64) { return inside.HooksOf(o).Analysed }

// WithHooks sets the file system, unless nil, and the size of Pebble's tables, unless 0.
func WithHooks(o *engine.Options, fs vfs.FS, memTableBytes int64) *engine.Options {
	*FS(o), *MemTableBytes(o) = fs, memTableBytes
	return o
}

// Inside returns what a store shows to tests.
func Inside(db *engine.DB) inside.DB { return inside.StoreOf(db) }

// Disk is the room under a store.
func Disk(db *engine.DB) *disk.Store { return Inside(db).Disk }

// View is what the rooms see of a snapshot.
func View(s *engine.Snapshot) *view.Snapshot { return inside.ViewOf(s) }

// Views are the collections as they are now.
func Views(t *testing.T, db *engine.DB) []*view.View {
	t.Helper()
	s := SnapshotOf(t, db)
	defer s.Close()
	return View(s).Views
}

// Collection is one collection as it is now.
func Collection(t *testing.T, db *engine.DB, name string) *view.View {
	t.Helper()
	s := SnapshotOf(t, db)
	defer s.Close()
	v, err := View(s).View(name)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// CollectionError is ErrNotFound if there is no such collection.
func CollectionError(t *testing.T, db *engine.DB, name string) error {
	t.Helper()
	s := SnapshotOf(t, db)
	defer s.Close()
	_, err := s.Collection(name)
	return err
}

// Codec compresses the texts of a store.
func Codec(t *testing.T, db *engine.DB) *record.Codec {
	t.Helper()
	s := SnapshotOf(t, db)
	defer s.Close()
	return View(s).Codec
}

// Tail is engine.Tail on any file system.
func Tail(ctx context.Context, fs vfs.FS, path string, o api.TailOptions) iter.Seq2[api.Change, error] {
	return tail(ctx, fs, path, o)
}

// ExtendBackup is engine.ExtendBackup on any file system.
func ExtendBackup(ctx context.Context, fs vfs.FS, store, backup string) (api.Extension, error) {
	return extendBackup(ctx, fs, store, backup)
}
