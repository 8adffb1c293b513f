package plan

// The fields of a statement: the meaning of each name in its place, and the check that a
// named metadata field exists.

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/simdb/simdb/query/syntax"
)

// field resolves an operand. It records metadata fields for checkMeta.
func (pl *Planner) field(x syntax.Operand) Ref {
	if pl.ended() {
		return Ref{}
	}
	if pl.groups != nil {
		return pl.groupField(x)
	}
	f, ok := x.(*syntax.Field)
	if !ok {
		if _, known := pl.scope.names["sim"]; !known {
			pl.fail(ErrorAt(x.Place(), "a field", syntax.Quote(x.String()), ""))
		}
		pl.read |= ofScore
		return Ref{col: &colSim}
	}
	if f.Group != nil {
		return pl.groupCall(f)
	}
	if f.Call != nil {
		pl.checkCall(f.Call)
	}
	r, hint, ok := pl.scope.resolve(f)
	if !ok {
		if near := syntax.DidYouMean(f.String(), slices.Sorted(maps.Keys(pl.scope.names))); near != "" && pl.scope.missing[strings.ToLower(f.String())] == "" {
			hint = near
		}
		pl.fail(ErrorAt(f.Pos, "a field of this statement", syntax.Quote(f.String()), hint))
	} else if r.col == nil {
		pl.metas = append(pl.metas, f)
	}
	pl.read |= r.reads()
	return r
}

// checkCall checks a similarity() in the place of a field: it must equal the call in the
// WHERE.
func (pl *Planner) checkCall(s *syntax.Similarity) {
	if pl.call == nil {
		pl.fail(ErrorAt(s.Pos, "a field", syntax.Quote(s.String()), "as a field, similarity() repeats that of the WHERE"))
	} else if s.String() != pl.call.String() {
		pl.fail(ErrorAt(s.Pos, pl.call.String()+" as in the WHERE", syntax.Quote(s.String()), ""))
	}
}

// checkMeta rejects a metadata field that no searched document has, unless a collection has
// an index of it. It reads documents until it has found all named fields; often the first
// document has them. A collection without documents rejects no field.
func (pl *Planner) checkMeta(p *Plan) {
	wanted := map[string]*syntax.Field{}
	for _, f := range pl.metas {
		path := steps(f.Path)
		if pl.pairs {
			path = path[1:] // without the side
		}
		if !pl.indexed(pl.searched(p), path) {
			wanted[strings.Join(path, pathSep)] = f
		}
	}
	have, documents := map[string]bool{}, false
	for _, c := range pl.searched(p) {
		if len(wanted) == 0 || pl.err != nil {
			return
		}
		for info, err := range pl.all.Infos(pl.ctx, c) {
			if err != nil {
				pl.fail(err)
				return
			}
			documents = true
			eachPath(info.Meta, nil, func(path []string) {
				key := strings.Join(path, pathSep)
				if len(have) < maxKnown {
					have[key] = true
				}
				delete(wanted, key)
			})
			if len(wanted) == 0 {
				return
			}
		}
	}
	// A collection without documents has no fields yet, so nothing can be misspelt.
	if !documents {
		return
	}
	// One error names one field: the first by name, so that the message is deterministic.
	key := slices.Sorted(maps.Keys(wanted))[0]
	missing := strings.ReplaceAll(key, pathSep, ".")
	known := slices.Collect(maps.Keys(pl.scope.names))
	for key := range have {
		known = append(known, pathName(key))
	}
	slices.Sort(known)
	where := strings.Join(pl.searched(p), ", ")
	pl.fail(ErrorAt(wanted[key].Pos, "a field of "+where, syntax.Quote(missing)+", which no document has", cmp.Or(syntax.DidYouMean(missing, known), quotedHint(wanted[key]))))
}

// quotedHint returns the hint for a quoted name that no document has.
func quotedHint(f *syntax.Field) string {
	last := f.Path[len(f.Path)-1]
	if !last.Quoted {
		return ""
	}
	return "double quotes make a name; a string stands in single quotes: " + syntax.QuoteString(last.Name)
}

// maxKnown bounds the fields that checkMeta keeps for a suggestion. There may be as many as
// documents.
const maxKnown = 10_000

// pathSep joins the names of a path to a key.
const pathSep = "\x00"

// pathName formats a joined path as in the language.
func pathName(key string) string {
	names := strings.Split(key, pathSep)
	for i, name := range names {
		names[i] = syntax.QuoteName(name)
	}
	return strings.Join(names, ".")
}
