package disk

// Files that cannot be synced. vfs.NewSyncingFile syncs before it closes, and leaves the file
// open where that fails: a process that opens the store again and again would run out of
// files.

import (
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// CloseUnsynced returns a file that is closed by a sync that fails. Nobody knows then what of
// it is on the disk, so nobody goes on with it (docs/decisions/0010).
func CloseUnsynced(f vfs.File) vfs.File { return &unsynced{File: f} }

type unsynced struct {
	vfs.File
	closing sync.Once
}

func (f *unsynced) Close() (err error) {
	f.closing.Do(func() { err = f.File.Close() })
	return err
}

func (f *unsynced) closeOn(err error) error {
	if err != nil {
		f.Close() // what else goes wrong comes of err
	}
	return err
}

func (f *unsynced) Sync() error     { return f.closeOn(f.File.Sync()) }
func (f *unsynced) SyncData() error { return f.closeOn(f.File.SyncData()) }
func (f *unsynced) SyncTo(n int64) (bool, error) {
	full, err := f.File.SyncTo(n)
	return full, f.closeOn(err)
}
