package plan

// Resolution of field names to values of a row.

import (
	"slices"
	"strings"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/query/syntax"
)

// Ref is a resolved field.
type Ref struct {
	col  *column // nil: metadata
	side int     // 0, or 1 for the b of a pair
	path []string
}

// ofLike reports whether a field of a duplicate belongs to the document that it resembles.
func (r Ref) ofLike() bool { return r.side == 1 || r.col != nil && r.col.scored }

// same reports whether two fields are equal.
func (r Ref) same(o Ref) bool {
	return r.col == o.col && r.side == o.side && slices.Equal(r.path, o.path)
}

// scope defines the meaning of field names in a statement.
type scope struct {
	names   columns           // built-in fields of a row
	doc     columns           // built-in fields after a. and b.; nil unless a row is a pair
	missing map[string]string // fields of other statements, each with a hint
	closed  string            // reason for having only the fields of names; "" if there is metadata
}

// resolve returns the meaning of a field. For an impossible field it returns a hint and
// false. It does not check that a metadata field exists; see checkMeta.
func (s *scope) resolve(f *syntax.Field) (r Ref, hint string, ok bool) {
	path := f.Path
	name := func(i int) string {
		if path[i].Quoted && s.closed == "" { // otherwise there is no metadata to name
			return ""
		}
		return strings.ToLower(path[i].Name)
	}
	first := name(0)
	if len(path) == 1 {
		if r, found := s.names[first]; found {
			return r, "", true
		}
		if hint, found := s.missing[first]; found {
			return Ref{}, hint, false
		}
	}
	if s.closed != "" {
		return Ref{}, s.closed, false
	}
	if s.doc == nil {
		return Ref{path: steps(path)}, "", true
	}
	side := strings.TrimSuffix(first, "_collection")
	switch {
	case side != "a" && side != "b":
		return Ref{}, "a pair has two documents: write a." + f.String() + " or b." + f.String(), false
	case side == "b":
		r.side = 1
	}
	if side != first {
		return Ref{}, "did you mean " + side + ".collection?", false
	}
	path = path[1:]
	if c, found := s.doc[name(0)]; found && len(path) == 1 {
		r.col = c.col
	} else {
		r.path = steps(path)
	}
	return r, "", true
}

// steps returns the names of a path.
func steps(path []syntax.Step) []string {
	out := make([]string, len(path))
	for i, s := range path {
		out[i] = s.Name
	}
	return out
}

// ScoreColumns returns the names of the columns that a search adds. A measure without
// counts has no shared and union. A row of pairs has no si, because each of its documents
// has one: a.si and b.si.
func ScoreColumns(q engine.Search, pairs bool) (columns []string) {
	columns = []string{colSim.Name}
	for _, name := range q.Measure.Columns() {
		if name != colFoundSI.Name || !pairs {
			columns = append(columns, name)
		}
	}
	if q.Ignoring != (api.Ignoring{}) && q.Measure.OfBags() {
		columns = append(columns, colIgnored.Name)
	}
	return columns
}

// Scores returns the columns of ScoreColumns, with their types and documentation.
func Scores(q engine.Search, pairs bool) (columns []api.Column) {
	for _, name := range ScoreColumns(q, pairs) {
		columns = append(columns, foundColumns[name].col.Column)
	}
	return columns
}

// scoreColumns returns the columns of ScoreColumns as fields.
func scoreColumns(q engine.Search, pairs bool) columns {
	out := columns{}
	for _, name := range ScoreColumns(q, pairs) {
		out[name] = foundColumns[name]
	}
	return out
}

// missingScores returns hints for the scores that other searches have and q lacks.
func missingScores(q engine.Search) map[string]string {
	out := map[string]string{"dist": "dist needs USING simhash", "weight": "weight needs USING weighted", "whole": "whole needs USING weighted",
		"ignored": "ignored needs IGNORING, and a measure of shingles"}
	if _, counts := scoreColumns(q, false)["shared"]; !counts {
		hint := q.Measure.String() + " has no shared and union"
		switch {
		case q.Measure.OfFingerprints():
			hint = "simhash counts no shingles"
		case q.Measure.Weighs():
			hint = "weighted has weight and whole in their place"
		}
		out["shared"], out["union"] = hint, hint
	}
	return out
}
