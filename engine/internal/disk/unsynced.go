package disk

// Closing files after a failed sync. vfs.NewSyncingFile syncs before it closes, and leaves the file
// open if that fails: a process that reopens the store repeatedly would run out of files.

import (
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// CloseUnsynced returns a file that closes itself when a sync fails. The contents on disk are
// then unknown, so no caller may continue with it (docs/decisions/0010).
func CloseUnsynced(f vfs.File) vfs.File { return &unsynced{File: f} }

// unsynced closes its file at most once.
type unsynced struct {
	vfs.File
	closing sync.Once
}

func (f *unsynced) Close() (err error) {
	f.closing.Do(func() { err = f.File.Close() })
	return err
}

// closeOn closes the file if err is not nil, and returns err.
func (f *unsynced) closeOn(err error) error {
	if err != nil {
		f.Close() // further errors follow from err
	}
	return err
}

func (f *unsynced) Sync() error     { return f.closeOn(f.File.Sync()) }
func (f *unsynced) SyncData() error { return f.closeOn(f.File.SyncData()) }
func (f *unsynced) SyncTo(n int64) (bool, error) {
	full, err := f.File.SyncTo(n)
	return full, f.closeOn(err)
}
