package disk

// Pebble's file system: without locks, and with directories and manifests whose writes never
// return an error.

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"math/bits"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/engine/internal/durable"
	"github.com/simdb/simdb/engine/internal/fault"
)

// pebbleFS serves Pebble alone. Lock does nothing, because the lock of the store covers Pebble's
// directory. Pebble would lock by file name with fcntl, and reading that file loses such a lock
// (docs/decisions/0026).
type pebbleFS struct {
	vfs.FS
	s *Store
}

func (pebbleFS) Lock(string) (io.Closer, error) { return noLock{}, nil }

// Create wraps the tables of a store with history so that each syncs after the log. Otherwise
// Pebble could hold a record that a crash removes from the log, which would leave a gap in the
// history.
func (f pebbleFS) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	base := f.PathBase(name)
	own := f.PathDir(name) == f.s.File(pebbleName) // not of a copy
	if unused(name) {
		return vfs.NewMem().Create(base, c)
	}
	if own && strings.HasPrefix(base, "marker.manifest") {
		return f.createMarker(name, c)
	}
	file, err := f.FS.Create(name, c)
	switch {
	case err != nil:
		return nil, err
	case own && strings.HasPrefix(base, "MANIFEST"):
		return pebbleManifest{file, f.s, name}, nil
	case f.s.keepsLog() && strings.HasSuffix(base, ".sst"):
		file = pebbleTable{file, f.s}
	}
	return CloseUnsynced(file), nil
}

// createMarker creates the file that names the manifest in use. Pebble syncs the directory only
// afterwards, so a crash could leave the marker without the manifest.
func (f pebbleFS) createMarker(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	err := durable.SyncDir(f.FS, f.PathDir(name))
	if err == nil {
		var file vfs.File
		if file, err = f.FS.Create(name, c); err == nil {
			return CloseUnsynced(file), nil
		}
	}
	f.s.Poison(fmt.Errorf("create %s: %w", name, err))
	return vfs.NewMem().Create(f.PathBase(name), c)
}

// unused reports whether a file is the log that Pebble creates, copies and removes but does not
// use. It exists in memory only, empty: Pebble would flush on opening if it found one.
func unused(name string) bool { return strings.HasSuffix(name, ".log") }

func (f pebbleFS) Open(name string, opts ...vfs.OpenOption) (vfs.File, error) {
	if unused(name) {
		return vfs.NewMemFile(nil), nil
	}
	file, err := f.FS.Open(name, opts...)
	if err != nil || !strings.HasSuffix(name, ".sst") {
		return file, err
	}
	return readTable{file, f.s, name}, nil
}

// readTable is a table open for reading. After a checksum mismatch Pebble computes some 65,000
// checksums of the block, to find out whether one bit has flipped, and does so again at each read
// of the block: 50 ms per read of 8 KB, and hours for a check of many documents. So once Pebble has
// reported damage, which poisons the store, ReadAt refuses damaged blocks itself.
type readTable struct {
	vfs.File
	s    *Store
	name string
}

// blockTrailer is the number of bytes that Pebble reads behind the contents of a block: its kind,
// and the checksum of contents and kind.
const blockTrailer = 5

func (t readTable) ReadAt(p []byte, from int64) (int, error) {
	n, err := t.File.ReadAt(p, from)
	if err != nil || t.s.Poisoned() == nil || len(p) <= blockTrailer {
		return n, err
	}
	end := len(p) - 4
	if sum := crc32.Checksum(p[:end], durable.Castagnoli); bits.RotateLeft32(sum, 17)+0xa282ead8 == binary.LittleEndian.Uint32(p[end:]) {
		return n, nil
	}
	if size, err := length(t.File); err != nil || from+int64(n) == size { // the footer has no checksum of this kind
		return n, err
	}
	return n, fault.Corrupt("%s: block %d/%d: crc32c checksum mismatch", t.name, from, len(p)-blockTrailer)
}

func (f pebbleFS) Remove(name string) error {
	if unused(name) {
		return nil
	}
	return f.FS.Remove(name)
}

// pebbleTable is a table that syncs after the log.
type pebbleTable struct {
	vfs.File
	s *Store
}

func (t pebbleTable) Sync() error     { return t.syncAfterLog(t.File.Sync) }
func (t pebbleTable) SyncData() error { return t.syncAfterLog(t.File.SyncData) }

// syncAfterLog syncs the log, then the table.
func (t pebbleTable) syncAfterLog(sync func() error) error {
	if t.s.log != nil {
		if err := t.s.log.Sync(); err != nil {
			return err
		}
	}
	return sync()
}

// Link records the links of a copy in progress, which may have to become separate files.
func (f pebbleFS) Link(from, to string) error {
	err := f.FS.Link(from, to)
	if linked := f.s.linked.Load(); err == nil && linked != nil {
		linked.add(to)
	}
	return err
}

// noLock is the lock of a file system that needs none.
type noLock struct{}

func (noLock) Close() error { return nil }

func (f pebbleFS) OpenDir(name string) (vfs.File, error) {
	dir, err := f.FS.OpenDir(name)
	if err != nil {
		return nil, err
	}
	return pebbleDir{dir, f.s, name}, nil
}

// pebbleDir is a directory of Pebble. If a directory sync fails, Pebble panics on a goroutine of
// its own, which ends the process. So Sync poisons the store instead: from then on nothing on
// disk changes, and nothing in the directory counts as durable.
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

// pebbleManifest is Pebble's list of tables. After a failed write Pebble expects the process to
// end, since its state in memory is half changed: a concurrent compaction would panic. So a
// failed write poisons the store instead. Pebble continues with complete lists in memory, and the
// disk keeps the previous list.
type pebbleManifest struct {
	vfs.File
	s    *Store
	name string
}

// writeUnlessPoisoned writes, and poisons the store on failure. It does nothing in a poisoned store.
func (m pebbleManifest) writeUnlessPoisoned(write func() error) {
	if m.s.Poisoned() != nil {
		return
	}
	if err := write(); err != nil {
		m.s.Poison(fmt.Errorf("write %s: %w", m.name, err))
	}
}

func (m pebbleManifest) Write(p []byte) (int, error) {
	m.writeUnlessPoisoned(func() error {
		_, err := m.File.Write(p)
		return err
	})
	return len(p), nil
}

func (m pebbleManifest) Sync() error {
	m.writeUnlessPoisoned(m.File.Sync)
	return nil
}

func (m pebbleManifest) SyncData() error {
	m.writeUnlessPoisoned(m.File.SyncData)
	return nil
}

// SyncTo does nothing: it would only be a hint.
func (pebbleManifest) SyncTo(int64) (bool, error) { return false, nil }

// Preallocate does nothing: it would only be a hint.
func (pebbleManifest) Preallocate(int64, int64) error { return nil }
