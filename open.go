package simdb

// How a database is opened.

import (
	"context"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/internal/meter"
)

// OpenContext is Open until the context ends: then it returns the context's error, and
// what is on disk is as a crash would leave it, for the next Open. Opening takes long
// where the log of a crash is replayed, or texts are read again with other tables of
// Unicode; Options.OpenProgress tells how far it has come. The context is not needed
// once the database is open.
func OpenContext(ctx context.Context, path string, opts *Options) (*DB, error) {
	db, err := engine.OpenContext(ctx, path, opts.of())
	if err != nil {
		return nil, err
	}
	measured := meter.New(observer(opts))
	return &DB{reader{func() (snapshot, error) {
		s, err := db.Snapshot()
		if err != nil {
			return snapshot{}, err
		}
		m := ofSnapshot(s)
		m.over = s.Close
		return m, nil
	}, measured}, db}, nil
}

func observer(opts *Options) api.Observer {
	if opts == nil {
		return nil
	}
	return opts.Observer
}
