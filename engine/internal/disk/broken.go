package disk

// What a store that does not open is read by: its files one by one, never written.

import (
	"errors"
	"io"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/history"
	"github.com/simdb/simdb/wal"
)

// Broken is the directory of a store that need not open. Close it.
type Broken struct {
	base vfs.FS
	path string
	lock io.Closer
}

// OpenBroken locks a directory as a reader does. ErrInvalid if it has nothing of a store.
func OpenBroken(base vfs.FS, path string) (*Broken, error) {
	b := &Broken{base: base, path: path}
	tables, err := b.paths(pebbleName, "")
	logs, logErr := b.paths(logName, "")
	if err := errors.Join(err, logErr); err != nil {
		return nil, err
	}
	if len(tables)+len(logs) == 0 {
		if _, err := base.Stat(path); err != nil {
			return nil, err
		}
		return nil, fault.Invalid("%s has nothing of a store", path)
	}
	if _, err := readState(base, base.PathJoin(path, stateName)); errors.Is(err, api.ErrFormatTooNew) {
		return nil, err // what this version cannot read is not lost
	}
	b.lock, err = takeLock(base, path, base.PathJoin(path, lockName), true)
	return b, err
}

// Close lets others have the directory.
func (b *Broken) Close() error { return b.lock.Close() }

// Tables are the paths of Pebble's tables.
func (b *Broken) Tables() ([]string, error) { return b.paths(pebbleName, ".sst") }

// Logs are the paths of the log's segments, in order.
func (b *Broken) Logs() ([]string, error) { return b.paths(logName, ".log") }

func (b *Broken) paths(dir, end string) ([]string, error) {
	names, err := listed(b.base, b.base.PathJoin(b.path, dir), end)
	for i, n := range names {
		names[i] = b.base.PathJoin(b.path, dir, n)
	}
	return names, err
}

// History is what the store kept: its segments, in order, and what they are read with, as
// far as that can be read.
func (b *Broken) History() (kept []wal.File, settings []history.InForce, err error) {
	return history.Read(b.base, b.path)
}

// Open opens a file to be read.
func (b *Broken) Open(path string) (vfs.File, error) { return b.base.Open(path) }

// ReplayLog hands the records of one log segment, whose first has this number, to add.
func (b *Broken) ReplayLog(path string, first uint64, add func(seq uint64, record []byte) error) (wal.Replayed, error) {
	over := newOverlay(b.base)
	const dir = "segment"
	if err := over.MkdirAll(dir, 0o755); err != nil {
		return wal.Replayed{}, err
	}
	to := over.PathJoin(dir, wal.SegmentName(first))
	if err := over.Link(path, to); err != nil {
		return wal.Replayed{}, err
	}
	l, err := wal.Open(over.mem, dir, wal.Options{})
	if err != nil {
		return wal.Replayed{}, err
	}
	defer l.Close()
	return l.Replay(first-1, add)
}

// Mark is how far the log had been synced; 0 if nothing says.
func (b *Broken) Mark() uint64 {
	seq, err := wal.Mark(b.base, b.base.PathJoin(b.path, logName))
	if err != nil {
		return 0
	}
	return seq
}

// Counted is what STATE says: how many documents there were after which log record; -1
// if it does not say.
func (b *Broken) Counted() (documents int64, seq uint64) {
	st, err := readState(b.base, b.base.PathJoin(b.path, stateName))
	if err != nil {
		return -1, 0
	}
	return st.Documents, st.Applied
}
