package disk

// An Open that is given up: it reads no more. Pebble, which reads much as it opens, knows
// no contexts.

import (
	"context"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// opening is the context of an Open, until Opened ends it.
type opening struct {
	ctx   context.Context
	ended atomic.Bool
}

// Opened says that the store is open: the context of Open means nothing from here on.
func (s *Store) Opened() { s.opts.opening.ended.Store(true) }

// givenUp returns the error of the context while the store is being opened. The context is
// asked first: if it ends between both questions, that is because an open store is closed.
func (o *opening) givenUp() error {
	err := o.ctx.Err()
	if o.ended.Load() {
		return nil
	}
	return err
}

// reads returns a file system that reads nothing for an Open that was given up. It knows no
// Store: files of it are closed when what has them is collected, which a way back to the
// Store would prevent.
func (o *opening) reads(f vfs.FS) vfs.FS {
	return errorfs.Wrap(f, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind.ReadOrWrite() != errorfs.OpIsRead {
			return nil
		}
		return o.givenUp()
	}))
}
