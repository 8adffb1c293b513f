// Faults that are mended: the process closes the store, opens it again, and goes on.

package engine_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/engine/internal/testmodel"
	"github.com/simdb/simdb/internal/torture"
)

// brokenFor fails some operations while it is on.
type brokenFor struct {
	is  func(op errorfs.Op) bool
	err error
	on  atomic.Bool
}

func (b *brokenFor) String() string { return "brokenFor" }

func (b *brokenFor) MaybeError(op errorfs.Op) error {
	if b.on.Load() && b.is(op) {
		return b.err
	}
	return nil
}

// Once a fault of any kind is mended, Close and Open go on in the same process with all that
// was acknowledged, on real files with real locks. Close returns though the fault lasts, and
// where nothing can be written the store can be read (durability F4).
func TestMended(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		reads bool // the fault is of reading
		is    func(op errorfs.Op) bool
		err   error
	}{
		{"writes fail", false, func(op errorfs.Op) bool { return op.Kind.ReadOrWrite() == errorfs.OpIsWrite }, syscall.EIO},
		{"syncs fail", false, func(op errorfs.Op) bool { return op.Kind == errorfs.OpFileSync || op.Kind == errorfs.OpFileSyncData }, syscall.EIO},
		{"the disk is full", false, func(op errorfs.Op) bool { return op.Kind == errorfs.OpFileWrite || op.Kind == errorfs.OpCreate }, syscall.ENOSPC},
		{"the disk is mounted read-only", false, func(op errorfs.Op) bool { return op.Kind.ReadOrWrite() == errorfs.OpIsWrite }, syscall.EROFS},
		{"reads fail", true, func(op errorfs.Op) bool { return op.Kind.ReadOrWrite() == errorfs.OpIsRead }, syscall.EIO},
	} {
		for _, lasts := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, until after Close: %v", c.name, lasts), func(t *testing.T) {
				f := &brokenFor{is: c.is, err: c.err}
				o := enginetest.WithHooks(&engine.Options{SegmentSets: 16}, errorfs.Wrap(vfs.Default, f), 64<<10)
				mended(t, filepath.Join(t.TempDir(), "db"), o, f.on.Store, c.reads, lasts)
			})
		}
	}
	torture.Report(t, "F4", 10)
}

// mended brings a fault about in a store, mends it, and goes on.
func mended(t *testing.T, dir string, o *engine.Options, broken func(bool), reads, lasts bool) {
	ctx := context.Background()
	db, err := engine.Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	enginetest.FillTexts(t, db, 100)
	acked := 100
	if reads { // what was just written is in memory
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		if db, err = engine.Open(dir, o); err != nil {
			t.Fatal(err)
		}
	}
	broken(true)
	var failed error
	testmodel.Within(t, "a store under a fault", func() {
		for i := 0; failed == nil && i < 2000; i++ {
			if reads {
				failed = drainDocuments(db)
				continue
			}
			if failed = db.Put(ctx, api.Document{ID: fmt.Sprint("d", acked), Text: fmt.Sprint("one more text, of number ", acked)}); failed == nil {
				acked++
			}
		}
	})
	if failed == nil {
		t.Fatal("no call has failed")
	}
	broken(lasts)
	testmodel.Within(t, "Close", func() {
		if err := db.Close(); err != nil && !errors.Is(err, api.ErrPoisoned) && !reads {
			t.Errorf("close: %v", err)
		}
	})
	if lasts {
		testmodel.Within(t, "Open under the fault", func() {
			if db, err := engine.Open(dir, o); err == nil { // it need not notice
				db.Close()
			}
			if reads {
				return
			}
			reader := *o
			reader.ReadOnly = true
			db, err := engine.Open(dir, &reader)
			if err != nil {
				t.Errorf("open for reading where nothing can be written: %v", err)
				return
			}
			if n := db.Metrics().Documents; n != int64(acked) && n != int64(acked)+1 {
				t.Errorf("read where nothing can be written, %d documents are there, %d were acknowledged", n, acked)
			}
			if err := errors.Join(drainDocuments(db), db.Close()); err != nil {
				t.Errorf("read where nothing can be written: %v", err)
			}
		})
	}
	broken(false)
	if db, err = engine.Open(dir, o); err != nil {
		t.Fatalf("after %v, mended: %v", failed, err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			t.Errorf("close at last: %v", err)
		}
	}()
	if n := db.Metrics().Documents; n != int64(acked) && n != int64(acked)+1 {
		t.Errorf("after %v %d documents are there, %d were acknowledged", failed, n, acked)
	}
	enginetest.FillTexts(t, db, 120)
	enginetest.CheckClean(t, db, "mended")
}

// drainDocuments reads all documents past every cache.
func drainDocuments(db *engine.DB) error {
	s, err := db.Snapshot()
	if err != nil {
		return err
	}
	defer s.Close()
	for _, err := range s.Documents(context.Background(), api.DefaultCollection) {
		if err != nil {
			return err
		}
	}
	_, err = db.Check(context.Background(), nil)
	return err
}
