package disk

// A failed write poisons the store. From then on its file system accepts no change, so the disk
// stays as a crash at this moment would have left it. Reads go on, writes return ErrPoisoned,
// and the next Open recovers (docs/decisions/0010). A failed sync of the log arrives by its
// OnError, a failed flush of Pebble by BackgroundError.

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/simdb/simdb/api"
)

// poison is the first failed write of a store.
type poison struct {
	failure atomic.Pointer[error]
	failed  chan struct{} // closed at the first failure
}

// Poison makes the store refuse writes from now on and returns the error for callers:
// ErrPoisoned with the first cause. Reads go on; reopening replays every acknowledged write.
// Safe for concurrent use.
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

// Poisoned returns the error of a poisoned store, else nil.
func (s *Store) Poisoned() error {
	if p := s.poison.failure.Load(); p != nil {
		return *p
	}
	return nil
}

// Failed returns a channel that closes when the store is poisoned.
func (s *Store) Failed() <-chan struct{} { return s.poison.failed }

// fused returns a file system that refuses changes once the store is poisoned. After a failed
// manifest write Pebble expects the process to end; if it does not, Pebble would retry, and apply
// the change twice.
func (s *Store) fused(f vfs.FS) vfs.FS {
	return errorfs.Wrap(f, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind.ReadOrWrite() != errorfs.OpIsWrite {
			return nil
		}
		err := s.Poisoned()
		if err != nil {
			time.Sleep(retryPause) // Pebble retries a failed flush at once and forever
		}
		return err
	}))
}

// retryPause slows Pebble's endless retries in a poisoned store.
const retryPause = 20 * time.Millisecond
