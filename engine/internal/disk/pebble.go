package disk

// Pebble as we use it: without a log of its own, and with errors instead of exits
// (docs/decisions/0001).

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"strings"
	"syscall"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/fault"
)

const (
	MemTableBytes = 16 << 20
	// A text that is not in memory costs the reading of a block.
	// The keys of a table's blocks are one block, of some 30 kB.
	blockBytes      = 8 << 10
	indexBlockBytes = 256 << 10
)

// openPebble opens the store under the engine's own log: Pebble keeps none, so
// what is not flushed comes back by replay. A failing write then reaches us as
// an error; with Pebble's log it would end the process.
//
// Pebble flushes as it opens if a log of its own is there, though it is empty, and
// tries a flush that fails again, for ever. So that log goes first.
func (s *Store) openPebble(dir string) (*pebble.DB, error) {
	logs, err := listed(s.opts.FS, dir, ".log")
	if err != nil {
		return nil, err
	}
	for _, name := range logs {
		if err := s.opts.FS.Remove(s.opts.FS.PathJoin(dir, name)); err != nil {
			return nil, err
		}
	}
	return s.tryPebble(dir)
}

func (s *Store) tryPebble(dir string) (p *pebble.DB, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case error: // a fault that Pebble does not expect while it opens
			err = openError(fmt.Errorf("open %s: %w", dir, r))
		default:
			err = fault.Corrupt("open %s: %v", dir, r)
		}
	}()
	blocks, files := s.opts.Tables.take(s.opts.MemTableBytes)
	defer func() {
		if p == nil {
			s.opts.Tables.give()
		}
	}()
	o := &pebble.Options{
		FS:                          pebbleFS{s.fused(s.opts.FS), s},
		Cache:                       blocks,
		FileCache:                   files,
		DisableWAL:                  true,
		FormatMajorVersion:          pebble.FormatValueSeparation,
		MemTableSize:                uint64(s.opts.MemTableBytes),
		MemTableStopWritesThreshold: never, // see pressure.go
		L0StopWritesThreshold:       never,
		CompactionConcurrencyRange:  func() (int, int) { return 1, 1 },
		DisableAutomaticCompactions: s.opts.ReadOnly, // of a store that is only read they would fill memory
		Logger:                      pebbleLogger{s},
		EventListener: &pebble.EventListener{
			BackgroundError: func(err error) { s.Poison(fmt.Errorf("store: %w", PebbleError(err))) },
			DataCorruption: func(i pebble.DataCorruptionInfo) {
				s.Poison(fault.Corrupt("%s: %s", i.Path, oneLine(i.Details)))
			},
			FlushEnd:      s.flushed,
			CompactionEnd: s.compacted,
		},
	}
	s.setLevels(o)
	o.ApplyCompressionSettings(func() pebble.DBCompressionSettings { return pebble.DBCompressionFastest })
	for i := range o.Levels {
		o.Levels[i].BlockSize = blockBytes
		o.Levels[i].IndexBlockSize = indexBlockBytes
		o.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
		o.Levels[i].FilterType = pebble.TableFilter
	}
	grants := newScheduler()
	o.Experimental.CompactionScheduler = grants
	p, err = pebble.Open(dir, o)
	if p != nil {
		grants.grants.Start()
	}
	if poisoned := s.Poisoned(); poisoned != nil { // Pebble need not have noticed
		err = poisoned
	}
	if p != nil && err != nil {
		p.Close() // what else goes wrong comes of err
		return nil, err
	}
	return p, openError(err)
}

// openError tells the system's faults, which may pass, from those of the store.
// Pebble has many words for a file that is missing, short or changed.
func openError(err error) error {
	var errno syscall.Errno
	switch {
	case err == nil || errors.Is(err, api.ErrPoisoned) || errors.Is(err, errorfs.ErrInjected):
		return err
	case !errors.Is(err, fs.ErrNotExist) && (errors.As(err, &errno) || errors.Is(err, fs.ErrPermission)):
		return err
	case strings.Contains(err.Error(), "written in unknown format major version"): // Pebble has no sentinel for it
		return fmt.Errorf("%w: %s; open it with the version of simdb that wrote it, or a later one", api.ErrFormatTooNew, oneLine(err))
	}
	return fault.Corrupt("%s", oneLine(err))
}

// pebbleLogger hands Pebble's messages to the embedder's logger. Fatalf must
// not end the host's process: it stops writes and lets the caller see why.
type pebbleLogger struct{ s *Store }

func (l pebbleLogger) Infof(format string, args ...any) {
	if l.s.opts.Logger.Enabled(context.Background(), slog.LevelDebug) {
		l.s.opts.Logger.Debug(fmt.Sprintf(format, args...))
	}
}

// Errorf is no warning: what the caller has to know comes as an error, or poisons.
func (l pebbleLogger) Errorf(format string, args ...any) {
	l.s.opts.Logger.Info(fmt.Sprintf(format, args...))
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
	l.s.Poison(fmt.Errorf("store: %w", PebbleError(err)))
}
