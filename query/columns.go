package query

// The columns of all statements, for completion, for formats with types and for the documentation.

import (
	"slices"
	"strings"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/query/plan"
	"github.com/simdb/simdb/query/run"
)

// Kinds returns the kinds of rows of all statements, those of searches first.
func Kinds() []plan.Kind { return slices.Concat(plan.Kinds(), run.Kinds()) }

// Fields returns the names of the columns of searches: a statement can use them as fields.
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

// Columns describes columns by their names, for rows that are no answer of a statement. The type is AnyType where no
// statement has a column of the name, or searches have columns of different types. Columns of searches precede those of
// other statements.
func Columns(names ...string) []api.Column {
	out := make([]api.Column, len(names))
	for i, name := range names {
		if out[i] = agreed(plan.Kinds(), name); out[i].Type == api.AnyType {
			out[i] = agreed(run.Kinds(), name)
		}
		out[i].Name = name
	}
	return out
}

// agreed returns the column of a name that all kinds of rows agree on.
func agreed(kinds []plan.Kind, name string) (found api.Column) {
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
