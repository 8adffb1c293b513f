package simdb

// Statements of the query language.

import (
	"context"
	"io"
	"time"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/query"
)

// QueryOptions limit what a statement may do. The zero value permits everything except reading files.
type QueryOptions struct {
	Files    bool          // permit FILE '…', which reads files of this machine; leave it false for statements from strangers
	Input    io.Reader     // standard input for FILE '-', with Files; nil means none
	ReadOnly bool          // reject INSERT, UPDATE, DELETE, CREATE, DROP and COMPACT before they change anything, with an error that wraps ErrReadOnly
	MaxRows  int64         // maximum number of rows; more return an error that wraps ErrTooLarge. 0 means no maximum
	Hints    bool          // if SIMILAR TO finds nothing, look for the three nearest documents and note the threshold that would find them
	Timeout  time.Duration // for the statement including the reading of its rows; afterwards an error that wraps context.DeadlineExceeded. 0 means none
}

// Query runs one statement of the query language. args are the values of its parameters ? and $1;
// Named makes the value of a parameter :name. A malformed statement returns an *api.ParseError.
// Close the rows. Query permits everything except reading files of this machine; QueryWith sets
// other limits.
func (db *DB) Query(ctx context.Context, statement string, args ...any) (*Rows, error) {
	return db.QueryWith(ctx, QueryOptions{}, statement, args...)
}

// QueryWith is Query with limits on the statement: reading files, writing, the number of rows, and
// time. For an untrusted statement set ReadOnly, MaxRows and Timeout, and leave Files false.
func (db *DB) QueryWith(ctx context.Context, opts QueryOptions, statement string, args ...any) (*Rows, error) {
	c := db.meter.Begin(ctx, "Query")
	if err := engine.CheckContext(ctx); err != nil {
		return nil, c.End(err)
	}
	rows, err := query.Run(ctx, db.store(), query.Options(opts), statement, args...)
	return rowsFor(c, rows, err)
}

// WithProgress returns a context for long calls: Query, Pairs, Clusters, Check, Compact and so on.
// These calls report their progress to the function. Each stage of the work reports its start, and
// then at most ten times a second. Reports come from any goroutine, never concurrently, and the
// work waits for the function to return.
func WithProgress(ctx context.Context, report func(api.Progress)) context.Context {
	return engine.WithProgress(ctx, report)
}

// Named binds a value to the parameter :name of a statement.
func Named(name string, value any) api.NamedArg { return api.NamedArg{Name: name, Value: value} }
