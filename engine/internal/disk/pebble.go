package disk

// Opening Pebble: without its own log, and with errors instead of exits (docs/decisions/0001).

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
	// MemTableBytes is the default size of a memtable.
	MemTableBytes = 16 << 20
	// A text that is not cached costs one block read. The index of a table, about 30 kB, fits into
	// one index block.
	blockBytes      = 8 << 10
	indexBlockBytes = 256 << 10
)

// openPebble opens Pebble in dir below the engine's own log. Pebble's log is disabled, because a
// failed write to it would end the process; replay restores unflushed changes, and failures
// arrive as errors, as do the panics of Pebble.
func (s *Store) openPebble(dir string) (p *pebble.DB, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case error: // a fault that Pebble does not expect during opening
			err = openError(fmt.Errorf("open %s: %w", dir, r))
		default:
			err = fault.Corrupt("open %s: %v", dir, r)
		}
	}()
	blocks, files := s.opts.Tables.acquire(s.opts.MemTableBytes)
	defer func() {
		if p == nil {
			s.opts.Tables.release()
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
		DisableAutomaticCompactions: s.opts.ReadOnly, // they would fill the memory of a read-only store
		DisableTableStats:           s.opts.ReadOnly, // only compactions need them
		Logger:                      pebbleLogger{s},
		EventListener: &pebble.EventListener{
			BackgroundError: func(err error) {
				if !NoRoom(err) { // a compaction, which Pebble tries again
					s.Poison(fmt.Errorf("store: %w", PebbleError(err)))
				}
			},
			DataCorruption: func(i pebble.DataCorruptionInfo) {
				s.Poison(fault.Corrupt("%s: %s", i.Path, oneLine(i.Details)))
			},
			FlushEnd:      s.onFlush,
			CompactionEnd: s.onCompaction,
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
		s.pressure.stored.Store(int64(p.Metrics().Total().TablesSize))
	}
	if poisoned := s.Poisoned(); poisoned != nil { // Pebble may have missed the failure
		err = poisoned
	}
	if p != nil && err != nil {
		p.Close() // further errors follow from err
		return nil, err
	}
	return p, openError(err)
}

// openError returns faults of the system unchanged, because they may be temporary, and marks all
// others as ErrCorrupt or ErrFormatTooNew. Pebble has many messages for a missing, short or
// changed file.
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

// pebbleLogger forwards Pebble's messages to the logger of the application. Fatalf must not end
// the process: it poisons the store, and callers receive the cause.
type pebbleLogger struct{ s *Store }

func (l pebbleLogger) Infof(format string, args ...any) {
	if l.s.opts.Logger.Enabled(context.Background(), slog.LevelDebug) {
		l.s.opts.Logger.Debug(fmt.Sprintf(format, args...))
	}
}

// Errorf logs at level Info: errors that concern the caller are returned, or poison the store.
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
