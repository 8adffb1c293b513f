package plan

// The columns of rows, such as ids, scores, clusters and relations. RETURNING, WHERE,
// ORDER BY and GROUP BY all read a column in the same way. Arrow, completion and the
// documentation read its name and type.

import (
	"fmt"

	"github.com/simdb/simdb/api"

	"github.com/simdb/simdb/query/value"
)

// column is a built-in field of rows.
type column struct {
	api.Column
	get     func(r *Record, f Ref) any // exact value
	show    func(v any) any            // formats the value for a row; nil: unchanged
	scored  bool                       // depends on the score, not on a document
	derived bool                       // computed from texts: UPDATE cannot set a field of this name unless it is quoted
}

// text, integer and number return a column of their type.
func text(name, about string, get func(*Record, Ref) any) column {
	return column{Column: api.Column{Name: name, Type: api.TextType, About: about}, get: get}
}

func integer(name, about string, get func(*Record, Ref) any) column {
	return column{Column: api.Column{Name: name, Type: api.IntegerType, About: about}, get: get}
}

func number(name, about string, get func(*Record, Ref) any) column {
	return column{Column: api.Column{Name: name, Type: api.NumberType, About: about}, get: get}
}

// Columns of a document.
var (
	colID         = text("id", "id of the document", func(r *Record, f Ref) any { return r.docs[f.side].id })
	colCollection = text("collection", "collection of the document", func(r *Record, f Ref) any { return r.docs[f.side].collection })
	colStore      = text("store", "path of the document's store, in a search over several stores", func(r *Record, _ Ref) any { return r.store })
	colText       = text("text", "text of the document", func(r *Record, f Ref) any { return r.text(&r.docs[f.side]) })
	colSize       = derived(integer("size", "length of the text in bytes", ofInfo(func(info *api.DocInfo) any { return info.TextBytes })))
	colShingles   = derived(integer("shingles", "number of distinct shingles of the text", ofInfo(func(info *api.DocInfo) any { return info.Shingles })))
	colSimHash    = derived(text("simhash", "SimHash fingerprint of the text as 64 binary digits, the highest first; NULL without shingles", ofInfo(func(info *api.DocInfo) any {
		if info.Shingles == 0 {
			return nil
		}
		return fmt.Sprintf("%064b", info.SimHash)
	})))
	colSI = derived(integer("si", "first similarity index that the collection keeps; NULL if it keeps none, or if the text is too short", ofInfo(func(info *api.DocInfo) any {
		if len(info.SI) == 0 || !info.SI[0].Valid {
			return nil
		}
		return info.SI[0].Value
	})))
	// The path of the Ref is the grouping and its collection.
	colGroupOf  = integer("group(g)", "number of the document's group in the grouping g; NULL in other collections", func(r *Record, f Ref) any { return r.grouped(f, false) })
	colKeeperOf = text("keeper(g)", "id of the keeper of this group", func(r *Record, f Ref) any { return r.grouped(f, true) })
)

// Columns of a score.
var (
	colSim     = derived(scored(number("sim", "similarity by the measure, from 0 to 1 (above 1 only by patricia); exact in comparisons", func(r *Record, _ Ref) any { return r.sim })))
	colShared  = derived(scored(integer("shared", "shared units: the numerator of sim", func(r *Record, _ Ref) any { return r.shared })))
	colUnion   = derived(scored(integer("union", "compared units: the denominator of sim", func(r *Record, _ Ref) any { return r.union })))
	colDist    = derived(scored(integer("dist", "differing bits of the fingerprints, from 0 to 64", func(r *Record, _ Ref) any { return r.dist })))
	colIgnored = scored(integer("ignored", "distinct shingles that IGNORING removed from the two texts", func(r *Record, _ Ref) any { return r.ignored }))
	colWeight  = weighed("weight", "weight of the shared shingles", func(r *Record) uint64 { return r.shared })
	colWhole   = weighed("whole", "weight of the compared shingles", func(r *Record) uint64 { return r.sim.Den })
	colFoundSI = integer("si", "similarity index of the document, as compared by the measure", func(r *Record, _ Ref) any {
		if !r.si.Valid {
			return nil
		}
		return r.si.Value
	})
)

// Columns of a cluster or a stored group.
var (
	colCluster = text("cluster", "smallest id in the cluster", func(r *Record, _ Ref) any { return r.member().name })
	colMembers = integer("size", "number of documents in the cluster or group", func(r *Record, _ Ref) any { return r.member().members })
	colGroup   = integer("group", "number of the group", func(r *Record, _ Ref) any { return r.member().number })
	colKeeper  = text("keeper", "id of the keeper of the group", func(r *Record, _ Ref) any { return r.member().name })
	colKeep    = column{Column: api.Column{Name: "keep", Type: api.BooleanType, About: "whether the document stays"},
		get: func(r *Record, _ Ref) any { return r.member().keep }}
	colFrom = integer("from", "number of the group from which this group split; NULL if there is none", func(r *Record, _ Ref) any {
		if from := r.member().from; from != 0 {
			return from
		}
		return nil
	})
)

// Columns of GROUP BY. The side of the Ref is the index of the key or aggregate.
var (
	colKey       = column{get: func(r *Record, f Ref) any { return r.own.(*group).keys[f.side] }}
	colCount     = integer("count", "number of rows in the group, by count(*)", func(r *Record, _ Ref) any { return r.own.(*group).n })
	colAggregate = column{get: func(r *Record, f Ref) any { return r.own.(*group).aggregates[f.side] }, show: value.Cell}
)

// Columns of RELATED TO.
var (
	colKind     = text("kind", "relation of the document to the target", func(r *Record, _ Ref) any { return r.own.(*relation).Kind.String() })
	colMeasure  = text("measure", "measure of the relation", func(r *Record, _ Ref) any { m := r.own.(*relation).Method; return m.Measure.Describe(m.Args) })
	colEvidence = text("evidence", "evidence of the relation: shared units, compared units, longest passage", ofEvidence(func(e *api.Evidence) any { return e.String() }))

	colEvidenceShared = integer("shared", "shared units of the evidence", ofEvidence(func(e *api.Evidence) any { return e.Shared }))
	colEvidenceOf     = integer("of", "compared units of the evidence", ofEvidence(func(e *api.Evidence) any { return e.Of }))
	colLongest        = integer("longest", "length of the longest passage, in characters, or in words by the measure quotes; NULL for other measures", ofEvidence(func(e *api.Evidence) any {
		if e.Longest == 0 {
			return nil
		}
		return e.Longest
	}))
)

// derived marks a column as computed from texts.
func derived(c column) column {
	c.derived = true
	return c
}

// scored marks a column as dependent on the score.
func scored(c column) column {
	c.scored = true
	return c
}

// weighed returns a column for a weight of the measure weighted.
func weighed(name, about string, get func(*Record) uint64) column {
	c := scored(number(name, about, func(r *Record, _ Ref) any { return value.Fraction{Num: get(r), Den: api.WeightUnit} }))
	c.show = func(v any) any { return value.Float(value.Number(v)) }
	return c
}

// ofInfo reads the description of the document on the side of the Ref.
func ofInfo(get func(*api.DocInfo) any) func(*Record, Ref) any {
	return func(r *Record, f Ref) any { return get(r.info(&r.docs[f.side])) }
}

// ofEvidence reads the evidence of a relation, which the first such field computes.
func ofEvidence(get func(*api.Evidence) any) func(*Record, Ref) any {
	return func(r *Record, _ Ref) any { return get(r.evidence()) }
}
