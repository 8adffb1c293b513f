package plan

// What the names of fields mean: each is a value of a row.

import (
	"strings"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/query/syntax"
)

// refKind says which value of a row a field means.
type refKind uint8

const (
	refMeta refKind = iota
	refID
	refCollection
	refStore
	refSize // bytes of the text
	refShingles
	refSimHash
	refText
	refSim
	refShared
	refUnion
	refWeight
	refWhole
	refIgnored
	refDist
	refCluster
	refMembers // of a cluster
	refSI      // the first index that the collection keeps
	refFoundSI // the index that SIMILAR TO compares by si
	refGroup   // number of a group of duplicates
	refKeep
	refKey       // the value of a group, side says which
	refCount     // of rows in a group
	refAggregate // of rows in a group, side says which
	refKindOf    // of a relation
	refMeasure
	refEvidence
	refEvidenceShared
	refEvidenceOf
	refLongest
	refFrom     // the group that one was a part of
	refGroupOf  // group(g), the path says which
	refKeeperOf // keeper(g)

	// These are only names of fields. resolve turns each into one of those
	// above, for the other side.
	refOtherID
	refOtherHash
	refOtherCollection
)

// ref returns the field that a name means.
func (k refKind) ref() Ref {
	switch k {
	case refOtherID:
		return Ref{kind: refID, side: 1}
	case refOtherHash:
		return Ref{kind: refSimHash, side: 1}
	case refOtherCollection:
		return Ref{kind: refCollection, side: 1}
	}
	return Ref{kind: k}
}

// Ref is a field whose meaning has been decided.
type Ref struct {
	kind refKind
	side int      // 0, or 1 for the b of a pair
	path []string // refMeta only
}

var (
	documentRefs = map[string]refKind{"id": refID, "collection": refCollection, "size": refSize,
		"shingles": refShingles, "simhash": refSimHash, "si": refSI, "text": refText}
	foundRefs   = map[string]refKind{"sim": refSim, "shared": refShared, "union": refUnion, "weight": refWeight, "whole": refWhole, "ignored": refIgnored, "dist": refDist, "si": refFoundSI}
	clusterRefs = map[string]refKind{"cluster": refCluster, "size": refMembers, "id": refID,
		"collection": refCollection, "shingles": refShingles, "simhash": refSimHash, "si": refSI, "text": refText}
	viewRefs = map[string]refKind{"id": refID, "si": refSimHash, "similar_id": refOtherID, "similar_si": refOtherHash,
		"distance": refDist, "similarity": refSim, "collection": refCollection, "similar_collection": refOtherCollection}
)

// duplicateRefs are the fields of DUPLICATES besides the scores.
var duplicateRefs = map[string]refKind{"cluster": refGroup, "id": refID, "keep": refKeep, "like": refOtherID,
	"collection": refCollection, "like_collection": refOtherCollection}

// ofLike says whether a field of a duplicate tells of the document that it is similar to.
func (r Ref) ofLike() bool {
	switch r.kind {
	case refSim, refShared, refUnion, refWeight, refWhole, refIgnored, refDist:
		return true
	}
	return r.side == 1
}

// scope says what fields mean in a statement.
type scope struct {
	names   map[string]refKind // built-in fields of a row
	doc     map[string]refKind // built-in fields behind a. and b.; nil if a row is no pair
	missing map[string]string  // fields that exist elsewhere, and a hint for each
	closed  string             // why there are no fields but names; "" where there is metadata
}

func mergeRefs(maps ...map[string]refKind) map[string]refKind {
	out := map[string]refKind{}
	for _, m := range maps {
		for name, k := range m {
			out[name] = k
		}
	}
	return out
}

// resolve finds what a field means. For a field that cannot exist it reports
// false and gives a hint. It does not know which metadata fields exist.
func (s *scope) resolve(f *syntax.Field) (r Ref, hint string, ok bool) {
	path := f.Path
	name := func(i int) string {
		if path[i].Quoted && s.closed == "" { // else there is no metadata that it could name
			return ""
		}
		return strings.ToLower(path[i].Name)
	}
	first := name(0)
	if len(path) == 1 {
		if k, found := s.names[first]; found {
			return k.ref(), "", true
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
	switch {
	case side != first && len(path) == 1:
		r.kind = refCollection
	case side != first:
		return Ref{}, "did you mean " + side + ".collection?", false
	case len(path) == 1:
		r.kind = refID
	default:
		path = path[1:]
		if k, found := s.doc[name(0)]; found && len(path) == 1 {
			r.kind = k
		} else {
			r.path = steps(path)
		}
	}
	return r, "", true
}

func steps(path []syntax.Step) []string {
	out := make([]string, len(path))
	for i, s := range path {
		out[i] = s.Name
	}
	return out
}

// ScoreColumns returns the columns that a search adds. A measure
// that counts nothing has no shared and union. A row of pairs has no si: its
// two documents have one each, a.si and b.si.
func ScoreColumns(q engine.Search, pairs bool) (columns []string) {
	columns = []string{"sim"}
	for _, name := range q.Measure.Columns() {
		if name != "si" || !pairs {
			columns = append(columns, name)
		}
	}
	if q.Ignoring != (api.Ignoring{}) && q.Measure.OfBags() {
		columns = append(columns, "ignored")
	}
	return columns
}

// scoreRefs returns which field each of these columns is.
func scoreRefs(q engine.Search, pairs bool) map[string]refKind {
	out := map[string]refKind{}
	for _, name := range ScoreColumns(q, pairs) {
		out[name] = foundRefs[name]
	}
	return out
}

// missingScores explains why this search does not have the fields of others.
func missingScores(q engine.Search) map[string]string {
	out := map[string]string{"dist": "dist needs USING simhash", "weight": "weight needs USING weighted", "whole": "whole needs USING weighted",
		"ignored": "ignored needs IGNORING, and a measure of shingles"}
	if _, counts := scoreRefs(q, false)["shared"]; !counts {
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
