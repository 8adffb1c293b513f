package disk

// The file system that Pebble gets: without locks, and with directories and manifests
// that are written without an error.

import (
	"fmt"
	"io"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// pebbleFS is for Pebble alone. It need not lock its directory: the lock of the store
// holds for it. Pebble's lock goes by the name of the file, and reading that file
// loses it (docs/decisions/0026).
type pebbleFS struct {
	vfs.FS
	s *Store
}

func (pebbleFS) Lock(string) (io.Closer, error) { return noLock{}, nil }

// Create returns for a table of a store that keeps its log one that is not synced before
// the log is. So Pebble never has a record that a crash takes from the log, which would
// be a hole in the history.
func (f pebbleFS) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	file, err := f.FS.Create(name, c)
	base := f.PathBase(name)
	own := f.PathDir(name) == f.s.File(pebbleName) // not of a copy
	switch {
	case own && strings.HasPrefix(base, "marker.manifest") && err != nil:
		f.s.Poison(fmt.Errorf("create %s: %w", name, err))
		return vfs.NewMem().Create(base, c)
	case err != nil:
		return nil, err
	case own && strings.HasPrefix(base, "MANIFEST"):
		return pebbleManifest{file, f.s, name}, nil
	case own && strings.HasSuffix(base, ".log"):
		return pebbleLog{file}, nil
	case f.s.keepsLog() && strings.HasSuffix(base, ".sst"):
		file = pebbleTable{file, f.s}
	}
	return CloseUnsynced(file), nil
}

// pebbleLog is the log that Pebble makes and does not use. It stays empty, and is not
// synced: Close would wait for the disk.
type pebbleLog struct{ vfs.File }

func (pebbleLog) Write(p []byte) (int, error)             { return len(p), nil }
func (pebbleLog) Sync() error                             { return nil }
func (pebbleLog) SyncData() error                         { return nil }
func (pebbleLog) SyncTo(int64) (fullSync bool, err error) { return false, nil }
func (pebbleLog) Preallocate(int64, int64) error          { return nil }

// pebbleTable is a table that is being written.
type pebbleTable struct {
	vfs.File
	s *Store
}

func (t pebbleTable) Sync() error     { return t.afterLog(t.File.Sync) }
func (t pebbleTable) SyncData() error { return t.afterLog(t.File.SyncData) }

func (t pebbleTable) afterLog(sync func() error) error {
	if t.s.log != nil {
		if err := t.s.log.Sync(); err != nil {
			return err
		}
	}
	return sync()
}

// Link remembers the links of a copy, which may have to become files of their own.
func (f pebbleFS) Link(from, to string) error {
	err := f.FS.Link(from, to)
	if linked := f.s.linked.Load(); err == nil && linked != nil {
		linked.add(to)
	}
	return err
}

type noLock struct{}

func (noLock) Close() error { return nil }

func (f pebbleFS) OpenDir(name string) (vfs.File, error) {
	dir, err := f.FS.OpenDir(name)
	if err != nil {
		return nil, err
	}
	return pebbleDir{dir, f.s, name}, nil
}

// pebbleDir is a directory of Pebble's. Where it cannot be synced Pebble panics, in a
// goroutine of its own, which ends the process. So the store is poisoned instead:
// nothing is changed on disk from then on, and nothing in it counts as durable.
type pebbleDir struct {
	vfs.File
	s    *Store
	name string
}

func (d pebbleDir) Sync() error {
	if err := d.File.Sync(); err != nil {
		d.s.Poison(fmt.Errorf("sync %s: %w", d.name, err))
	}
	return nil
}

// pebbleManifest is the list of Pebble's tables. Where a change of it cannot be written
// Pebble counts on the end of the process, for what it has in memory is then half
// changed: a compaction that runs beside would panic, in a goroutine of its own. So the
// store is poisoned instead, Pebble goes on with whole lists in memory, and the disk
// keeps the one of before.
type pebbleManifest struct {
	vfs.File
	s    *Store
	name string
}

// unlessPoisoned writes, and poisons the store where that fails.
func (m pebbleManifest) unlessPoisoned(write func() error) {
	if m.s.Poisoned() != nil {
		return
	}
	if err := write(); err != nil {
		m.s.Poison(fmt.Errorf("write %s: %w", m.name, err))
	}
}

func (m pebbleManifest) Write(p []byte) (int, error) {
	m.unlessPoisoned(func() error {
		_, err := m.File.Write(p)
		return err
	})
	return len(p), nil
}

func (m pebbleManifest) Sync() error {
	m.unlessPoisoned(m.File.Sync)
	return nil
}

func (m pebbleManifest) SyncData() error {
	m.unlessPoisoned(m.File.SyncData)
	return nil
}

// SyncTo is a hint.
func (pebbleManifest) SyncTo(int64) (bool, error) { return false, nil }

// Preallocate is a hint.
func (pebbleManifest) Preallocate(int64, int64) error { return nil }
