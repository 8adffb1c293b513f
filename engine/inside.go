package engine

// Access of internal packages' tests to a store (engine/internal/inside).

import (
	"github.com/simdb/simdb/engine/internal/inside"
	"github.com/simdb/simdb/engine/internal/view"
)

func init() {
	inside.HooksOf = func(options any) inside.Hooks {
		h := &options.(*Options).hooks
		return inside.Hooks{FS: &h.fs, MemTableBytes: &h.memTableBytes, Clock: &h.clock, Unicode: &h.unicode, Analysed: &h.analysed}
	}
	inside.StoreOf = func(store any) inside.DB {
		db := store.(*DB)
		return inside.DB{
			Disk: db.disk, Files: db.files, Counted: db.counted, Maintain: db.maintain, RebuildAll: db.rebuildAll,
			RemoveRetired: db.removeRetired, Use: db.use, Unuse: db.unuse,
		}
	}
	inside.ViewOf = func(snapshot any) *view.Snapshot { return snapshot.(*Snapshot).view }
}
