package sqldriver

// The rows of a statement, and the types of their columns.

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"iter"
	"reflect"

	"github.com/simdb/simdb"
)

// rows iterates over an answer. It reads the first row at once, so that columns have types.
type rows struct {
	ctx    context.Context // the context of the query, which also ends the reading
	answer *simdb.Rows
	over   func() error // releases the database
	next   func() (simdb.Row, error, bool)
	stop   func()

	types []string // of the first row
	first simdb.Row
	ahead bool // first has been read but not returned
}

var (
	_ driver.RowsColumnTypeDatabaseTypeName = (*rows)(nil)
	_ driver.RowsColumnTypeScanType         = (*rows)(nil)
)

// read starts to read an answer. An error in its first row becomes an error of the query.
func read(ctx context.Context, answer *simdb.Rows, over func() error) (driver.Rows, error) {
	r := &rows{ctx: ctx, answer: answer, over: over, types: make([]string, len(answer.Columns))}
	r.next, r.stop = iter.Pull2(answer.All())
	first, err, ok := r.next()
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	if ok {
		r.first, r.ahead = first, true
		for i, v := range first {
			_, r.types[i] = valueOf(v)
		}
	}
	return r, nil
}

// Columns returns the names of the columns.
func (r *rows) Columns() []string { return r.answer.Columns }

// Next fills into with the next row, or returns io.EOF.
func (r *rows) Next(into []driver.Value) error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	row := r.first
	if r.first = nil; !r.ahead {
		var err error
		var ok bool
		if row, err, ok = r.next(); err != nil {
			return err
		} else if !ok {
			return io.EOF
		}
	}
	r.ahead = false
	for i, v := range row {
		into[i], _ = valueOf(v)
	}
	return nil
}

// Close ends the query and releases the database. A second call does nothing.
func (r *rows) Close() error {
	if r.over == nil {
		return nil
	}
	r.stop()
	err := errors.Join(r.answer.Close(), r.over())
	r.over = nil
	return err
}

// ColumnTypeDatabaseTypeName returns the type of the column in the first row; "" if it is NULL
// there, or if there is no row.
func (r *rows) ColumnTypeDatabaseTypeName(i int) string { return r.types[i] }

// ColumnTypeScanType returns a type that can also hold NULL.
func (r *rows) ColumnTypeScanType(i int) reflect.Type {
	switch r.types[i] {
	case typeText, typeDecimal, typeJSON:
		return reflect.TypeFor[sql.NullString]()
	case typeInteger:
		return reflect.TypeFor[sql.NullInt64]()
	case typeReal:
		return reflect.TypeFor[sql.NullFloat64]()
	case typeBoolean:
		return reflect.TypeFor[sql.NullBool]()
	}
	return reflect.TypeFor[any]()
}
