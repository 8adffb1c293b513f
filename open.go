package simdb

// Opening a database.

import (
	"context"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/internal/meter"
)

// OpenContext is Open with a context, which has no effect after OpenContext returns. Opening takes
// long if it replays the log after a crash, or reads texts again with other Unicode tables;
// Options.OpenProgress receives its progress. If the context ends first, OpenContext returns its
// error and leaves the files as a crash would; the next Open recovers them.
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

// observer returns the observer of options that may be nil.
func observer(opts *Options) api.Observer {
	if opts == nil {
		return nil
	}
	return opts.Observer
}
