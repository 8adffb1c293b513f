package simdb

// Statements of the query language.

import (
	"context"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/query"
)

// Query runs one statement of the query language; args fill its parameters ?,
// $1 and, made by Named, :name. A statement that is wrong gives a *ParseError.
// Close the rows. The statement may do anything but read files of this machine;
// QueryWith says what it may do.
func (db *DB) Query(ctx context.Context, statement string, args ...any) (*Rows, error) {
	return db.QueryWith(ctx, QueryOptions{}, statement, args...)
}

// QueryWith is Query for a statement that may do what the options say: read files or
// not, write or not, give so many rows, take so long. For a statement written by a
// stranger set ReadOnly, MaxRows and Timeout, and leave Files out.
func (db *DB) QueryWith(ctx context.Context, opts QueryOptions, statement string, args ...any) (*Rows, error) {
	if err := engine.CheckContext(ctx); err != nil {
		return nil, err
	}
	return query.Run(ctx, db.store(), opts, statement, args...)
}

// WithProgress returns a context whose calls tell the function how far they are, for
// whatever takes long: Query, Pairs, Clusters, Check, Compact and so on. It is told when a
// stage of the work begins, and at most ten times a second while it goes on. It is called
// from any goroutine, never from two at once, and holds up the work while it runs.
func WithProgress(ctx context.Context, tell func(api.Progress)) context.Context {
	return engine.WithProgress(ctx, tell)
}

// Named binds a value to the parameter :name of a statement.
func Named(name string, value any) NamedArg { return query.Named(name, value) }
