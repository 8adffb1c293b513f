package query

// The rows of a statement, and the conversion of their values.

import (
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/simdb/simdb/api"

	"github.com/simdb/simdb/query/run"
	"github.com/simdb/simdb/query/value"
)

// Rows is the result of a statement, which runs while the rows are read. simdb.Rows
// documents the contract.
type Rows struct {
	Columns []string

	answer *run.Answer
	all    iter.Seq2[[]any, error]
	cancel func()
}

var errRead = errors.New("query: the rows have already been read")

// All yields the rows, once. An error comes last; a second call yields only an error.
func (r *Rows) All() iter.Seq2[[]any, error] {
	return func(yield func([]any, error) bool) {
		all := r.all
		r.all = nil
		if all == nil {
			yield(nil, errRead)
			return
		}
		all(yield)
	}
}

// ColumnTypes returns a copy of the columns, with their types and documentation.
func (r *Rows) ColumnTypes() []api.Column { return slices.Clone(r.answer.Columns) }

// Notes returns remarks for the reader of the rows. They are complete once the rows have
// been read.
func (r *Rows) Notes() []string {
	if r.answer.Notes == nil {
		return nil
	}
	return r.answer.Notes()
}

// Plan returns the plan of a search, or nil for another statement. Its counts are complete
// once the rows have been read.
func (r *Rows) Plan() *api.Plan { return r.answer.Plan }

// Close ends the statement and releases its snapshot. A second Close does nothing.
func (r *Rows) Close() error {
	r.all = nil
	r.cancel()
	end := r.answer.Close
	if r.answer.Close = nil; end == nil {
		return nil
	}
	return end()
}

// Scan copies the values of a row into variables, one per column. simdb.Row.Scan documents
// the conversions.
func Scan(row []any, into ...any) error {
	if len(into) != len(row) {
		return fmt.Errorf("query: Scan into %d variables, the row has %d columns (%w)", len(into), len(row), api.ErrInvalid)
	}
	for i, v := range row {
		if err := value.Scan(v, into[i]); err != nil {
			return fmt.Errorf("query: column %d: %w", i+1, err)
		}
	}
	return nil
}
