// Package run executes statements: [Statement], [Read] or [Over] takes a syntax tree, plans
// it with query/plan and returns an [Answer]. Rows are computed while they are read.
// Begin with run.go, then rows.go for searches and write.go for changes.
//
// Meaning belongs to query/plan; this package only executes. A statement on a store sees
// one snapshot. The package is internal to query.
package run

import (
	"context"
	"errors"

	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/query/plan"
	"github.com/simdb/simdb/query/syntax"
)

// Statement executes a statement. A search runs while its rows are read, and holds a
// snapshot until Close; every other statement is complete on return.
func Statement(ctx context.Context, db *engine.DB, opts plan.Options, s syntax.Statement) (*Answer, error) {
	w := writer{ctx, db, plan.New(ctx, nil, opts)}
	switch s := s.(type) {
	case *syntax.Insert:
		return w.insert(s)
	case *syntax.Create:
		return w.create(s)
	case *syntax.Erase:
		return w.erase(s)
	case *syntax.Drop:
		if s.Erase {
			return w.erase(s)
		}
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

// Read executes a statement that only reads, at the snapshot of one store. It leaves the
// snapshot open.
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

// Over executes a statement that several stores can answer together.
func Over(ctx context.Context, all plan.Reader, opts plan.Options, s syntax.Statement) (*Answer, error) {
	return read(ctx, all, plan.Over(ctx, all, opts), s)
}

// read executes the statements that one store and several stores have in common.
func read(ctx context.Context, all plan.Reader, pl *plan.Planner, s syntax.Statement) (*Answer, error) {
	switch s := s.(type) {
	case *syntax.Sources:
		return sources(ctx, all, pl, s)
	case *syntax.Explain:
		switch s.Query.(type) {
		case *syntax.Erase, *syntax.Drop:
			return explainErase(ctx, pl, s)
		}
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
