package query

// The rows of a statement, and their values as variables.

import (
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/simdb/simdb/api"

	"github.com/simdb/simdb/query/run"
	"github.com/simdb/simdb/query/value"
)

// Row holds one value per column: string, int64, uint64, float64, bool, nil,
// json.Number, or a list or an object of metadata.
type Row []any

// Rows is the running answer of a statement. Range over All once, then call
// Close.
type Rows struct {
	Columns []string

	answer *run.Answer
	all    iter.Seq2[Row, error]
	cancel func()
}

var errRead = errors.New("query: rows were read already")

// All yields the rows. If there is an error, it is yielded last. All can be
// ranged over once.
func (r *Rows) All() iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		all := r.all
		r.all = nil
		if all == nil {
			yield(nil, errRead)
			return
		}
		all(yield)
	}
}

// ColumnTypes returns the columns with their types and documentation.
func (r *Rows) ColumnTypes() []api.Column { return slices.Clone(r.answer.Columns) }

// Notes returns what a reader of the rows should know, such as a threshold that
// was assumed. The notes are complete when the rows have been read.
func (r *Rows) Notes() []string {
	if r.answer.Notes == nil {
		return nil
	}
	return r.answer.Notes()
}

// Plan returns how a search went. It has the counts once the rows have been
// read. It is nil for a statement that searches nothing.
func (r *Rows) Plan() *api.Plan { return r.answer.Plan }

// Close frees what the rows hold. Rows that were not read are dropped. Closing
// again does nothing.
func (r *Rows) Close() error {
	r.all = nil
	r.cancel()
	end := r.answer.Close
	if r.answer.Close = nil; end == nil {
		return nil
	}
	return end()
}

// Scan copies the values of a row into variables, one for each column, as database/sql does.
//
// A variable is a pointer to a string, an integer, a float, a bool, a time.Time, a
// json.Number, a []string, a []any, a Meta or an any, to a pointer to one of these, which
// NULL makes nil, or has a method Scan(any) error as sql.Scanner. A value must be what the
// variable holds, without loss: 2.5 is no int, 300 no int8, and 9007199254740993 no
// float64. Fields that come from CSV are strings, so a string that reads as a number or a
// time is taken for one.
func (r Row) Scan(into ...any) error {
	if len(into) != len(r) {
		return fmt.Errorf("query: Scan into %d variables, the row has %d columns (%w)", len(into), len(r), api.ErrInvalid)
	}
	for i, v := range r {
		if err := value.Scan(v, into[i]); err != nil {
			return fmt.Errorf("query: column %d: %w", i+1, err)
		}
	}
	return nil
}
