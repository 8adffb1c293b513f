package engine

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/simdb/simdb/keys"
)

const (
	// pebbleCacheBytes has room for the memtables, which Pebble takes out of it,
	// and for filters and indexes, without which every look-up reads the disk. Hot
	// sets have a cache of their own.
	pebbleCacheBytes = 64 << 20
	memTableBytes    = 16 << 20
	// A text that is not in memory costs the reading of a block.
	// The keys of a table's blocks are one block, of some 30 kB.
	blockBytes      = 8 << 10
	indexBlockBytes = 256 << 10
)

// openPebble opens the store under the engine's own log: Pebble keeps none, so
// what is not flushed comes back by replay. A failing write then reaches us as
// an error; with Pebble's log it would end the process.
//
// Pebble tries a write that fails while it opens again, for ever. So we wait no
// longer than to the first; if the disk lets it end one day, it is closed.
func (db *DB) openPebble(dir string) (*pebble.DB, error) {
	type opened struct {
		p   *pebble.DB
		err error
	}
	done := make(chan opened, 1)
	go func() {
		p, err := db.tryPebble(dir)
		done <- opened{p, err}
	}()
	select {
	case o := <-done:
		return o.p, o.err
	case <-db.failed:
	}
	select { // it may have noticed
	case o := <-done:
		return o.p, o.err
	case <-time.After(5 * retryPause):
		db.abandoned.Store(true)
		go func() {
			if o := <-done; o.p != nil {
				o.p.Close()
			}
		}()
		return nil, db.poisoned()
	}
}

func (db *DB) tryPebble(dir string) (p *pebble.DB, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case error: // a fault that Pebble does not expect while it opens
			err = openError(fmt.Errorf("open %s: %w", dir, r))
		default:
			err = corrupt("open %s: %v", dir, r)
		}
	}()
	cache := pebble.NewCache(pebbleCacheBytes)
	defer cache.Unref()
	o := &pebble.Options{
		FS:                          db.fused(db.opts.fs),
		Cache:                       cache,
		DisableWAL:                  true,
		FormatMajorVersion:          pebble.FormatValueSeparation,
		MemTableSize:                uint64(db.opts.memTableBytes),
		MemTableStopWritesThreshold: never, // see pressure.go
		L0CompactionThreshold:       8,
		L0StopWritesThreshold:       never,
		LBaseMaxBytes:               128 << 20,
		CompactionConcurrencyRange:  func() (int, int) { return 1, 1 },
		MaxOpenFiles:                512,
		Logger:                      pebbleLogger{db},
		EventListener: &pebble.EventListener{
			BackgroundError: func(err error) { db.poison(fmt.Errorf("store: %w", storeError(err))) },
			DataCorruption: func(i pebble.DataCorruptionInfo) {
				db.poison(corrupt("%s: %s", i.Path, storeText(i.Details)))
			},
			FlushEnd:      db.flushed,
			CompactionEnd: db.compacted,
		},
	}
	o.ApplyCompressionSettings(func() pebble.DBCompressionSettings { return pebble.DBCompressionFastest })
	for i := range o.Levels {
		o.Levels[i].BlockSize = blockBytes
		o.Levels[i].IndexBlockSize = indexBlockBytes
		o.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
		o.Levels[i].FilterType = pebble.TableFilter
	}
	p, err = pebble.Open(dir, o)
	return p, openError(err)
}

// openError tells the system's faults, which may pass, from those of the store.
// Pebble has many words for a file that is missing, short or changed.
func openError(err error) error {
	var errno syscall.Errno
	switch {
	case err == nil || errors.Is(err, ErrPoisoned) || errors.Is(err, errorfs.ErrInjected):
		return err
	case errors.Is(lockError(err), ErrLocked): // by something that is no simdb
		return lockError(err)
	case !errors.Is(err, fs.ErrNotExist) && (errors.As(err, &errno) || errors.Is(err, fs.ErrPermission)):
		return err
	}
	return corrupt("%s", storeText(err))
}

// pebbleLogger hands Pebble's messages to the embedder's logger. Fatalf must
// not end the host's process: it stops writes and lets the caller see why.
type pebbleLogger struct{ db *DB }

func (l pebbleLogger) Infof(format string, args ...any) {
	if l.db.opts.Logger.Enabled(l.db.ctx, slog.LevelDebug) {
		l.db.opts.Logger.Debug(fmt.Sprintf(format, args...))
	}
}
func (l pebbleLogger) Errorf(format string, args ...any) {
	l.db.opts.Logger.Warn(fmt.Sprintf(format, args...))
}
func (l pebbleLogger) Fatalf(format string, args ...any) {
	err := fmt.Errorf(format, args...)
	for _, a := range args {
		if cause, ok := a.(error); ok {
			err = cause
			break
		}
	}
	l.Errorf(format, args...)
	l.db.poison(fmt.Errorf("store: %w", storeError(err)))
}

// fused returns a file system that takes no more changes once the store is
// poisoned. Pebble counts on the end of the process after a failed write to its
// manifest, and would otherwise try again and apply it twice; this way the disk
// stays as a crash would have left it, and the next Open recovers.
func (db *DB) fused(f vfs.FS) vfs.FS {
	return errorfs.Wrap(f, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind.ReadOrWrite() != errorfs.OpIsWrite {
			return nil
		}
		err := db.poisoned()
		if err != nil {
			time.Sleep(retryPause) // Pebble tries a failed flush again, at once and for ever
		}
		if db.abandoned.Load() {
			return nil
		}
		return err
	}))
}

const retryPause = 20 * time.Millisecond

// get copies the value of a key; nil, nil when there is none.
func get(r pebble.Reader, key []byte) ([]byte, error) {
	v, closer, err := r.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, storeError(err)
	}
	out := append(make([]byte, 0, len(v)), v...)
	return out, closer.Close()
}

// storeError turns Pebble's corruption errors into ours.
func storeError(err error) error {
	if err != nil && !errors.Is(err, ErrCorrupt) && pebble.IsCorruptionError(err) {
		return corrupt("%s", storeText(err))
	}
	return err
}

// storeText is the message of an error of Pebble's in one line, without the
// second one that its corruption errors have.
func storeText(err error) string {
	text := strings.ReplaceAll(err.Error(), "\n<corruption detail carrier>", "")
	return strings.ReplaceAll(text, "\n", "; ")
}

// scan calls yield with each key and value under a key prefix, in order.
func scan(r pebble.Reader, prefix []byte, yield func(key, value []byte) error) error {
	return scanFrom(r, prefix, prefix, yield)
}

// scanFrom is scan, beginning at the first key ≥ start.
func scanFrom(r pebble.Reader, prefix, start []byte, yield func(key, value []byte) error) error {
	return scanTo(r, start, keys.End(prefix), yield)
}

// scanTo is scan for the keys ≥ start and < end.
func scanTo(r pebble.Reader, start, end []byte, yield func(key, value []byte) error) error {
	it, err := r.NewIter(&pebble.IterOptions{LowerBound: start, UpperBound: end})
	if err != nil {
		return storeError(err)
	}
	for ok := it.First(); ok; ok = it.Next() {
		v, err := it.ValueAndErr()
		if err == nil {
			err = yield(it.Key(), v)
		}
		if err != nil {
			return errors.Join(storeError(err), it.Close())
		}
	}
	return storeError(it.Close())
}

// deleteUnder removes every key with the prefix.
func deleteUnder(b *pebble.Batch, prefix []byte) error {
	return b.DeleteRange(prefix, keys.End(prefix), nil)
}

func u64(b []byte) uint64 {
	if len(b) != 8 {
		return 0
	}
	return binary.BigEndian.Uint64(b)
}

// durable returns the value of a key as a crash now would leave it, nil if none.
func durable(p *pebble.DB, key []byte) (value []byte, err error) {
	it, err := p.NewIter(&pebble.IterOptions{
		LowerBound: key, UpperBound: append(slices.Clip(key), 0), OnlyReadGuaranteedDurable: true,
	})
	if err != nil {
		return nil, storeError(err)
	}
	if it.First() {
		value = bytes.Clone(it.Value())
	}
	return value, storeError(it.Close())
}

func notFoundIsNil(err error) error {
	if errors.Is(err, pebble.ErrNotFound) {
		return nil
	}
	return storeError(err)
}

// has tells whether there is a value under a key.
func has(r pebble.Reader, key []byte) (bool, error) {
	_, closer, err := r.Get(key)
	if err != nil {
		return false, notFoundIsNil(err)
	}
	return true, closer.Close()
}
