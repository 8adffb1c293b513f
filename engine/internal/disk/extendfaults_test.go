package disk_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/engine/internal/testmodel"
	"github.com/simdb/simdb/internal/torture"
)

// Reads fail while a backup extends, once or from then on. The extension fails or is complete. The
// store does not change, and the backup restores a state that it has had before or after the
// extension; the next extension completes it.
func TestReadFaultsOfExtensions(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	image := smallImage(t, testmodel.KeepsAll)
	o := enginetest.Options(image)
	o.KeepLog = &api.KeepLog{Bytes: 1 << 20}
	db := enginetest.Open(t, o)
	old := enginetest.Contents(t, db)
	if err := db.Checkpoint(ctx, "copy"); err != nil {
		t.Fatal(err)
	}
	for i := range 20 { // several segments of the history
		if err := db.Put(ctx, api.Document{ID: fmt.Sprint("later", i), Text: fmt.Sprint("a later text ", i, bytes.Repeat([]byte{'x'}, 100*i))}); err != nil {
			t.Fatal(err)
		}
		if i%5 == 4 {
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			db = enginetest.Open(t, o)
		}
	}
	now := enginetest.Contents(t, db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	image = image.CrashClone(vfs.CrashCloneCfg{})
	before := enginetest.FilesOf(t, image, "db")
	restored := func(disk vfs.FS, name string) []string {
		if _, err := engine.RestoreTo(ctx, "copy", name, api.Moment{}, enginetest.Options(disk)); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		db, err := engine.Open(name, enginetest.Options(disk))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		defer db.Close()
		return enginetest.Contents(t, db)
	}
	all := &readFault{}
	if _, err := enginetest.ExtendBackup(ctx, errorfs.Wrap(image.CrashClone(vfs.CrashCloneCfg{}), all), "db", "copy"); err != nil {
		t.Fatal(err)
	}
	points := min(all.seen.Load(), int64(torture.Tries(t, "F2-extend")))
	failed := 0
	for i := range points {
		n := 1 + i*all.seen.Load()/points
		for what, f := range map[string]*readFault{"once": {n: n}, "from then on": {n: n, always: true}} {
			what = fmt.Sprintf("read %d of %d fails, %s", n, all.seen.Load(), what)
			disk := image.CrashClone(vfs.CrashCloneCfg{})
			var err error
			testmodel.Within(t, what, func() { _, err = enginetest.ExtendBackup(ctx, errorfs.Wrap(disk, f), "db", "copy") })
			if err != nil {
				failed++
			}
			if err != nil && !errors.Is(err, errorfs.ErrInjected) {
				t.Errorf("%s: %v, want the error of the read", what, err)
			}
			if !maps.EqualFunc(before, enginetest.FilesOf(t, disk, "db"), bytes.Equal) {
				t.Errorf("%s: the store has changed", what)
			}
			if got := restored(disk, "first"); !slices.Equal(got, now) && (err == nil || !slices.Equal(got, old)) {
				t.Errorf("%s (%v): the backup is neither as before nor complete:\n%s", what, err, testmodel.Difference(got, now))
			}
			if _, err := enginetest.ExtendBackup(ctx, disk, "db", "copy"); err != nil {
				t.Errorf("%s, then without the fault: %v", what, err)
			} else if got := restored(disk, "second"); !slices.Equal(got, now) {
				t.Errorf("%s, then without the fault:\n%s", what, testmodel.Difference(got, now))
			}
		}
	}
	if failed == 0 {
		t.Error("no fault was an error")
	}
	t.Logf("%d of %d reads failed, %d extensions with an error", points, all.seen.Load(), failed)
	torture.Report(t, "F2-extend", int(2*points))
}
