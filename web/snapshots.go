package web

// Snapshots for a request, of one database or of several.

import (
	"context"
	"errors"
	"iter"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

// snapshots is a snapshot of one database, or of each of several.
type snapshots struct {
	simdb.Reader                       // of the one, or of all
	one          *simdb.Snapshot       // nil: several databases
	all          *simdb.ShardsSnapshot // nil: one database
}

// snapshots returns snapshots that last until the response is complete.
func (c *call) snapshots() (m snapshots, err error) {
	if c.shards != nil {
		if m.all, err = c.shards.Snapshot(); err == nil {
			c.opened = append(c.opened, m.all)
		}
		m.Reader = m.all
	} else {
		m.one, err = c.snapshot()
		m.Reader = m.one
	}
	return m, err
}

// store returns the snapshot of the database that a request names. The name is required for several
// databases, and rejected for one.
func (m snapshots) store(name string) (*simdb.Snapshot, error) {
	switch {
	case m.all == nil && name != "":
		return nil, bad("store is %s, but this server has a single database, which needs no store", quoted(name))
	case m.all == nil:
		return m.one, nil
	case name == "":
		return nil, bad("store is missing: give the database of the document, as in the field store of rows")
	}
	return m.all.Store(name)
}

// having returns the first database with a collection.
func (m snapshots) having(collection string) (snap *simdb.Snapshot, err error) {
	if m.all == nil {
		return m.one, nil
	}
	for _, name := range m.all.Stores() {
		if snap, err = m.all.Store(name); err == nil {
			_, err = snap.Collection(collection)
		}
		if !errors.Is(err, api.ErrNotFound) {
			break
		}
	}
	return snap, err
}

// home finds a document in the first of the collections that contains it: in the named store or, if
// store is "", in the store that contains it. The returned collection is never empty.
func (m snapshots) home(ctx context.Context, store string, in []string, id string) (snap *simdb.Snapshot, of, collection string, err error) {
	for _, collection = range in {
		if of = store; m.all != nil && store == "" {
			of, err = m.all.Home(collection, id)
		} else {
			err = nil
		}
		if err == nil {
			snap, err = m.store(of)
		}
		if err == nil {
			_, err = snap.Info(ctx, collection, id)
		}
		if !errors.Is(err, api.ErrNotFound) {
			break
		}
	}
	if err != nil {
		collection = in[0]
	}
	return snap, of, collection, err
}

// Collection describes a collection.
func (m snapshots) Collection(name string) (api.CollectionInfo, error) {
	if m.all != nil {
		return m.all.Collection(name)
	}
	return m.one.Collection(name)
}

// similar searches for documents similar to the target of a store. The plan is complete when the
// rows have been read.
func (m snapshots) similar(ctx context.Context, store string, target api.Target, q lookup) (iter.Seq2[api.Match, error], *api.Plan) {
	var plan api.Plan
	target.Store = store
	return m.Similar(ctx, target, append(q.options(), simdb.WithPlan(&plan))...), &plan
}
