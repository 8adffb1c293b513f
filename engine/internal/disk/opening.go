package disk

// Cancelling Open. Pebble reads much while it opens and takes no context, so after cancellation
// all reads fail.

import (
	"context"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// opening holds the context of an Open, until Opened ends it.
type opening struct {
	ctx   context.Context
	ended atomic.Bool
}

// Opened marks the store as open: from here on the context of Open has no effect.
func (s *Store) Opened() { s.opts.opening.ended.Store(true) }

// cancelled returns the error of the context during Open, else nil. It reads the context before
// ended: a context that ends between both reads was cancelled by closing an open store.
func (o *opening) cancelled() error {
	err := o.ctx.Err()
	if o.ended.Load() {
		return nil
	}
	return err
}

// reads returns a file system on which reads fail once the Open is cancelled. It holds no reference
// to Store: the garbage collector closes files after their owner becomes unreachable, and a path back to
// the Store would prevent that.
func (o *opening) reads(f vfs.FS) vfs.FS {
	return errorfs.Wrap(f, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind.ReadOrWrite() != errorfs.OpIsRead {
			return nil
		}
		return o.cancelled()
	}))
}
