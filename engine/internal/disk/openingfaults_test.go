// Openings that fail halfway: whatever was opened by then is closed, whichever step fails.

package disk_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/engine/internal/testmodel"
	"github.com/simdb/simdb/internal/torture"
)

// opFault fails the nth operation of any kind, also locks and closes, and with always all later
// ones.
type opFault struct {
	n      int64
	always bool
	seen   atomic.Int64
	op     atomic.Pointer[errorfs.Op]
}

func (f *opFault) String() string { return "opFault" }

func (f *opFault) MaybeError(op errorfs.Op) error {
	if n := f.seen.Add(1); n < f.n || n > f.n && !f.always {
		return nil
	}
	f.op.CompareAndSwap(nil, &op)
	return errorfs.ErrInjected
}

// Whichever operation of an opening fails, once or from then on: it ends with an error or succeeds,
// the process goes on, and every lock is released. The fault does not change the files of the store
// unless the call may write them.
func TestOpeningFaults(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	image := smallImage(t, testmodel.KeepsAll)
	o := enginetest.Options(image)
	o.KeepLog = &api.KeepLog{Bytes: 1 << 20}
	db := enginetest.Open(t, o)
	if err := errors.Join(db.Checkpoint(ctx, "copy"), db.Put(ctx, api.Document{ID: "later", Text: "later"}), db.Close()); err != nil {
		t.Fatal(err)
	}
	image = image.CrashClone(vfs.CrashCloneCfg{})
	open := func(fs vfs.FS, readOnly bool) error {
		o := enginetest.Options(fs)
		o.ReadOnly, o.MustExist = readOnly, true
		db, err := engine.Open("db", o)
		if err != nil {
			return err
		}
		return db.Close()
	}
	for _, c := range []struct {
		name   string
		writes bool // to the directory of the store
		do     func(fs vfs.FS) error
	}{
		{"open", true, func(fs vfs.FS) error { return open(fs, false) }},
		{"open read-only", false, func(fs vfs.FS) error { return open(fs, true) }},
		{"salvage", false, func(fs vfs.FS) error {
			_, err := engine.Salvage(ctx, "db", "new", enginetest.Options(fs), func(string) {})
			return err
		}},
		{"salvage in place", true, func(fs vfs.FS) error {
			_, err := engine.SalvageInPlace(ctx, "db", enginetest.Options(fs), func(string) {})
			return err
		}},
		{"extend", false, func(fs vfs.FS) error {
			_, err := enginetest.ExtendBackup(ctx, fs, "db", "copy")
			return err
		}},
		{"restore", false, func(fs vfs.FS) error {
			_, err := engine.RestoreTo(ctx, "copy", "restored", api.Moment{}, enginetest.Options(fs))
			return err
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			all := &opFault{n: 1 << 40}
			if err := c.do(errorfs.Wrap(image.CrashClone(vfs.CrashCloneCfg{}), all)); err != nil {
				t.Fatalf("without a fault: %v", err)
			}
			points := min(all.seen.Load(), int64(torture.Few(40, 150)))
			before := enginetest.FilesOf(t, image, "db")
			failed := 0
			for i := range 2 * points {
				f := &opFault{n: all.seen.Load() - i/2*all.seen.Load()/points, always: i%2 == 1}
				disk := image.CrashClone(vfs.CrashCloneCfg{})
				what := func() string {
					return fmt.Sprintf("operation %d of %d failed (%+v, always: %v)", f.n, all.seen.Load(), f.op.Load(), f.always)
				}
				var err error
				testmodel.Within(t, what(), func() { err = c.do(errorfs.Wrap(disk, f)) })
				if !c.writes && !maps.EqualFunc(before, enginetest.FilesOf(t, disk, "db"), bytes.Equal) {
					t.Fatalf("%s: the store has changed", what())
				}
				if err == nil {
					continue
				}
				failed++
				// A disk that fails for good after the last rename does not let the call undo it.
				if again := c.do(disk); again != nil && !(f.always && errors.Is(again, fs.ErrExist)) {
					t.Fatalf("%s: %v; then without the fault: %v", what(), err, again)
				}
			}
			t.Logf("%d of %d faults were errors", failed, 2*points)
			if failed == 0 {
				t.Error("no fault was an error")
			}
		})
	}
}
