// These tests check marks: the notes that callers leave in a batch.

package engine

import (
	"context"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// An empty mark is there and a removed one is not, now and when the log is replayed.
func TestEmptyMarkIsNotNone(t *testing.T) {
	ctx := context.Background()
	disk := vfs.NewCrashableMem()
	o := testOptions(disk)
	db := openTest(t, o)
	var put, remove Batch
	put.Mark("empty", []byte{})
	put.Mark("full", []byte("here"))
	put.Mark("removed", []byte{})
	remove.Mark("removed", nil)
	for _, b := range []*Batch{&put, &remove} {
		if _, err := db.Commit(ctx, b); err != nil {
			t.Fatal(err)
		}
	}
	marks := func(db *DB, when string) {
		t.Helper()
		for name, want := range map[string][]byte{"empty": {}, "full": []byte("here"), "removed": nil} {
			got, err := db.Mark(name)
			if err != nil || string(got) != string(want) || (got == nil) != (want == nil) {
				t.Errorf("%s: Mark(%q) = %#v, %v, want %#v", when, name, got, err, want)
			}
		}
	}
	marks(db, "as it was put")
	crashed := *o
	crashed.fs = disk.CrashClone(vfs.CrashCloneCfg{})
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	after := openTest(t, &crashed)
	defer after.Close()
	marks(after, "replayed")
}
