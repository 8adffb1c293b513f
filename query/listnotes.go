package query

// Notes about lists: a test of a list as a whole is unknown, and whoever writes one most
// likely means its items.

import (
	"slices"

	"github.com/simdb/simdb/query/syntax"
)

// listNotes gathers the notes of a statement while its rows are tested.
type listNotes struct{ notes []string }

// saw notes that a test met a list.
func (n *listNotes) saw(x, with syntax.Operand, op string) {
	field, constant := x, with
	if _, ok := x.(*syntax.Field); !ok {
		field, constant = with, x
	}
	note := field.String() + " is a list in some documents, which " + op + " does not look into; did you mean " +
		field.String() + " HAS " + constant.String() + "?"
	if !slices.Contains(n.notes, note) {
		n.notes = append(n.notes, note)
	}
}

// isList reports whether a value is a list.
func isList(v any) bool {
	_, ok := v.([]any)
	return ok
}
