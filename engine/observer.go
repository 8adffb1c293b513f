package engine

// The observers of a commit: parts of the store that follow its documents. The commit path
// calls them at a few moments and knows nothing else of them (docs/decisions/0080).

import (
	"context"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/condition"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/view"
)

// observer is a part of the store that follows the documents. Its methods are the moments of a
// commit, in their order. An observer has no state of its own: what it hands from one moment
// to a later one is in the operation or in the plan.
type observer interface {
	// watch returns what the puts into a collection are compared with on the observer's behalf;
	// db.mu is held.
	watch(c *collection) []condition.Watch
	// derive adds to a put what the observer stores of it. It runs outside of the commit mutex,
	// on any core, for a batch and again for a record of the log.
	derive(o *put) error
	// prepare adds to a put of a batch what a replay does not need; content is its text.
	prepare(o *put, content string) error
	// replay comes before plan for a record of the log, outside of the commit mutex.
	replay(db *DB, ops []operation) error
	// plan adds operations to the record, which is not in the log yet, and keys to what is
	// stored with it, or refuses the batch; db.mu is held. In a replay the record is complete.
	plan(db *DB, p *plan) error
	// written follows a document that an operation of the batch stores, changes or removes.
	// From here on an error poisons the store.
	written(a *applier, w write) error
	// finish comes when all operations of the record are in the Pebble batch.
	finish(a *applier) error
	// check reports where what the observer keeps of a collection differs from what its
	// documents give.
	check(ctx context.Context, s *Snapshot, v *view.View, report *api.CheckReport) error
}

// newObservers lists the observers, in the order in which each moment calls them. In plan the
// ledger adds its rows before the groups; and nothing may refuse a batch behind the groups,
// which give out numbers.
func newObservers() observers {
	return observers{fieldIndex{}, expectations{}, ledger{}, constraint{}, grouper{}}
}

// write is what an operation does to a document.
type write struct {
	*document
	old    *record.DocumentRecord // nil: nothing was stored
	set    uint32                 // record.NoSet: it has none from now on
	fields record.FieldValues
}

// passive is an observer that does nothing at any moment. Others embed it.
type passive struct{}

func (passive) watch(*collection) []condition.Watch { return nil }

func (passive) derive(*put) error { return nil }

func (passive) prepare(*put, string) error { return nil }

func (passive) replay(*DB, []operation) error { return nil }

func (passive) plan(*DB, *plan) error { return nil }

func (passive) written(*applier, write) error { return nil }

func (passive) finish(*applier) error { return nil }

func (passive) check(context.Context, *Snapshot, *view.View, *api.CheckReport) error { return nil }

// observers are called one after another, until one fails.
type observers []observer

func (all observers) watch(c *collection) (out []condition.Watch) {
	for _, x := range all {
		out = append(out, x.watch(c)...)
	}
	return out
}

func (all observers) derive(o *put) error {
	for _, x := range all {
		if err := x.derive(o); err != nil {
			return err
		}
	}
	return nil
}

func (all observers) prepare(o *put, content string) error {
	for _, x := range all {
		if err := x.prepare(o, content); err != nil {
			return err
		}
	}
	return nil
}

func (all observers) replay(db *DB, ops []operation) error {
	for _, x := range all {
		if err := x.replay(db, ops); err != nil {
			return err
		}
	}
	return nil
}

func (all observers) plan(db *DB, p *plan) error {
	for _, x := range all {
		if err := x.plan(db, p); err != nil {
			return err
		}
	}
	return nil
}

func (all observers) written(a *applier, w write) error {
	for _, x := range all {
		if err := x.written(a, w); err != nil {
			return err
		}
	}
	return nil
}

func (all observers) finish(a *applier) error {
	for _, x := range all {
		if err := x.finish(a); err != nil {
			return err
		}
	}
	return nil
}

// check goes through all collections for one observer after another.
func (all observers) check(ctx context.Context, s *Snapshot, report *api.CheckReport) error {
	for _, x := range all {
		for _, v := range s.view.Views {
			if err := x.check(ctx, s, v, report); err != nil {
				return err
			}
		}
	}
	return nil
}
