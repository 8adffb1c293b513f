// These tests check notes: the values that callers leave in a batch.

package record_test

import (
	"context"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
)

// An empty note is there and a removed one is not, now and when the log is replayed.
func TestEmptyNoteIsNotNone(t *testing.T) {
	ctx := context.Background()
	disk := vfs.NewCrashableMem()
	o := enginetest.Options(disk)
	db := enginetest.Open(t, o)
	var put, remove engine.Batch
	put.Note("empty", []byte{})
	put.Note("full", []byte("here"))
	put.Note("removed", []byte{})
	remove.Note("removed", nil)
	for _, b := range []*engine.Batch{&put, &remove} {
		if _, err := db.Commit(ctx, b); err != nil {
			t.Fatal(err)
		}
	}
	notes := func(db *engine.DB, when string) {
		t.Helper()
		for name, want := range map[string][]byte{"empty": {}, "full": []byte("here"), "removed": nil} {
			got, err := db.Note(name)
			if err != nil || string(got) != string(want) || (got == nil) != (want == nil) {
				t.Errorf("%s: Note(%q) = %#v, %v, want %#v", when, name, got, err, want)
			}
		}
	}
	notes(db, "as it was put")
	crashed := *o
	*enginetest.FS(&crashed) = disk.CrashClone(vfs.CrashCloneCfg{})
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	after := enginetest.Open(t, &crashed)
	defer after.Close()
	notes(after, "replayed")
}
