package sqldriver

// Connections, transactions and prepared statements.

import (
	"context"
	"database/sql/driver"
	"errors"

	"github.com/simdb/simdb"
)

// conn is a connection. Its only state is a transaction; the connector owns the database.
type conn struct {
	*connector
	alone bool // the connector has no other connection, so Close closes it
	tx    *tx  // nil outside a transaction
}

var (
	_ driver.QueryerContext     = (*conn)(nil)
	_ driver.ExecerContext      = (*conn)(nil)
	_ driver.ConnPrepareContext = (*conn)(nil)
	_ driver.ConnBeginTx        = (*conn)(nil)
	_ driver.NamedValueChecker  = (*conn)(nil)
	_ driver.Pinger             = (*conn)(nil)
	_ driver.StmtQueryContext   = (*stmt)(nil)
)

// Ping opens the database if it is not open.
func (c *conn) Ping(ctx context.Context) error {
	o, err := c.source.take(ctx)
	if err != nil {
		return err
	}
	return c.source.give(o)
}

// Close rolls back an open transaction.
func (c *conn) Close() error {
	var err error
	if c.tx != nil {
		err = c.tx.Rollback()
	}
	if c.alone {
		err = errors.Join(err, c.source.close())
	}
	return err
}

// QueryContext runs a statement on the snapshot of the transaction, or else on the current
// database. The rows hold the database open until they are closed.
func (c *conn) QueryContext(ctx context.Context, statement string, args []driver.NamedValue) (driver.Rows, error) {
	o, query, err := c.begin(ctx)
	if err != nil {
		return nil, err
	}
	over := func() error { return c.source.give(o) }
	answer, err := query(ctx, c.limits, statement, arguments(args)...)
	if err != nil {
		return nil, errors.Join(err, over())
	}
	return read(ctx, answer, over)
}

// begin acquires the database for a query, within the transaction if there is one.
func (c *conn) begin(ctx context.Context) (*opened, ask, error) {
	if c.tx != nil {
		return c.source.share(c.tx.of), c.tx.snapshot.QueryWith, nil
	}
	o, err := c.source.take(ctx)
	if err != nil {
		return nil, nil, err
	}
	return o, o.db.QueryWith, nil
}

// ask is QueryWith of a database or a snapshot.
type ask func(context.Context, simdb.QueryOptions, string, ...any) (*simdb.Rows, error)

// ExecContext refuses every statement: the driver is read-only.
func (c *conn) ExecContext(context.Context, string, []driver.NamedValue) (driver.Result, error) {
	return nil, errExec
}

var errExec = readOnly("Exec is for statements that write, which this driver refuses; call Query to read")

// Prepare returns a statement without parsing it.
func (c *conn) Prepare(statement string) (driver.Stmt, error) { return &stmt{c, statement}, nil }

// PrepareContext returns a statement without parsing it; QueryContext parses it.
func (c *conn) PrepareContext(_ context.Context, statement string) (driver.Stmt, error) {
	return c.Prepare(statement)
}

// Begin refuses a transaction that could write.
func (c *conn) Begin() (driver.Tx, error) {
	return nil, readOnly("only transactions with sql.TxOptions.ReadOnly can begin")
}

// BeginTx begins a transaction that reads one snapshot of the database. It requires opts.ReadOnly.
func (c *conn) BeginTx(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	if !opts.ReadOnly {
		return c.Begin()
	}
	o, err := c.source.take(ctx)
	if err != nil {
		return nil, err
	}
	s, err := o.db.Snapshot()
	if err != nil {
		return nil, errors.Join(err, c.source.give(o))
	}
	c.tx = &tx{c, o, s}
	return c.tx, nil
}

// tx is a read-only transaction, so Commit and Rollback are the same.
type tx struct {
	conn     *conn
	of       *opened
	snapshot *simdb.Snapshot
}

// Commit releases the snapshot.
func (t *tx) Commit() error { return t.Rollback() }

// Rollback releases the snapshot.
func (t *tx) Rollback() error {
	t.conn.tx = nil
	return errors.Join(t.snapshot.Close(), t.conn.source.give(t.of))
}

// stmt is a prepared statement.
type stmt struct {
	conn      *conn
	statement string
}

// Close does nothing: a statement holds no resources.
func (s *stmt) Close() error { return nil }

// NumInput returns -1: the query checks the count, and its errors name the parameter.
func (s *stmt) NumInput() int { return -1 }

// Exec refuses every statement: the driver is read-only.
func (s *stmt) Exec([]driver.Value) (driver.Result, error) { return nil, errExec }

// Query runs the statement with positional arguments.
func (s *stmt) Query(args []driver.Value) (driver.Rows, error) {
	named := make([]driver.NamedValue, len(args))
	for i, v := range args {
		named[i] = driver.NamedValue{Ordinal: i + 1, Value: v}
	}
	return s.QueryContext(context.Background(), named)
}

// QueryContext runs the statement.
func (s *stmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	return s.conn.QueryContext(ctx, s.statement, args)
}
