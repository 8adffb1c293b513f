package query

// The fields of a statement: which fields its measure has, what a name means
// where it stands, and whether any document has a metadata field that is named.

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/simdb/simdb/api"
)

// scoreColumns returns the columns that a search by a measure adds. A measure
// that counts nothing has no shared and union. A row of pairs has no si: its
// two documents have one each, a.si and b.si.
func scoreColumns(m api.Measure, pairs bool) []string {
	switch m {
	case api.SimHash:
		return []string{"sim", "dist"}
	case api.SI:
		if !pairs {
			return []string{"sim", "si"}
		}
		return []string{"sim"}
	case api.Versions, api.Entities, api.Words:
		return []string{"sim"}
	}
	return []string{"sim", "shared", "union"}
}

// scoreRefs returns which field each of these columns is.
func scoreRefs(m api.Measure, pairs bool) map[string]refKind {
	out := map[string]refKind{}
	for _, name := range scoreColumns(m, pairs) {
		out[name] = foundRefs[name]
	}
	return out
}

// missingScores explains why this measure does not have the fields of other
// measures.
func missingScores(m api.Measure) map[string]string {
	out := map[string]string{"dist": "dist needs USING simhash"}
	if _, counts := scoreRefs(m, false)["shared"]; !counts {
		hint := m.String() + " has no shared and union"
		if m == api.SimHash {
			hint = "simhash counts no shingles"
		}
		out["shared"], out["union"] = hint, hint
	}
	return out
}

// field decides what an operand means. It remembers metadata fields for
// checkMeta.
func (pl *planner) field(x Operand) (ref, error) {
	if pl.groups != nil {
		return pl.groupField(x)
	}
	f, ok := x.(*Field)
	if !ok {
		if _, known := pl.scope.names["sim"]; !known {
			return ref{}, errorAt(x.Place(), "a field", quote(operandString(x)), "")
		}
		return ref{kind: refSim}, nil
	}
	if err := pl.checkCall(f.Call); err != nil {
		return ref{}, err
	}
	r, hint, ok := pl.scope.resolve(f)
	if !ok {
		if near := didYouMean(f.String(), slices.Sorted(maps.Keys(pl.scope.names))); near != "" && pl.scope.missing[strings.ToLower(f.String())] == "" {
			hint = near
		}
		return ref{}, errorAt(f.Pos, "a field of this statement", quote(f.String()), hint)
	}
	if r.kind == refMeta {
		pl.metas = append(pl.metas, f)
	}
	return r, nil
}

// checkCall checks a similarity() that stands where a field may stand: it must
// repeat the one of the WHERE.
func (pl *planner) checkCall(s *Similarity) error {
	switch {
	case s == nil:
		return nil
	case pl.call == nil:
		return errorAt(s.Pos, "a field", quote(operandString(s)), "as a field, similarity() repeats that of the WHERE")
	case operandString(s) != operandString(pl.call):
		return errorAt(s.Pos, operandString(pl.call)+" as in the WHERE", quote(operandString(s)), "")
	}
	return nil
}

// checkMeta refuses a metadata field that no searched document has, unless a collection
// has an index of it. It reads
// documents until it has seen all fields that are named; often the first
// document has them. A collection without documents refuses no field.
func (pl *planner) checkMeta(p *plan) error {
	wanted := map[string]*Field{}
	for _, f := range pl.metas {
		path := steps(f.Path[b2i(pl.pairs):]) // without the side of a pair
		if !pl.indexed(pl.searched(p), path) {
			wanted[strings.Join(path, pathSep)] = f
		}
	}
	have, documents := map[string]bool{}, false
	for _, c := range pl.searched(p) {
		if len(wanted) == 0 {
			return nil
		}
		for info, err := range pl.snap.Infos(pl.ctx, c) {
			if err != nil {
				return err
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
				return nil
			}
		}
	}
	if !documents {
		return nil
	}
	key := slices.Sorted(maps.Keys(wanted))[0]
	missing := strings.ReplaceAll(key, pathSep, ".")
	known := slices.Collect(maps.Keys(pl.scope.names))
	for key := range have {
		known = append(known, pathName(key))
	}
	slices.Sort(known)
	where := strings.Join(pl.searched(p), ", ")
	return errorAt(wanted[key].Pos, "a field of "+where, quote(missing)+", which no document has", cmp.Or(didYouMean(missing, known), quotedHint(wanted[key])))
}

// quotedHint is for a name in double quotes that nothing has.
func quotedHint(f *Field) string {
	last := f.Path[len(f.Path)-1]
	if !last.Quoted {
		return ""
	}
	return "double quotes make a name; a string stands in single quotes: " + quoteString(last.Name)
}

// maxKnown bounds the number of fields that are remembered for a suggestion.
// There may be as many as documents.
const maxKnown = 10_000

// pathSep joins the names of a path to a key.
const pathSep = "\x00"

// pathName writes a joined path as the language does.
func pathName(key string) string {
	names := strings.Split(key, pathSep)
	for i, name := range names {
		names[i] = quoteName(name)
	}
	return strings.Join(names, ".")
}
