package run

// The answer of a statement.

import (
	"iter"

	"github.com/simdb/simdb/api"
)

// Answer is the running answer of a statement.
type Answer struct {
	Columns []api.Column
	All     iter.Seq2[[]any, error] // once; an error is the last
	Plan    *api.Plan               // of a search; complete when the rows have been read
	Notes   func() []string         // of a reader; complete when the rows have been read. nil: none
	Close   func() error            // nil: nothing to close
}

// fixed is the answer of a statement whose rows are known already.
func fixed(columns []api.Column, rows ...[]any) *Answer {
	return &Answer{Columns: columns, All: func(yield func([]any, error) bool) {
		for _, r := range rows {
			if !yield(r, nil) {
				return
			}
		}
	}}
}

// noted adds notes that are known already.
func (a *Answer) noted(notes []string) *Answer {
	a.Notes = func() []string { return notes }
	return a
}
