package disk

// What a failed write does: the store is poisoned. From then on its file system takes
// no more changes, so the disk stays as a crash at this moment would have left it.
// Reads go on, writes return ErrPoisoned, and the next Open recovers
// (docs/decisions/0010). A failed sync comes here from the log by its OnError, a failed
// flush of Pebble by its BackgroundError.

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/simdb/simdb/api"
)

// poison is what the store knows of its failed writes.
type poison struct {
	failure atomic.Pointer[error]
	failed  chan struct{} // closed with the first failure
}

// Poison makes the store refuse writes from now on and returns the error that
// callers get. Reads go on; reopening replays what was acknowledged.
func (s *Store) Poison(err error) error {
	if errors.Is(err, api.ErrPoisoned) {
		return err
	}
	wrapped := fmt.Errorf("%w: %w", api.ErrPoisoned, err)
	if s.poison.failure.CompareAndSwap(nil, &wrapped) {
		close(s.poison.failed)
		s.opts.Logger.Error("store poisoned", "error", err)
	}
	return *s.poison.failure.Load()
}

// Poisoned returns the error of a store that takes no more writes; nil before.
func (s *Store) Poisoned() error {
	if p := s.poison.failure.Load(); p != nil {
		return *p
	}
	return nil
}

// Failed is closed when the store is poisoned.
func (s *Store) Failed() <-chan struct{} { return s.poison.failed }

// fused returns a file system that takes no more changes once the store is
// poisoned. Pebble counts on the end of the process after a failed write to its
// manifest, and would otherwise try again and apply it twice; this way the disk
// stays as a crash would have left it, and the next Open recovers.
func (s *Store) fused(f vfs.FS) vfs.FS {
	return errorfs.Wrap(f, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind.ReadOrWrite() != errorfs.OpIsWrite {
			return nil
		}
		err := s.Poisoned()
		if err != nil {
			time.Sleep(retryPause) // Pebble tries a failed flush again, at once and for ever
		}
		return err
	}))
}

const retryPause = 20 * time.Millisecond
