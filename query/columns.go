package query

// The columns of all statements, for completion, typed formats and the
// documentation.

import (
	"slices"
	"strings"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/query/plan"
	"github.com/simdb/simdb/query/run"
)

// Kinds returns the kinds of rows of all statements, searches first.
func Kinds() []plan.Kind { return slices.Concat(plan.Kinds(), run.Kinds()) }

// Fields returns the column names of searches, sorted and without duplicates. A statement
// can use each of them as a field.
func Fields() (names []string) {
	for _, k := range plan.Kinds() {
		for _, c := range k.Columns {
			name, _, _ := strings.Cut(c.Name, "(")
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Columns describes columns by name, for rows that do not come from a statement. The type
// is AnyType if no statement has a column of the name, or if searches give it different
// types. A column of a search takes precedence over one of another statement.
func Columns(names ...string) []api.Column {
	out := make([]api.Column, len(names))
	for i, name := range names {
		if out[i] = agreedColumn(plan.Kinds(), name); out[i].Type == api.AnyType {
			out[i] = agreedColumn(run.Kinds(), name)
		}
		out[i].Name = name
	}
	return out
}

// agreedColumn returns the column called name. Its type is AnyType if the kinds of rows
// have different types for it, or if none has the column.
func agreedColumn(kinds []plan.Kind, name string) (found api.Column) {
	for _, k := range kinds {
		i := slices.IndexFunc(k.Columns, func(c api.Column) bool { return c.Name == name })
		switch {
		case i < 0:
		case found.Name == "":
			found = k.Columns[i]
		case found.Type != k.Columns[i].Type:
			return api.Column{Name: name}
		}
	}
	return found
}
