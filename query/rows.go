package query

// The rows of a statement: a stream, or one by one into variables, as database/sql does it.

import (
	"errors"
	"fmt"
	"iter"
	"strings"

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
	at     cursor
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
	if r.at.stop != nil {
		r.at.stop()
		r.at.row = nil
	}
	r.cancel()
	end := r.answer.Close
	if r.answer.Close = nil; end == nil {
		return nil
	}
	return end()
}

// cursor is where Next and Scan are in the rows.
type cursor struct {
	next func() (Row, error, bool)
	stop func()
	row  Row // nil before the first and after the last
	err  error
}

// Next goes to the next row, for Scan. It returns false at the end and after an error,
// which Err tells. It reads the same rows as All: use one of the two.
func (r *Rows) Next() bool {
	if r.at.next == nil {
		r.at.next, r.at.stop = iter.Pull2(r.All())
	}
	row, err, ok := r.at.next()
	if r.at.row, r.at.err = row, err; err != nil || !ok {
		r.at.row = nil
		return false
	}
	return true
}

// Err returns why Next has ended before the last row, if it has.
func (r *Rows) Err() error { return r.at.err }

// Scan copies the values of the row that Next went to into variables, one for each column.
//
// A variable is a pointer to a string, an integer, a float, a bool, a time.Time, a
// json.Number, a []string, a []any, a Meta or an any, to a pointer to one of these, which
// NULL makes nil, or has a method Scan(any) error as sql.Scanner. A value must be what the
// variable holds, without loss: 2.5 is no int, 300 no int8, and 9007199254740993 no
// float64. Fields that come from CSV are strings, so a string that reads as a number or a
// time is taken for one.
func (r *Rows) Scan(into ...any) error {
	if r.at.row == nil {
		return fmt.Errorf("query: Scan without a row: call Next before it (%w)", api.ErrInvalid)
	}
	if len(into) != len(r.at.row) {
		return fmt.Errorf("query: Scan into %d variables, the row has %d columns: %s (%w)", len(into), len(r.at.row), strings.Join(r.Columns, ", "), api.ErrInvalid)
	}
	for i, v := range r.at.row {
		if err := value.Scan(v, into[i]); err != nil {
			return fmt.Errorf("query: column %q: %w", r.Columns[i], err)
		}
	}
	return nil
}
