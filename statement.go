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

// Query runs one statement of the query language; args fill its parameters ?,
// $1 and, made by Named, :name. A statement that is wrong gives an *api.ParseError.
// Close the rows. The statement may do anything but read files of this machine;
// QueryWith says what it may do.
func (db *DB) Query(ctx context.Context, statement string, args ...any) (*Rows, error) {
	return db.QueryWith(ctx, QueryOptions{}, statement, args...)
}

// QueryWith is Query for a statement that may do what the options say: read files or
// not, write or not, give so many rows, take so long. For a statement written by a
// stranger set ReadOnly, MaxRows and Timeout, and leave Files out.
func (db *DB) QueryWith(ctx context.Context, opts QueryOptions, statement string, args ...any) (*Rows, error) {
	c := db.meter.Begin(ctx, "Query")
	if err := engine.CheckContext(ctx); err != nil {
		return nil, c.End(err)
	}
	rows, err := query.Run(ctx, db.store(), query.Options(opts), statement, args...)
	return rowsFor(c, rows, err)
}

// WithProgress returns a context whose calls tell the function how far they are, for
// whatever takes long: Query, Pairs, Clusters, Check, Compact and so on. It is told when a
// stage of the work begins, and at most ten times a second while it goes on. It is called
// from any goroutine, never from two at once, and holds up the work while it runs.
func WithProgress(ctx context.Context, tell func(api.Progress)) context.Context {
	return engine.WithProgress(ctx, tell)
}

// Named binds a value to the parameter :name of a statement.
func Named(name string, value any) api.NamedArg { return api.NamedArg{Name: name, Value: value} }
