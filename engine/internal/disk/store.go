// Package disk stores keys, values and log records durably: Pebble below the engine's own log,
// the file STATE that cross-checks both, and the lock of the directory. After a crash the store
// reopens with every acknowledged record. The package has no notion of documents or collections.
//
// Begin reading with Store and Open in store.go, then dir.go (the directory), poison.go (failed
// writes) and pin.go (read-only stores).
package disk

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/history"
	"github.com/simdb/simdb/internal/keys"
	"github.com/simdb/simdb/wal"

	"github.com/simdb/simdb/api"
)

// Options configure Open. Fields are required unless noted.
type Options struct {
	FS            vfs.FS
	MustExist     bool          // fail with fs.ErrNotExist rather than create a store
	ReadOnly      bool          // write nothing to the directory; changes stay in memory
	LockTimeout   time.Duration // how long Open waits for the lock
	MemTableBytes int64
	Tables        *Tables // shared caches of Pebble's tables; optional
	Logger        *slog.Logger
	Advanced      func()          // called after each flush, possibly with Pebble's mutex held; optional
	KeepLog       *api.KeepLog    // nil: the setting in STATE
	Records       history.Records // optional if no history is kept

	opening *opening
}

// Store is an open directory: Pebble, the log and STATE. Safe for concurrent use, except for
// Replay, Begin, Trim, Settle and Close.
type Store struct {
	opts     Options
	base     vfs.FS // file system of the directory; in a read-only store opts.FS lies above it
	path     string
	was      state // STATE as read by Open
	kept     history.Kept
	trimmed  uint64      // log records up to here are released
	held     []io.Closer // the lock; in a read-only store the pinned files
	pebble   *pebble.DB
	log      *wal.Log
	saved    state // STATE as last written
	poison   poison
	pressure *pressure
	reserve  *reserve

	scratches atomic.Int64                // number of temporary files so far
	linked    atomic.Pointer[linkedFiles] // set during a copy
}

// Open opens the store in a directory, or creates one. Before the first write the caller replays
// and begins the log. Until the caller calls Opened, every read fails once ctx has ended.
// ErrLocked if another process holds the store, ErrCorrupt, ErrFormat or ErrFormatTooNew if it
// is unreadable.
func Open(ctx context.Context, path string, opts Options) (_ *Store, err error) {
	s := &Store{opts: opts, base: opts.FS, path: path, poison: poison{failed: make(chan struct{})}, pressure: &pressure{}}
	s.opts.opening = &opening{ctx: ctx}
	s.reserve = &reserve{dir: path, path: opts.FS.PathJoin(path, reserveName), off: opts.ReadOnly, pressure: s.pressure}
	s.reserve.fs = s.opts.opening.reads(opts.FS)
	s.opts.FS = roomFS{s.reserve.fs, s.reserve}
	s.opts.Tables = cmp.Or(s.opts.Tables, &Tables{})
	defer func() {
		if err != nil {
			err = s.OpenError(err)
			s.Close() // further errors follow from err
			err = incomplete(opts.FS, path, err)
		}
	}()
	if opts.ReadOnly {
		s.opts.MustExist = true
		over, pinned, err := pinStore(ctx, s.opts.FS, path)
		if err != nil {
			return nil, err
		}
		s.opts.FS, s.held = over, append(s.held, pinned)
	}
	st, err := s.prepareDir(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := s.base.GetDiskUsage(path); err != nil {
		s.reserve.off = true
	}
	if err := s.finishMaking(st); err != nil {
		return nil, err
	}
	s.saved = st
	if s.was = st; s.opts.KeepLog != nil && !s.opts.ReadOnly {
		s.was.Keep = *s.opts.KeepLog
	}
	s.kept = history.Kept{FS: s.opts.FS, Path: path, Keep: s.was.Keep, Records: opts.Records, Logger: opts.Logger}
	// The log opens first, because Pebble's tables sync after it.
	if s.log, err = wal.Open(s.opts.FS, s.File(logName), s.logOptions()); err != nil {
		return nil, history.LogError(err)
	}
	if s.pebble, err = s.openPebble(s.File(pebbleName)); err != nil {
		return nil, err
	}
	return s, nil
}

// logOptions returns the options of the log, which retires segments into the history if one is
// kept.
func (s *Store) logOptions() wal.Options {
	o := wal.Options{OnError: func(err error) { s.Poison(err) }}
	if s.keepsLog() {
		o.Retire, o.SegmentBytes = s.kept.Retire, s.kept.SegmentBytes(s.opts.MemTableBytes)
	}
	return o
}

// keepsLog reports whether retired log segments become history.
func (s *Store) keepsLog() bool { return s.was.Keep.On() && !s.opts.ReadOnly }

// Pebble returns the key-value store, for reading keys and creating batches.
func (s *Store) Pebble() *pebble.DB { return s.pebble }

// UUID returns the identity of this store, which its copies do not share.
func (s *Store) UUID() string { return s.was.UUID }

// FS returns the file system of the store.
func (s *Store) FS() vfs.FS { return s.opts.FS }

// File returns the path of a file of the store.
func (s *Store) File(name string) string { return s.opts.FS.PathJoin(s.path, name) }

// Applied returns the number of the last log record applied to Pebble.
func (s *Store) Applied() (uint64, error) { return s.Number(keys.Applied) }

// Counted returns the number of documents in STATE when the store was opened, and the log record
// of that count.
func (s *Store) Counted() (documents int64, seq uint64) { return s.was.Documents, s.was.Applied }

// Number returns the number stored alone in a key space; 0 if none.
func (s *Store) Number(space keys.Space) (uint64, error) {
	b, err := Get(s.pebble, keys.Of(space))
	return u64(b), err
}

// DurableNumber is Number as a crash now would leave it. In a poisoned store it fails, because
// Pebble may take unsynced data for durable.
func (s *Store) DurableNumber(space keys.Space) (uint64, error) {
	b, err := getDurable(s.pebble, keys.Of(space))
	if poisoned := s.Poisoned(); poisoned != nil {
		return 0, poisoned
	}
	return u64(b), err
}

// Replay passes the log records after applied to add, in order, and returns a summary of the
// log.
func (s *Store) Replay(applied uint64, add func(seq uint64, record []byte) error) (wal.Replayed, error) {
	if s.keepsLog() {
		if err := s.kept.SyncLog(); err != nil {
			return wal.Replayed{}, err
		}
	}
	if p := s.pins(); p != nil {
		p.applied = applied
	}
	end, err := s.log.Replay(applied, add)
	return end, history.LogError(err)
}

// Begin starts the log after its records up to seq were applied. If records were replayed, it
// flushes them first. ErrCorrupt if STATE names a later record than seq.
func (s *Store) Begin(ctx context.Context, seq uint64, replayed bool, end wal.Replayed, documents int64) error {
	if seq < s.was.Applied {
		return fault.Corrupt("the state file names record %d as stored, but store and log end at %d", s.was.Applied, seq)
	}
	if replayed {
		if err := s.Flush(ctx); err != nil {
			return err
		}
	}
	if !s.opts.ReadOnly {
		if err := s.kept.Begin(seq); err != nil {
			return err
		}
	}
	if err := s.saveState(seq, documents); err != nil {
		return err
	}
	if err := s.log.Start(max(seq, end.Last) + 1); err != nil {
		return err
	}
	s.reserve.begun.Store(true)
	s.Reserve(0) // without room for it the store opens too, for deletions
	if s.was.Made {
		return nil
	}
	s.was.Made = true
	return s.saveState(seq, documents)
}

// Append adds a record to the log; seq must be the successor of the last. The record is durable
// once Durable returns nil. An error poisons the store.
func (s *Store) Append(seq uint64, record []byte) (wal.Ticket, error) {
	t, err := s.log.Append(seq, record)
	if err != nil {
		return t, s.Poison(err)
	}
	return t, nil
}

// Durable waits until the record of a ticket is durable. If ctx ends first, Durable returns the
// error of ctx, and the record may still become durable. Any other error poisons the store.
func (s *Store) Durable(ctx context.Context, t wal.Ticket) error {
	err := t.Wait(ctx)
	if err != nil && ctx.Err() == nil {
		return s.Poison(err)
	}
	return err
}

// Apply commits a batch to Pebble without syncing: it becomes durable with the next Flush, or by
// the log.
func (s *Store) Apply(b *pebble.Batch) error {
	if b.Empty() {
		return nil
	}
	s.pressure.unflushed.Add(int64(b.Len()))
	s.pressure.stored.Add(int64(b.Len()))
	defer s.pressure.unsaved.note() // after the commit: a Flush that began before may lack it
	return b.Commit(pebble.NoSync)
}

// Flush makes all applied batches durable. It does nothing if none was applied since the last
// Flush. Unlike Pebble's, it returns when the disk fails.
func (s *Store) Flush(ctx context.Context) error {
	changes, some := s.pressure.unsaved.now()
	if err := s.Poisoned(); err != nil || !some {
		return err
	}
	if err := s.flushAll(ctx, s.pebble); err != nil {
		return err
	}
	s.pressure.unsaved.save(changes)
	return nil
}

// flushAll flushes Pebble's memtables, and returns early if the store is poisoned or ctx ends.
func (s *Store) flushAll(ctx context.Context, p *pebble.DB) error {
	done, err := p.AsyncFlush()
	if err != nil {
		return PebbleError(err)
	}
	select {
	case <-done:
	case <-s.Failed():
	case <-ctx.Done():
		return ctx.Err()
	}
	return s.Poisoned()
}

// Compact compacts all of Pebble. It stops when the store is poisoned: Pebble would retry
// forever on a failing disk.
//
// Without room for a whole compaction, Compact compacts by parts. Its error is NoRoom if there is none
// for some part either; the others are compacted then.
func (s *Store) Compact(ctx context.Context) error {
	err := s.compactRange(ctx, []byte{0}, []byte{0xff})
	if NoRoom(err) {
		err = s.compactParts(ctx)
	}
	return err
}

// compactRange compacts the keys from a first to a last.
func (s *Store) compactRange(ctx context.Context, first, last []byte) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-s.Failed():
			cancel()
		case <-ctx.Done():
		}
	}()
	err := s.pebble.Compact(ctx, first, last, true)
	if poisoned := s.Poisoned(); poisoned != nil {
		return poisoned
	}
	return PebbleError(err)
}

// Trim releases the log segments that are durable in Pebble. documents returns the
// count for STATE.
func (s *Store) Trim(documents func() int64) error {
	applied, err := s.DurableNumber(keys.Applied)
	if err != nil || applied <= s.trimmed {
		return err
	}
	if err := s.saveState(applied, documents()); err != nil {
		return err
	}
	s.trimmed = applied
	return s.log.Release(applied)
}

// ResetLog releases the whole log, including its current segment, if Trim has covered seq; else
// it does nothing.
func (s *Store) ResetLog(seq uint64) error {
	if s.trimmed < seq || s.Poisoned() != nil {
		return s.Poisoned()
	}
	if err := s.log.Reset(seq + 1); err != nil {
		return s.Poison(err)
	}
	return nil
}

// Settle empties the log, so that the next Open replays nothing, and gathers the tables of a
// small store. The caller has flushed everything.
func (s *Store) Settle(seq uint64, documents int64) error {
	if err := s.gather(context.Background()); err != nil && !NoRoom(err) {
		return err
	}
	s.shrink()
	if err := s.saveState(seq, documents); err != nil {
		return err
	}
	return s.log.Reset(seq + 1)
}

// saveState records in STATE that the log up to applied is durable in Pebble. It skips an
// unchanged STATE.
func (s *Store) saveState(applied uint64, documents int64) error {
	st := state{UUID: s.was.UUID, Made: s.was.Made, Applied: applied, Documents: documents, Erasing: s.was.Erasing, Erased: s.was.Erased, Keep: s.was.Keep}.stamp()
	if st == s.saved {
		return nil
	}
	if err := writeState(s.opts.FS, s.path, s.File(stateName), st); err != nil {
		return err
	}
	s.saved = st
	return nil
}

// Close closes everything that Open opened, also after a failed Open. A second Close does
// nothing.
func (s *Store) Close() error {
	var errs []error
	if s.log != nil {
		errs = append(errs, s.log.Close())
	}
	errs = append(errs, s.closePebble())
	for _, h := range s.held {
		errs = append(errs, h.Close())
	}
	s.log, s.held = nil, nil
	return errors.Join(errs...)
}

// Bytes returns the disk usage of Pebble and of the log, in bytes.
func (s *Store) Bytes() (pebble, log int64) {
	return int64(s.pebble.Metrics().DiskSpaceUsage()), s.log.Bytes()
}

// Compacting returns the number of running compactions of Pebble.
func (s *Store) Compacting() int64 { return s.pebble.Metrics().Compact.NumInProgress }

// Obsolete returns the number of files that Pebble no longer needs but has not removed yet.
func (s *Store) Obsolete() int64 { return s.pebble.Metrics().Table.ObsoleteCount }

// newUUID returns a random identity of 32 hexadecimal digits.
func newUUID() string {
	b := make([]byte, 16)
	rand.Read(b) // never fails
	return hex.EncodeToString(b)
}
