package main

// The ids that several databases of import --scale have: the ids of all are read side by side,
// in their order.

import (
	"context"
	"errors"
	"iter"

	"github.com/simdb/simdb/api"
)

// idsOf are the ids of a database that is open.
type idsOf struct {
	id   string
	ok   bool
	next func() (string, error, bool)
}

func (d *idsOf) step() (err error) {
	d.id, err, d.ok = d.next()
	return err
}

// doubled returns, of each part, the ids that a later part has too.
func (s *scaleShards) doubled(ctx context.Context) (gone [][]string, err error) {
	all := make([]*idsOf, len(s.plan.Inputs))
	for i := range all {
		db, err := openExisting(ctx, s.path(i), true, max(s.memory/int64(len(all)), 1<<20))
		if err != nil {
			return nil, err
		}
		defer db.Close() // it is only read
		snap, err := db.Snapshot()
		if err != nil {
			return nil, err
		}
		defer snap.Close()
		next, stop := iter.Pull2(snap.IDs(ctx, api.DefaultCollection, ""))
		defer stop()
		all[i] = &idsOf{next: next}
		if err := all[i].step(); err != nil {
			return nil, err
		}
	}
	return doubledIn(all)
}

// doubledIn goes through the ids of all parts, the smallest first.
func doubledIn(all []*idsOf) (gone [][]string, err error) {
	gone = make([][]string, len(all))
	for {
		last := -1 // of the parts with the smallest id
		for i, d := range all {
			if d.ok && (last < 0 || d.id <= all[last].id) {
				last = i
			}
		}
		if last < 0 {
			return gone, nil
		}
		id := all[last].id
		for i, d := range all[:last+1] {
			if !d.ok || d.id != id {
				continue
			}
			if i < last {
				gone[i] = append(gone[i], id)
			}
			if err := d.step(); err != nil {
				return nil, err
			}
		}
	}
}

func isExists(err error) bool { return errors.Is(err, api.ErrExists) }
