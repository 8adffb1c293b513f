package disk

// File-by-file, read-only access to a store that does not open, for salvage.

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

// Broken gives file-level access to the directory of a store that may be too damaged to open. It
// never writes into that directory. Not safe for concurrent use. Close it.
type Broken struct {
	base     vfs.FS
	path     string
	lock     io.Closer
	whole    bool
	state    state
	hasState bool // STATE was readable
}

// OpenBroken locks a directory: shared with other readers, or exclusively if alone is set.
// ErrInvalid if it contains no part of a store, ErrLocked if another process holds the lock,
// ErrFormatTooNew if a later version wrote it.
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
		return nil, fault.Invalid("%s contains no part of a store", path)
	}
	if err := b.onlyFiles(); err != nil {
		return nil, err
	}
	b.state, err = readState(base, base.PathJoin(path, stateName))
	if errors.Is(err, api.ErrFormatTooNew) {
		return nil, err // a format that this version cannot read is not damage
	}
	b.hasState = err == nil
	b.whole = b.hasState && canOpen(ctx, base, path) // before takeLock: its lock would exclude this Open on Windows
	b.lock, err = takeLock(base, path, base.PathJoin(path, lockName), !alone)
	return b, err
}

// canOpen reports whether the store opens read-only, with all files that its manifest names.
func canOpen(ctx context.Context, base vfs.FS, path string) (yes bool) {
	defer func() {
		if recover() != nil { // Pebble trusts bytes that no checksum covers
			yes = false
		}
	}()
	s, err := Open(ctx, path, Options{FS: base, ReadOnly: true, MemTableBytes: 1 << 20, Logger: slog.New(slog.DiscardHandler)})
	return err == nil && s.Close() == nil
}

// Whole reports whether STATE was readable and the store opened read-only, with every file that
// its manifest names.
func (b *Broken) Whole() bool { return b.whole }

// Close releases the lock. Further calls do nothing.
func (b *Broken) Close() error {
	if b.lock == nil {
		return nil
	}
	lock := b.lock
	b.lock = nil
	return lock.Close()
}

// Tables returns the paths of Pebble's tables.
func (b *Broken) Tables() ([]string, error) { return b.paths(pebbleName, ".sst") }

// Logs returns the paths of the log segments, in order.
func (b *Broken) Logs() ([]string, error) { return b.paths(logName, ".log") }

// paths returns the files of a subdirectory with names that end in end, sorted.
func (b *Broken) paths(dir, end string) ([]string, error) {
	names, err := list(b.base, b.base.PathJoin(b.path, dir), end)
	for i, n := range names {
		names[i] = b.base.PathJoin(b.path, dir, n)
	}
	return names, err
}

// History returns the kept log segments, in order, and the settings that decode them, as far as
// these are readable.
func (b *Broken) History() (kept []wal.File, settings []history.InForce, err error) {
	return history.Read(b.base, b.path)
}

// onlyFiles refuses entries that are neither file nor directory: opening a pipe would block
// until its writer comes.
func (b *Broken) onlyFiles() error {
	for _, dir := range []string{"", logName, pebbleName, PostingsName, history.Name} {
		names, err := b.paths(dir, "")
		if err != nil {
			continue // the first read of dir returns this error
		}
		for _, path := range names {
			if info, err := b.base.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
				return fault.Invalid("%s is neither a file nor a directory; remove it", path)
			}
		}
	}
	return nil
}

// Open opens a file for reading.
func (b *Broken) Open(path string) (vfs.File, error) { return b.base.Open(path) }

// ReplayLog passes the records of one log segment to add. first is the sequence number of its
// first record. The replay runs on a copy in memory.
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

// Mark returns the highest synced sequence number of the log; 0 if unknown.
func (b *Broken) Mark() uint64 {
	seq, err := wal.Mark(b.base, b.base.PathJoin(b.path, logName))
	if err != nil {
		return 0
	}
	return seq
}

// Counted returns the number of documents in STATE and the log record of that count; -1 if STATE
// is unreadable.
func (b *Broken) Counted() (documents int64, seq uint64) {
	if !b.hasState {
		return -1, 0
	}
	return b.state.Documents, b.state.Applied
}

// Erased returns the log record up to which erasures are complete: history and tables lack the
// documents erased by then. It returns 0 if STATE is unreadable.
func (b *Broken) Erased() uint64 { return b.state.Erased }

// Named reports whether STATE, which identifies the store, is readable.
func (b *Broken) Named() bool { return b.hasState }

// KeepsLog reports whether the store keeps its log as history.
func (b *Broken) KeepsLog() bool { return b.state.Keep.On() }

// Inherit turns the closed store in dir into the successor of the broken one: it sets the log
// position seq and the number of documents, and takes over the UUID, the erasure marks and the
// history settings. With log set, the log and the history are copied too; otherwise both begin
// after seq.
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
	if b.hasState {
		st.UUID, st.Erasing, st.Erased, st.Keep = b.state.UUID, b.state.Erasing, b.state.Erased, b.state.Keep
	}
	return writeState(f, dir, f.PathJoin(dir, stateName), st)
}

// copyLog copies the log segments, the history and its settings into dir.
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
