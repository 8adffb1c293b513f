package plan

// The columns of rows, as values. RETURNING, WHERE, ORDER BY and GROUP BY read every column in one way: the id of a
// document, its score, its cluster or its relation to a target.

import (
	"fmt"

	"github.com/simdb/simdb/api"

	"github.com/simdb/simdb/query/value"
)

// A column is a built-in field of rows.
type column struct {
	get    func(r *Record, f Ref) any // the exact value
	show   func(v any) any            // formats the value for a row; nil: unchanged
	scored bool                       // depends on the score, not on a document
	number bool                       // sum, avg, min and max accept it
}

// Of a document.
var (
	colID         = column{get: func(r *Record, f Ref) any { return r.docs[f.side].id }}
	colCollection = column{get: func(r *Record, f Ref) any { return r.docs[f.side].collection }}
	colStore      = column{get: func(r *Record, _ Ref) any { return r.store }}
	colText       = column{get: func(r *Record, f Ref) any { return r.text(&r.docs[f.side]) }}
	colSize       = ofInfo(true, func(info *api.DocInfo) any { return info.TextBytes })
	colShingles   = ofInfo(true, func(info *api.DocInfo) any { return info.Shingles })
	colSimHash    = ofInfo(false, func(info *api.DocInfo) any {
		if info.Shingles == 0 {
			return nil
		}
		return fmt.Sprintf("%064b", info.SimHash)
	})
	colSI = ofInfo(true, func(info *api.DocInfo) any { // the first index that the collection keeps
		if len(info.SI) == 0 || !info.SI[0].Valid {
			return nil
		}
		return info.SI[0].Value
	})
	colGroupOf  = column{get: func(r *Record, f Ref) any { return r.grouped(f, false) }, number: true} // group(g); the path names g
	colKeeperOf = column{get: func(r *Record, f Ref) any { return r.grouped(f, true) }}                // keeper(g)
)

// Of a score.
var (
	colSim     = ofScored(func(r *Record) any { return r.sim })
	colShared  = ofScored(func(r *Record) any { return r.shared })
	colUnion   = ofScored(func(r *Record) any { return r.union })
	colIgnored = ofScored(func(r *Record) any { return r.ignored })
	colDist    = ofScored(func(r *Record) any { return r.dist })
	colWeight  = weighed(func(r *Record) uint64 { return r.shared })
	colWhole   = weighed(func(r *Record) uint64 { return r.sim.Den })
	colFoundSI = column{get: func(r *Record, _ Ref) any { return r.si }, number: true} // the index that SIMILAR TO compares
)

// Of a cluster, or a group that is kept.
var (
	colCluster = column{get: func(r *Record, _ Ref) any { return r.member().name }}
	colMembers = column{get: func(r *Record, _ Ref) any { return r.member().members }, number: true}
	colGroup   = column{get: func(r *Record, _ Ref) any { return r.member().number }}
	colKeep    = column{get: func(r *Record, _ Ref) any { return r.member().keep }}
	colFrom    = column{get: func(r *Record, _ Ref) any { // the group that one was a part of
		if from := r.member().from; from != 0 {
			return from
		}
		return nil
	}}
)

// Of GROUP BY; the side of a Ref is the position.
var (
	colKey       = column{get: func(r *Record, f Ref) any { return r.own.(*group).keys[f.side] }}
	colCount     = column{get: func(r *Record, _ Ref) any { return r.own.(*group).n }}
	colAggregate = column{get: func(r *Record, f Ref) any { return r.own.(*group).aggregates[f.side] }, show: value.Cell}
)

// Of RELATED TO.
var (
	colKind           = column{get: func(r *Record, _ Ref) any { return r.own.(*relation).Kind.String() }}
	colMeasure        = column{get: func(r *Record, _ Ref) any { m := r.own.(*relation).Method; return m.Measure.Describe(m.Args) }}
	colEvidence       = ofEvidence(func(e *api.Evidence) any { return e.String() })
	colEvidenceShared = ofEvidence(func(e *api.Evidence) any { return e.Shared })
	colEvidenceOf     = ofEvidence(func(e *api.Evidence) any { return e.Of })
	colLongest        = ofEvidence(func(e *api.Evidence) any {
		if e.Longest == 0 {
			return nil
		}
		return e.Longest
	})
)

func ofInfo(number bool, get func(*api.DocInfo) any) column {
	return column{get: func(r *Record, f Ref) any { return get(r.info(&r.docs[f.side])) }, number: number}
}

func ofScored(get func(*Record) any) column {
	return column{get: func(r *Record, _ Ref) any { return get(r) }, scored: true, number: true}
}

// weighed is a number of weights of Weighted.
func weighed(get func(*Record) uint64) column {
	return column{
		get:    func(r *Record, _ Ref) any { return value.Fraction{Num: get(r), Den: api.WeightUnit} },
		show:   func(v any) any { return value.Float(value.Number(v)) },
		scored: true, number: true,
	}
}

func ofEvidence(get func(*api.Evidence) any) column {
	return column{get: func(r *Record, _ Ref) any { return get(r.evidence()) }}
}

// columns maps names to fields in a statement.
type columns map[string]Ref

// named returns columns of the first document of a row.
func named(cols map[string]*column) columns {
	out := columns{}
	for name, c := range cols {
		out[name] = Ref{col: c}
	}
	return out
}

// with adds others, which override equal names.
func (c columns) with(others ...columns) columns {
	out := columns{}
	for _, m := range append([]columns{c}, others...) {
		for name, r := range m {
			out[name] = r
		}
	}
	return out
}

// The columns of the statements.
var (
	documentColumns = named(map[string]*column{"id": &colID, "collection": &colCollection, "size": &colSize,
		"shingles": &colShingles, "simhash": &colSimHash, "si": &colSI, "text": &colText})
	foundColumns = named(map[string]*column{"sim": &colSim, "shared": &colShared, "union": &colUnion, "weight": &colWeight, "whole": &colWhole,
		"ignored": &colIgnored, "dist": &colDist, "si": &colFoundSI})
	clusterColumns = documentColumns.with(named(map[string]*column{"cluster": &colCluster, "size": &colMembers}))
	groupColumns   = named(map[string]*column{"group": &colGroup, "size": &colMembers, "keeper": &colCluster, "from": &colFrom})
	memberColumns  = named(map[string]*column{"group": &colGroup, "keeper": &colCluster, "id": &colID, "size": &colSize,
		"shingles": &colShingles, "simhash": &colSimHash, "text": &colText})
	relatedColumns = documentColumns.with(named(map[string]*column{"kind": &colKind, "score": &colSim, "measure": &colMeasure, "evidence": &colEvidence,
		"shared": &colEvidenceShared, "of": &colEvidenceOf, "longest": &colLongest, "ignored": &colIgnored}))

	viewColumns = columns{"id": {col: &colID}, "si": {col: &colSimHash}, "similar_id": {col: &colID, side: 1}, "similar_si": {col: &colSimHash, side: 1},
		"distance": {col: &colDist}, "similarity": {col: &colSim}, "collection": {col: &colCollection}, "similar_collection": {col: &colCollection, side: 1}}
	duplicateColumns = columns{"cluster": {col: &colGroup}, "id": {col: &colID}, "keep": {col: &colKeep}, "like": {col: &colID, side: 1},
		"collection": {col: &colCollection}, "like_collection": {col: &colCollection, side: 1}}
)
