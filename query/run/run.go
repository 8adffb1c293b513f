// Package run answers statements: it does what query/plan has made of them.
//
// In come a tree and a store, or several. Out comes an Answer, whose rows are found while they
// are read. The package does not know what a statement means, only what is to be done. It is
// not for callers of simdb: query is its door.
package run

import (
	"context"
	"errors"

	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/query/plan"
	"github.com/simdb/simdb/query/syntax"
)

// Statement answers a statement. A search runs while its rows are read, every other statement
// at once.
func Statement(ctx context.Context, db *engine.DB, opts plan.Options, s syntax.Statement) (*Answer, error) {
	w := writer{ctx, db, plan.New(ctx, nil, opts)}
	switch s := s.(type) {
	case *syntax.Insert:
		return w.insert(s)
	case *syntax.Create:
		return w.create(s)
	case *syntax.Drop:
		return w.drop(s.Pos, s.Name, db.DropCollection)
	case *syntax.CreateGroups:
		return w.createGroups(s)
	case *syntax.DropGroups:
		return w.drop(s.Pos, s.Name, db.DropGroups)
	case *syntax.Check:
		return w.check(s)
	case *syntax.Compact:
		return w.compact(s)
	}
	snap, err := db.Snapshot()
	if err != nil {
		return nil, err
	}
	one := plan.Of(snap)
	if syntax.Writes(s) {
		w.plan = plan.New(ctx, one, opts)
		answer, err := w.change(one, s)
		return answer, errors.Join(err, snap.Close())
	}
	answer, err := Read(ctx, one, opts, s)
	if err != nil {
		return nil, errors.Join(err, snap.Close())
	}
	answer.Close = snap.Close
	return answer, nil
}

// Read answers a statement that only reads one store.
func Read(ctx context.Context, one plan.Store, opts plan.Options, s syntax.Statement) (*Answer, error) {
	pl := plan.New(ctx, one, opts)
	switch s := s.(type) {
	case *syntax.Compare:
		return compare(ctx, one, pl, s)
	case *syntax.Show:
		return show(ctx, one, pl, s)
	case *syntax.Ledger:
		return ledger(ctx, one, pl, s)
	}
	return read(ctx, one, pl, s)
}

// Over answers a statement that several stores answer together.
func Over(ctx context.Context, all plan.Reader, opts plan.Options, s syntax.Statement) (*Answer, error) {
	return read(ctx, all, plan.Over(ctx, all, opts), s)
}

func read(ctx context.Context, all plan.Reader, pl *plan.Planner, s syntax.Statement) (*Answer, error) {
	switch s := s.(type) {
	case *syntax.Sources:
		return sources(ctx, all, pl, s)
	case *syntax.Explain:
		return explain(ctx, pl, s)
	}
	p, err := pl.Search(s)
	if err != nil {
		return nil, err
	}
	if err := pl.Done(s.Place()); err != nil {
		return nil, err
	}
	return start(ctx, p)
}
