// Package disk is bytes that survive: Pebble under our own log, the file STATE
// beside them, and the lock. Keys, values and log records go in and come back,
// also after a crash. It knows nothing of documents and collections.
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

	"github.com/simdb/simdb/engine/internal/durable"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/history"
	"github.com/simdb/simdb/internal/keys"
	"github.com/simdb/simdb/wal"

	"github.com/simdb/simdb/api"
)

// Options of Open. All but Advanced must be set.
type Options struct {
	FS            vfs.FS
	MustExist     bool          // fail with fs.ErrNotExist rather than make a store
	ReadOnly      bool          // nothing in the directory is written; what is, is in memory
	LockTimeout   time.Duration // how long Open waits for the lock
	MemTableBytes int64
	Tables        *Tables // that Pebble reads with; need not be set
	Logger        *slog.Logger
	Advanced      func()          // told of each flush that ended; Pebble may hold its own mutex
	KeepLog       *api.KeepLog    // nil: as STATE says
	Records       history.Records // need not be set where nothing is kept

	opening *opening
}

// Store is an open directory: Pebble, the log and STATE. Safe for concurrent use,
// but for Replay, Begin, Trim, Settle and Close.
type Store struct {
	opts     Options
	base     vfs.FS // that the directory lies in; of a store that is only read, opts.FS lies over it
	path     string
	was      state // what STATE said when it was opened
	kept     history.Kept
	trimmed  uint64      // log records up to here are released
	held     []io.Closer // the lock; of a store that is only read its files
	pebble   *pebble.DB
	log      *wal.Log
	saved    state   // what STATE says
	unsaved  unsaved // changes of Pebble
	poison   poison
	pressure pressure

	scratches atomic.Int64                // files made so far for a while
	linked    atomic.Pointer[linkedFiles] // while a copy is made
}

// Open opens the store in a directory, or makes one. The log has to be replayed,
// and begun, before anything is written. Until Opened is called all reads fail once the
// context has ended.
func Open(ctx context.Context, path string, opts Options) (_ *Store, err error) {
	s := &Store{opts: opts, base: opts.FS, path: path, poison: poison{failed: make(chan struct{})}}
	s.opts.opening = &opening{ctx: ctx}
	s.opts.FS = s.opts.opening.reads(opts.FS)
	s.opts.Tables = cmp.Or(s.opts.Tables, &Tables{})
	defer func() {
		if err != nil {
			s.Close() // what else goes wrong comes of err
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
	if err := s.finishMaking(st); err != nil {
		return nil, err
	}
	s.saved = st
	if s.was = st; s.opts.KeepLog != nil && !s.opts.ReadOnly {
		s.was.Keep = *s.opts.KeepLog
	}
	s.kept = history.Kept{FS: s.opts.FS, Path: path, Keep: s.was.Keep, Records: opts.Records, Logger: opts.Logger}
	if err := durable.MakeDir(s.opts.FS, s.File(PostingsName)); err != nil {
		return nil, err
	}
	// The log comes first, because tables of Pebble are synced after it.
	if s.log, err = wal.Open(s.opts.FS, s.File(logName), s.logOptions()); err != nil {
		return nil, history.LogError(err)
	}
	if s.pebble, err = s.openPebble(s.File(pebbleName)); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *Store) logOptions() wal.Options {
	o := wal.Options{OnError: func(err error) { s.Poison(err) }}
	if s.keepsLog() {
		o.Retire, o.SegmentBytes = s.kept.Retire, s.kept.SegmentBytes(s.opts.MemTableBytes)
	}
	return o
}

func (s *Store) keepsLog() bool { return s.was.Keep.On() && !s.opts.ReadOnly }

// Pebble is where keys are read, and batches made.
func (s *Store) Pebble() *pebble.DB { return s.pebble }

// UUID tells this store from every other, also from its copies.
func (s *Store) UUID() string { return s.was.UUID }

// FS is the file system that the store lies in.
func (s *Store) FS() vfs.FS { return s.opts.FS }

// File returns the path of a file of the store.
func (s *Store) File(name string) string { return s.opts.FS.PathJoin(s.path, name) }

// Applied is the number of the last log record that Pebble has.
func (s *Store) Applied() (uint64, error) { return s.Number(keys.Applied) }

// Counted is how many documents STATE counted when the store was opened, and after
// which log record.
func (s *Store) Counted() (documents int64, seq uint64) { return s.was.Documents, s.was.Applied }

// Number reads a number that stands alone in its key space; 0 if there is none.
func (s *Store) Number(space keys.Space) (uint64, error) {
	b, err := Get(s.pebble, keys.Of(space))
	return u64(b), err
}

// DurableNumber is Number as a crash now would leave it. Of a poisoned store nobody
// knows: Pebble may take for durable what is not.
func (s *Store) DurableNumber(space keys.Space) (uint64, error) {
	b, err := flushed(s.pebble, keys.Of(space))
	if poisoned := s.Poisoned(); poisoned != nil {
		return 0, poisoned
	}
	return u64(b), err
}

// Replay hands the log records after the applied one to add, in order. It returns
// how the log ended.
func (s *Store) Replay(applied uint64, add func(seq uint64, record []byte) error) (wal.Replayed, error) {
	if s.keepsLog() {
		if err := s.kept.SyncLog(); err != nil {
			return wal.Replayed{}, err
		}
	}
	end, err := s.log.Replay(applied, add)
	return end, history.LogError(err)
}

// Begin makes what was replayed durable and starts the log, when its records up
// to seq have been applied.
func (s *Store) Begin(ctx context.Context, seq uint64, replayed bool, end wal.Replayed, documents int64) error {
	if seq < s.was.Applied {
		return fault.Corrupt("the state file says record %d was stored, but store and log end at %d", s.was.Applied, seq)
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
	if s.was.Made {
		return nil
	}
	s.was.Made = true
	return s.saveState(seq, documents)
}

// Append puts a record into the log. Its number is one more than the last one's.
// Durable tells when it survives a crash.
func (s *Store) Append(seq uint64, record []byte) (wal.Ticket, error) {
	t, err := s.log.Append(seq, record)
	if err != nil {
		return t, s.Poison(err)
	}
	return t, nil
}

// Durable waits until a record survives a crash.
func (s *Store) Durable(ctx context.Context, t wal.Ticket) error {
	err := t.Wait(ctx)
	if err != nil && ctx.Err() == nil {
		return s.Poison(err)
	}
	return err
}

// Apply writes a batch to Pebble. It survives a crash once it is flushed, or by
// the log.
func (s *Store) Apply(b *pebble.Batch) error {
	if b.Empty() {
		return nil
	}
	s.pressure.unflushed.Add(int64(b.Len()))
	defer s.unsaved.note() // when it is done: a Flush that begins before may not have it
	return b.Commit(pebble.NoSync)
}

// Flush makes everything applied durable, if anything was applied since the last time.
// Pebble would wait for ever on a disk that fails.
func (s *Store) Flush(ctx context.Context) error {
	changes, some := s.unsaved.now()
	if err := s.Poisoned(); err != nil || !some {
		return err
	}
	if err := s.flushAll(ctx, s.pebble); err != nil {
		return err
	}
	s.unsaved.save(changes)
	return nil
}

// flushAll makes durable what Pebble has.
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

// Compact lets Pebble give space back. On a disk that fails Pebble would try
// again for ever.
func (s *Store) Compact(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-s.Failed():
			cancel()
		case <-ctx.Done():
		}
	}()
	err := s.pebble.Compact(ctx, []byte{0}, []byte{0xff}, true)
	if poisoned := s.Poisoned(); poisoned != nil {
		return poisoned
	}
	return PebbleError(err)
}

// Trim releases the log segments that Pebble no longer needs. documents are
// counted for STATE.
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

// ResetLog gives back the log too, its current segment as well, unless something
// was written since Pebble was flushed.
func (s *Store) ResetLog(seq uint64) error {
	if s.trimmed < seq || s.Poisoned() != nil {
		return s.Poisoned()
	}
	if err := s.log.Reset(seq + 1); err != nil {
		return s.Poison(err)
	}
	return nil
}

// Settle leaves an empty log, so that the next Open has nothing to replay. All is
// flushed.
func (s *Store) Settle(seq uint64, documents int64) error {
	if err := s.saveState(seq, documents); err != nil {
		return err
	}
	return s.log.Reset(seq + 1)
}

// saveState records that the log up to applied is durable in Pebble, unless STATE says so
// already.
func (s *Store) saveState(applied uint64, documents int64) error {
	st := state{UUID: s.was.UUID, Made: s.was.Made, Applied: applied, Documents: documents, Erasing: s.was.Erasing, Erased: s.was.Erased, Keep: s.was.Keep}.stamped()
	if st == s.saved {
		return nil
	}
	if err := writeState(s.opts.FS, s.path, s.File(stateName), st); err != nil {
		return err
	}
	s.saved = st
	return nil
}

// Close closes what Open opened, as far as it came.
func (s *Store) Close() error {
	var errs []error
	if s.log != nil {
		errs = append(errs, s.log.Close())
	}
	errs = append(errs, s.closePebble())
	for _, h := range s.held {
		errs = append(errs, h.Close())
	}
	return errors.Join(errs...)
}

// Bytes says what Pebble and the log take on disk.
func (s *Store) Bytes() (pebble, log int64) {
	return int64(s.pebble.Metrics().DiskSpaceUsage()), s.log.Bytes()
}

// Obsolete counts the files that Pebble no longer needs and has still to remove.
func (s *Store) Obsolete() int64 { return s.pebble.Metrics().Table.ObsoleteCount }

func newUUID() string {
	b := make([]byte, 16)
	rand.Read(b) // never fails
	return hex.EncodeToString(b)
}
