package simdb

import (
	"context"
	"iter"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
)

// Related yields what each document is to the target, a row for each that is anything to it:
// the strongest kind first, then by score descending, then by id. Rules whose data a
// collection does not keep are left out there, unless Kept is false; the plan of
// Snapshot.Related says which. A kind is searched for when the rows before it have been
// read. An error ends the loop; ErrNotFound if the target is not stored.
func (db *DB) Related(ctx context.Context, target api.Target, q Relations) iter.Seq2[Related, error] {
	return func(yield func(Related, error) bool) {
		if err := db.related(ctx, target, q, yield); err != nil {
			yield(Related{}, err)
		}
	}
}

// Related is a row of DB.Related.
type Related struct {
	api.Relation
	Evidence api.Evidence
}

// related calls yield until it returns false. It returns what ended it before.
func (db *DB) related(ctx context.Context, target api.Target, q Relations, yield func(Related, error) bool) error {
	if err := engine.CheckContext(ctx); err != nil {
		return err
	}
	s, err := db.Snapshot()
	if err != nil {
		return err
	}
	defer s.Close()
	rows, err := s.Related(ctx, target, q)
	if err != nil {
		return err
	}
	evidence, err := s.Evidence(target, q.In)
	if err != nil {
		return err
	}
	for row, err := range rows.All {
		if err != nil {
			return err
		}
		e, err := evidence(ctx, row)
		if err != nil {
			return err
		}
		if !yield(Related{row, e}, nil) {
			return nil
		}
	}
	return nil
}
