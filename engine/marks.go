package engine

// Reading marks: one by its name, or all that begin alike.

import (
	"context"
	"errors"
	"iter"

	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/internal/keys"
)

// Mark is a note that Batch.Mark has kept.
type Mark struct {
	Name  string
	Value []byte
}

// Marks goes through the marks whose names begin with a prefix, by name, bytewise.
func (s *Snapshot) Marks(ctx context.Context, prefix string) iter.Seq2[Mark, error] {
	return guard(s, ctx, func(yield func(Mark, error) bool) {
		stop := errors.New("the loop has ended")
		err := disk.Scan(s.moment.Pebble, keys.OfMark(prefix), func(key, value []byte) error {
			if !yield(Mark{string(key[1:]), append([]byte{}, value...)}, nil) {
				return stop
			}
			return nil
		})
		if err != nil && !errors.Is(err, stop) {
			yield(Mark{}, err)
		}
	})
}
