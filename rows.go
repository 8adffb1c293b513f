package simdb

// Rows of statements.

import (
	"iter"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/meter"
	"github.com/simdb/simdb/query"
)

// Rows are the rows of a statement. A search runs while they are read. Range over All once, then
// call Close.
type Rows struct {
	Columns []string // the names of the columns, in the order of the values in a Row

	rows *query.Rows
	call meter.Call
}

// Row contains one value per column: string, int64, uint64, float64, bool, nil, json.Number, or a
// list or an object of metadata.
type Row []any

// rowsFor wraps the rows of a statement, unless it failed. The measured call ends with the rows.
func rowsFor(c meter.Call, rows *query.Rows, err error) (*Rows, error) {
	if err != nil {
		return nil, c.End(err)
	}
	c.Planned(rows.Plan())
	return &Rows{rows.Columns, rows, c}, nil
}

// All yields the rows, and an error last if there is one. A second range over All yields an error.
func (r *Rows) All() iter.Seq2[Row, error] {
	all := r.rows.All()
	return func(yield func(Row, error) bool) {
		loop(&r.call, all, func(row []any, err error) bool { return yield(row, err) })
	}
}

// ColumnTypes returns the columns with their types and documentation.
func (r *Rows) ColumnTypes() []api.Column { return r.rows.ColumnTypes() }

// Notes returns remarks on the rows, such as a threshold that was assumed. They are complete once
// the rows have been read.
func (r *Rows) Notes() []string { return r.rows.Notes() }

// Plan returns how a search proceeded, with its counts once the rows have been read. It returns nil for
// a statement that does not search.
func (r *Rows) Plan() *api.Plan { return r.rows.Plan() }

// Close ends the statement and releases its snapshot; unread rows are lost. A second Close does
// nothing.
func (r *Rows) Close() error { return r.call.End(r.rows.Close()) }

// Scan copies the values of a row into variables, one per column, as in database/sql.
//
// Each variable is a pointer to a string, an integer, a float, a bool, a time.Time, a json.Number,
// a []string, a []any, an api.Meta or an any; or a pointer to such a pointer, which NULL sets to
// nil; or a sql.Scanner. The variable must represent the value without loss: 2.5 does not fit an
// int, 300 an int8, or 9007199254740993 a float64. Fields from CSV are strings, so Scan converts a
// string that reads as a number or a time. Other values and variables return ErrInvalid.
func (r Row) Scan(into ...any) error { return query.Scan(r, into...) }
