package disk

// What a store that does not open is read by: its files one by one, never written.

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/durable"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/history"
	"github.com/simdb/simdb/wal"
)

// Broken is the directory of a store that need not open. Close it.
type Broken struct {
	base  vfs.FS
	path  string
	lock  io.Closer
	whole bool
	state state
	said  bool // state could be read
}

// OpenBroken locks a directory, against those who write, or against all if alone is set.
// ErrInvalid if it has nothing of a store.
func OpenBroken(ctx context.Context, base vfs.FS, path string, alone bool) (_ *Broken, err error) {
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
	if err := b.onlyFiles(); err != nil {
		return nil, err
	}
	b.state, err = readState(base, base.PathJoin(path, stateName))
	if errors.Is(err, api.ErrFormatTooNew) {
		return nil, err // what this version cannot read is not lost
	}
	b.said = err == nil
	b.whole = b.said && opens(ctx, base, path) // before the lock, which would be in its way on Windows
	b.lock, err = takeLock(base, path, base.PathJoin(path, lockName), !alone)
	return b, err
}

// opens reports whether a store opens to be read, with all files that its manifest names.
func opens(ctx context.Context, base vfs.FS, path string) (yes bool) {
	defer func() {
		if recover() != nil { // Pebble trusts what its checksums do not cover
			yes = false
		}
	}()
	s, err := Open(ctx, path, Options{FS: base, ReadOnly: true, MemTableBytes: 1 << 20, Logger: slog.New(slog.DiscardHandler)})
	return err == nil && s.Close() == nil
}

// Whole reports whether no file is missing that another one names.
func (b *Broken) Whole() bool { return b.whole }

// Close lets others have the directory. It may be called again.
func (b *Broken) Close() error {
	if b.lock == nil {
		return nil
	}
	lock := b.lock
	b.lock = nil
	return lock.Close()
}

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

// onlyFiles refuses what is neither a file nor a directory: to open a pipe would wait for its
// writer.
func (b *Broken) onlyFiles() error {
	for _, dir := range []string{"", logName, pebbleName, PostingsName, history.Name} {
		names, err := b.paths(dir, "")
		if err != nil {
			continue // whoever reads it is told
		}
		for _, path := range names {
			if info, err := b.base.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
				return fault.Invalid("%s is neither a file nor a directory; remove it", path)
			}
		}
	}
	return nil
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
	if !b.said {
		return -1, 0
	}
	return b.state.Documents, b.state.Applied
}

// Erased is the log record up to which nothing in the store has what was erased; 0 if STATE
// does not say.
func (b *Broken) Erased() uint64 { return b.state.Erased }

// Named reports whether STATE says which store it is.
func (b *Broken) Named() bool { return b.said }

// KeepsLog reports whether the store keeps its log as history.
func (b *Broken) KeepsLog() bool { return b.state.Keep.On() }

// Inherit makes of a store that was closed, in a directory, the one that goes on in the place
// of the broken one: after a log record, with so many documents, with its UUID and what it
// keeps of its log. If log is set, the log and the history come along; else both begin behind
// that record.
func (b *Broken) Inherit(ctx context.Context, dir string, seq uint64, documents int64, log bool) error {
	f := b.base
	to := f.PathJoin(dir, logName)
	if err := f.RemoveAll(to); err != nil {
		return err
	}
	if log && b.KeepsLog() {
		if err := b.copyLog(ctx, dir); err != nil {
			return err
		}
	} else if err := emptyLog(f, to, seq); err != nil {
		return err
	}
	st := state{UUID: newUUID(), Made: true, Applied: seq, Documents: documents}
	if b.said {
		st.UUID, st.Erasing, st.Erased, st.Keep = b.state.UUID, b.state.Erasing, b.state.Erased, b.state.Keep
	}
	return writeState(f, dir, f.PathJoin(dir, stateName), st)
}

// copyLog copies the segments of the log and the history, with what these are read with.
func (b *Broken) copyLog(ctx context.Context, dir string) error {
	f := b.base
	logs, err := b.Logs()
	if err != nil {
		return err
	}
	kept, _, err := b.History()
	if err != nil {
		return err
	}
	old := []string{f.PathJoin(b.path, history.Name, history.SettingsName)}
	for _, file := range kept {
		old = append(old, file.Path)
	}
	for name, paths := range map[string][]string{logName: append(logs, f.PathJoin(b.path, logName, wal.MarkName)), history.Name: old} {
		to := f.PathJoin(dir, name)
		if err := durable.MakeDir(f, to); err != nil {
			return err
		}
		for _, path := range paths {
			err := durable.CopyFile(ctx, f, path, f.PathJoin(to, f.PathBase(path)))
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		if err := durable.SyncDir(f, to); err != nil {
			return err
		}
	}
	return nil
}
