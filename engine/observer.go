package engine

// The observers of a commit: parts of the store that follow its documents. The commit path
// calls them at fixed points and knows nothing else about them (docs/decisions/0080).

import (
	"context"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/condition"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/view"
)

// observer is a part of the store that follows the documents. Its methods are the points of
// a commit, in their order. An observer has no state of its own: it passes data to a later
// point in the operation or in the plan, so a refused batch leaves nothing to undo.
type observer interface {
	// watch returns comparisons for the puts into a collection; plan finds the results in
	// put.alike. The caller holds db.mu.
	watch(c *collection) []condition.Watch
	// derive computes the data that the observer stores about a put. It runs outside of the
	// commit mutex, concurrently for several puts, both for a batch and in a replay.
	derive(o *put) error
	// prepare computes data about a put that a batch needs, but not a replay. content is
	// the text. It runs like derive.
	prepare(o *put, content string) error
	// replay runs before the plan of a log record, outside of the commit mutex.
	replay(db *DB, ops []operation) error
	// plan adds operations to the record before it is logged, or refuses the batch. In a
	// replay the record is complete and plan adds none. From here on the caller holds
	// db.mu, except in check.
	plan(db *DB, p *plan) error
	// written follows a document that an operation stores, changes or removes. From here on
	// an error poisons the store.
	written(a *applier, w write) error
	// finish runs once all operations of the record are in the Pebble batch.
	finish(a *applier) error
	// check reports differences between the observer's data for a collection and its
	// documents.
	check(ctx context.Context, s *Snapshot, v *view.View, report *api.CheckReport) error
}

// newObservers returns the observers in the order of their calls. A record has ledger rows
// before group events. Groups come last, because they assign numbers: nothing may refuse a
// batch after that.
func newObservers() observers {
	return observers{fieldIndex{}, expectations{}, ledger{}, constraint{}, grouper{}}
}

// write is the effect of an operation on a document.
type write struct {
	*document
	old    *record.DocumentRecord // nil: it did not exist
	set    uint32                 // its new set, or record.NoSet
	fields record.FieldValues
}

// passive is an observer without effect, for embedding.
type passive struct{}

func (passive) watch(*collection) []condition.Watch { return nil }

func (passive) derive(*put) error { return nil }

func (passive) prepare(*put, string) error { return nil }

func (passive) replay(*DB, []operation) error { return nil }

func (passive) plan(*DB, *plan) error { return nil }

func (passive) written(*applier, write) error { return nil }

func (passive) finish(*applier) error { return nil }

func (passive) check(context.Context, *Snapshot, *view.View, *api.CheckReport) error { return nil }

// observers calls several observers in order, until one returns an error.
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

// check runs one observer after another over all collections.
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

// each calls all observers until one returns an error.
func (all observers) each(call func(observer) error) error {
	for _, x := range all {
		if err := call(x); err != nil {
			return err
		}
	}
	return nil
}
