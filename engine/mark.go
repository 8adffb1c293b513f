package engine

// Marks: the moment that SIMILAR PAIRS SINCE counts from (docs/decisions/0036).

import (
	"context"

	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/wal"
)

// Mark names the present moment of the store, for Search.Since: what is put from now on
// is written since. It waits until all that was written before survives a crash, so that
// no record with other documents can take the number of one that the mark has seen. A
// mark is printable, belongs to this store and never ends.
func (db *DB) Mark(ctx context.Context) (string, error) {
	s, err := db.Snapshot()
	if err != nil {
		return "", err
	}
	defer s.Close()
	return s.Mark(ctx)
}

// Mark is DB.Mark for the moment of the snapshot. Who takes the mark of the snapshot
// that Pairs is asked of misses nothing the next time.
func (s *Snapshot) Mark(ctx context.Context) (string, error) {
	return called(s, func(m *view.Moment) (string, error) {
		if s.log != (wal.Ticket{}) {
			if err := s.db.disk.Durable(ctx, s.log); err != nil {
				return "", err
			}
		}
		if s.db.opts.ReadOnly {
			if err := s.db.disk.SyncRead(); err != nil {
				return "", err
			}
		}
		return m.Mark(), nil
	})
}
