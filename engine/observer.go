package engine

// The observers of a commit: parts of the store that follow its documents. The commit path
// calls them at fixed moments and knows nothing else of them (docs/decisions/0080).

import (
	"context"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/condition"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/view"
)

// observer is a part of the store that follows the documents. Its methods are the moments of a
// commit, in their order. An observer has no state of its own: it passes data to a later moment
// in the operation or in the plan, so a batch that is refused leaves nothing behind.
type observer interface {
	// watch returns comparisons for the puts into a collection: put.alike has their results in
	// plan. db.mu is held.
	watch(c *collection) []condition.Watch
	// derive computes the data that the observer stores of a put. It runs outside of the commit
	// mutex, for several puts at once, for a batch and again for a record of the log.
	derive(o *put) error
	// prepare computes data of a put that only a batch needs, not a replay. content is the text.
	// It runs as derive does.
	prepare(o *put, content string) error
	// replay runs before the plan of a record of the log, outside of the commit mutex.
	replay(db *DB, ops []operation) error
	// plan adds operations to the record, which is not in the log yet, or refuses the batch. In a
	// replay the record is complete, and plan adds none. db.mu is held, as at all later moments
	// but check.
	plan(db *DB, p *plan) error
	// written follows a document that an operation stores, changes or removes. From here on an
	// error poisons the store.
	written(a *applier, w write) error
	// finish runs when all operations of the record are in the Pebble batch.
	finish(a *applier) error
	// check reports where the data that the observer keeps of a collection differs from its
	// documents.
	check(ctx context.Context, s *Snapshot, v *view.View, report *api.CheckReport) error
}

// newObservers lists the observers in the order in which each moment calls them. The record has
// the rows of ledgers before the events of groups. The groups come last, because they give out
// numbers: after them nothing may refuse a batch.
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
	return all.each(func(x observer) error { return x.derive(o) })
}

func (all observers) prepare(o *put, content string) error {
	return all.each(func(x observer) error { return x.prepare(o, content) })
}

func (all observers) replay(db *DB, ops []operation) error {
	return all.each(func(x observer) error { return x.replay(db, ops) })
}

func (all observers) plan(db *DB, p *plan) error {
	return all.each(func(x observer) error { return x.plan(db, p) })
}

func (all observers) written(a *applier, w write) error {
	return all.each(func(x observer) error { return x.written(a, w) })
}

func (all observers) finish(a *applier) error {
	return all.each(func(x observer) error { return x.finish(a) })
}

// check goes through all collections for one observer after another.
func (all observers) check(ctx context.Context, s *Snapshot, report *api.CheckReport) error {
	return all.each(func(x observer) error {
		for _, v := range s.view.Views {
			if err := x.check(ctx, s, v, report); err != nil {
				return err
			}
		}
		return nil
	})
}

func (all observers) each(call func(observer) error) error {
	for _, x := range all {
		if err := call(x); err != nil {
			return err
		}
	}
	return nil
}
