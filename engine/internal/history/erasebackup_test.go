// Backups beside a history that Compact has begun to erase from.

package history_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/enginetest"
)

// Compact ends, by a disk that fails, after each segment of the history that it writes anew, or
// with tables that a snapshot keeps. A backup from before then gets no record without what was
// erased: the others would not fit it.
func TestBackupBesideAHistoryThatIsErased(t *testing.T) {
	t.Parallel()
	ended := 0
	for segments := 0; ; segments++ { // 0: by a snapshot
		t.Run(fmt.Sprint("segments ", segments), func(t *testing.T) {
			if compactEnds(t, segments) {
				ended++
			}
		})
		if ended <= segments || t.Failed() {
			break
		}
	}
	if ended < 3 {
		t.Errorf("Compact was ended %d times, so hardly anything is tested", ended)
	}
}

// compactEnds says whether Compact was ended by the rename of so many segments.
func compactEnds(t *testing.T, segments int) bool {
	ctx := t.Context()
	mem := vfs.NewMem()
	var left atomic.Int64 // segments until the disk fails
	left.Store(1 << 40)
	failing := errorfs.Wrap(mem, errorfs.InjectorFunc(func(op errorfs.Op) error {
		switch {
		case op.Kind.ReadOrWrite() != errorfs.OpIsWrite:
		case left.Load() == 0:
			return errorfs.ErrInjected
		case op.Kind == errorfs.OpRename && strings.HasSuffix(op.Path, ".log.partial"):
			left.Add(-1)
		}
		return nil
	}))
	e := newErasing(t, failing, &api.KeepLog{Bytes: 1 << 30})
	e.must(e.db.Checkpoint(ctx, "copy"))
	for i := range 30 { // sets begin that the groups tell of by number, behind one that is only hers
		e.must(e.db.Put(ctx, api.Document{ID: personID, Text: personText(100 + i)}))
		for _, text := range []string{othersText(1000 + i), othersText(i)} {
			e.must(e.db.Put(ctx, api.Document{ID: fmt.Sprint("d", i), Text: text, Meta: api.Meta{"who": "anyone"}}))
		}
		if i%15 == 14 { // which ends a segment
			e.reopen()
		}
	}
	s := enginetest.SnapshotOf(t, e.db)
	e.must(e.db.Erase(ctx, "", personID))
	if segments > 0 {
		e.must(s.Close())
		left.Store(int64(segments))
	}
	err := e.db.Compact(ctx)
	if segments == 0 {
		e.must(s.Close())
	}
	if closed := e.db.Close(); err == nil && closed == nil {
		return false
	}
	e.fs, *enginetest.FS(e.o) = mem, mem
	e.db = enginetest.Open(t, e.o)
	e.must(e.db.Put(ctx, api.Document{ID: "d0", Text: othersText(0)}))
	e.must(e.db.Close())
	e.extended("before the next Compact")
	e.db = enginetest.Open(t, e.o)
	e.must(e.db.Compact(ctx))
	e.must(e.db.Close())
	e.extended("after it")
	e.traceless("copy", "after the next Compact and backup")
	return true
}

// Compact begins to erase while the backup is being extended: what was added may be a mixture.
func TestErasedWhileABackupIsExtended(t *testing.T) {
	ctx := t.Context()
	mem := vfs.NewMem()
	e := newErasing(t, mem, &api.KeepLog{Bytes: 1 << 30})
	e.must(e.db.Checkpoint(ctx, "copy"))
	e.must(e.db.Put(ctx, api.Document{ID: personID, Text: personText(100)}))
	e.must(e.db.Erase(ctx, "", personID))
	compact := sync.OnceFunc(func() { e.must(e.db.Compact(ctx)) })
	meanwhile := errorfs.Wrap(mem, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind == errorfs.OpCreate && strings.HasPrefix(op.Path, "copy/log/") {
			compact()
		}
		return nil
	}))
	if x, err := enginetest.ExtendBackup(ctx, meanwhile, "db", "copy"); !errors.Is(err, disk.ErrErasedSince) { // the store cannot be opened for a new one
		t.Errorf("extended %+v, %v, want ErrErasedSince", x, err)
	}
	e.must(e.db.Close())
	e.extended("once the store is closed")
	e.traceless("copy", "after the next backup")
}
