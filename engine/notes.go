package engine

// Reading notes: one by its name, or all that begin alike.

import (
	"context"
	"iter"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/internal/keys"
)

// Notes goes through the notes whose names begin with a prefix, by name, bytewise.
func (s *Snapshot) Notes(ctx context.Context, prefix string) iter.Seq2[api.Note, error] {
	return guard(s, ctx, func(yield func(api.Note, error) bool) {
		err := disk.ScanSealed(s.moment.Pebble, keys.OfNote(prefix), func(key, value []byte) error {
			if !yield(api.Note{Name: string(key[1:]), Value: append([]byte{}, value...)}, nil) {
				return disk.ErrEnough
			}
			return nil
		})
		if err != nil {
			yield(api.Note{}, err)
		}
	})
}
