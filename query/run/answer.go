package run

// The answer of a statement.

import (
	"iter"

	"github.com/simdb/simdb/api"
)

// Answer is the running answer of a statement. It serves one goroutine; the caller must
// call a non-nil Close.
type Answer struct {
	Columns []api.Column
	All     iter.Seq2[[]any, error] // readable once; an error comes last
	Plan    *api.Plan               // for a search; complete once the rows have been read
	Notes   func() []string         // complete once the rows have been read; nil: none
	Close   func() error            // nil: nothing to close
}

// newAnswer returns an answer with known rows.
func newAnswer(columns []api.Column, rows ...[]any) *Answer {
	return &Answer{Columns: columns, All: func(yield func([]any, error) bool) {
		for _, r := range rows {
			if !yield(r, nil) {
				return
			}
		}
	}}
}

// withNotes adds known notes.
func (a *Answer) withNotes(notes []string) *Answer {
	a.Notes = func() []string { return notes }
	return a
}
