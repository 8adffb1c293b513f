// Package enginetest supports the tests of the engine and its packages: stores in memory,
// workloads, faults, crash images, and answers in comparable form. Only tests import it. Begin
// reading with helpers.go, then workload.go.
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

// Test stores are small and many: with the default, garbage collection took a quarter of the
// time.
func init() { debug.SetGCPercent(800) }

// FS returns a pointer to the file system option.
func FS(o *engine.Options) *vfs.FS { return inside.HooksOf(o).FS }

// MemTableBytes returns a pointer to the size option of Pebble's memtables.
func MemTableBytes(o *engine.Options) *int64 { return inside.HooksOf(o).MemTableBytes }

// Unicode returns a pointer to the option for the Unicode version of new collections.
func Unicode(o *engine.Options) *string { return inside.HooksOf(o).Unicode }

// Analysed returns a pointer to the hook that receives the memory of each analysis.
func Analysed(o *engine.Options) *func(bytes int64) { return inside.HooksOf(o).Analysed }

// WithHooks sets the file system and the size of Pebble's memtables; nil and 0 keep the
// defaults.
func WithHooks(o *engine.Options, fs vfs.FS, memTableBytes int64) *engine.Options {
	*FS(o), *MemTableBytes(o) = fs, memTableBytes
	return o
}

// Inside returns the internals of a store that tests may use.
func Inside(db *engine.DB) inside.DB { return inside.StoreOf(db) }

// Disk returns the disk layer of a store.
func Disk(db *engine.DB) *disk.Store { return Inside(db).Disk }

// View returns the internals of a snapshot.
func View(s *engine.Snapshot) *view.Snapshot { return inside.ViewOf(s) }

// Views returns the current collections.
func Views(t *testing.T, db *engine.DB) []*view.View {
	t.Helper()
	s := SnapshotOf(t, db)
	defer s.Close()
	return View(s).Views
}

// Collection returns a collection in its current state.
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

// CollectionError returns ErrNotFound if the collection does not exist.
func CollectionError(t *testing.T, db *engine.DB, name string) error {
	t.Helper()
	s := SnapshotOf(t, db)
	defer s.Close()
	_, err := s.Collection(name)
	return err
}

// Codec returns the codec that compresses the texts of a store.
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
