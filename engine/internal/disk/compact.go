package disk

// A compaction of all of Pebble that its caller may give up.

import (
	"context"
	"errors"
	"sync"

	"github.com/cockroachdb/pebble/v2"
)

// compactions are under way in Pebble, also those that nobody waits for. Pebble 2.1
// panics in a goroutine of its own where a compaction that it has picked is cancelled
// before it begins. So none is, before Pebble is closed.
type compactions struct {
	once   sync.Once
	ctx    context.Context
	cancel context.CancelFunc
	going  sync.WaitGroup
}

func (c *compactions) begin() context.Context {
	c.once.Do(func() { c.ctx, c.cancel = context.WithCancel(context.Background()) })
	return c.ctx
}

// end waits for all. Pebble is closed, so none begins.
func (c *compactions) end() {
	c.begin()
	c.cancel()
	c.going.Wait()
}

// Compact lets Pebble give space back. If the context ends Pebble goes on with what it
// has begun. On a disk that fails Pebble would try again for ever.
func (s *Store) Compact(ctx context.Context) error {
	if err := errors.Join(s.Poisoned(), ctx.Err()); err != nil {
		return err
	}
	ended := make(chan error, 1)
	going := s.compactions.begin()
	s.compactions.going.Go(func() {
		defer func() {
			switch r := recover(); r {
			case nil:
			case pebble.ErrClosed: // before it began
				ended <- pebble.ErrClosed
			default:
				panic(r)
			}
		}()
		ended <- s.pebble.Compact(going, []byte{0}, []byte{0xff}, true)
	})
	select {
	case err := <-ended:
		if poisoned := s.Poisoned(); poisoned != nil {
			return poisoned
		}
		return PebbleError(err)
	case <-s.Failed():
		return s.Poisoned()
	case <-ctx.Done():
		return ctx.Err()
	}
}
