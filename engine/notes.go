package engine

// Reading notes: one by its name, or all that begin alike.

import (
	"context"
	"iter"

	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/internal/keys"
)

// Note is what Batch.Note has kept.
type Note struct {
	Name  string
	Value []byte
}

// Notes goes through the notes whose names begin with a prefix, by name, bytewise.
func (s *Snapshot) Notes(ctx context.Context, prefix string) iter.Seq2[Note, error] {
	return guard(s, ctx, func(yield func(Note, error) bool) {
		err := disk.ScanSealed(s.moment.Pebble, keys.OfNote(prefix), func(key, value []byte) error {
			if !yield(Note{string(key[1:]), append([]byte{}, value...)}, nil) {
				return disk.ErrEnough
			}
			return nil
		})
		if err != nil {
			yield(Note{}, err)
		}
	})
}
