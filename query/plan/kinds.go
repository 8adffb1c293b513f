package plan

// The kinds of rows: the columns of each statement, under the names that the statement
// gives them.

import (
	"slices"

	"github.com/simdb/simdb/api"
)

// Kind is a kind of rows.
type Kind struct {
	Rows    string // statements with such rows, for display
	Columns []api.Column
}

// named is a column under its name in a statement.
type named struct {
	name  string
	ref   Ref
	about string // "": that of the column
}

// under returns columns of the first document of a row, under their own names.
func under(cols ...*column) (out []named) {
	for _, c := range cols {
		out = append(out, named{name: c.Name, ref: Ref{col: c}})
	}
	return out
}

// The columns of the statements.
var (
	ofDocument = under(&colID, &colCollection, &colSize, &colShingles, &colSimHash, &colSI, &colText)
	ofScores   = under(&colSim, &colShared, &colUnion, &colWeight, &colWhole, &colIgnored, &colDist)
	ofFound    = append(under(&colFoundSI), ofScores...)
	ofPair     = []named{
		{"a", Ref{col: &colID}, "id of the first document; a.x is its field x"},
		{"b", Ref{col: &colID, side: 1}, "id of the second document; b.x is its field x"},
		{"a_collection", Ref{col: &colCollection}, "collection of the first document"},
		{"b_collection", Ref{col: &colCollection, side: 1}, "collection of the second document"},
	}
	ofCluster = under(&colCluster, &colMembers)
	ofGroup   = under(&colGroup, &colMembers, &colKeeper, &colFrom)
	ofMember  = under(&colGroup, &colKeeper, &colID, &colSize, &colShingles, &colSimHash, &colText)
	ofRelated = append([]named{{"score", Ref{col: &colSim}, "score by the measure of the kind, from 0 to 1 (above 1 only by patricia)"}},
		under(&colKind, &colMeasure, &colEvidence, &colEvidenceShared, &colEvidenceOf, &colLongest, &colIgnored)...)
	ofView = []named{
		{"id", Ref{col: &colID}, ""},
		{"si", Ref{col: &colSimHash}, ""},
		{"similar_id", Ref{col: &colID, side: 1}, "id of the similar document"},
		{"similar_si", Ref{col: &colSimHash, side: 1}, "fingerprint of the similar document"},
		{"distance", Ref{col: &colDist}, ""},
		{"similarity", Ref{col: &colSim}, "similarity of the fingerprints, from 0 to 1"},
		{"collection", Ref{col: &colCollection}, ""},
		{"similar_collection", Ref{col: &colCollection, side: 1}, "collection of the similar document"},
	}
	ofDuplicate = []named{
		{"cluster", Ref{col: &colGroup}, "number of the cluster, from 1"},
		{"id", Ref{col: &colID}, ""},
		{"keep", Ref{col: &colKeep}, ""},
		{"like", Ref{col: &colID, side: 1}, "id of the similar document that stays"},
		{"collection", Ref{col: &colCollection}, ""},
		{"like_collection", Ref{col: &colCollection, side: 1}, "collection of the similar document that stays"},
	}
)

// Kinds returns the kinds of rows of searches. A statement can use the names of their
// columns as fields.
func Kinds() []Kind {
	kind := func(rows string, columns ...[]named) Kind {
		k := Kind{Rows: rows}
		for _, n := range slices.Concat(columns...) {
			k.Columns = append(k.Columns, n.column())
		}
		return k
	}
	return []Kind{
		kind("SELECT FROM a collection, SIMILAR TO, CLUSTERS and RELATED TO", ofDocument, under(&colGroupOf, &colKeeperOf)),
		kind("SIMILAR TO, and SELECT with similarity(): further columns", ofFound, under(&colStore)),
		kind("SIMILAR PAIRS", ofPair, ofScores),
		kind("CLUSTERS: further columns", ofCluster),
		kind("SELECT DUPLICATES, with the columns of the measure", ofDuplicate),
		kind("GROUPS", ofGroup),
		kind("GROUP, with the columns of the measure", ofMember),
		kind("RELATED TO: further columns", ofRelated),
		kind("SELECT FROM si_view", ofView),
		kind("GROUP BY", under(&colCount)),
	}
}

// column returns the column under its name in the statement.
func (n named) column() api.Column {
	c := n.ref.col.Column
	c.Name = n.name
	if n.about != "" {
		c.About = n.about
	}
	return c
}

// columns maps names to fields in a statement.
type columns map[string]Ref

// columnsOf maps lists of columns by name. A later list overrides an earlier one.
func columnsOf(lists ...[]named) columns {
	out := columns{}
	for _, n := range slices.Concat(lists...) {
		out[n.name] = n.ref
	}
	return out
}

// with adds columns, which override equal names.
func (c columns) with(others ...columns) columns {
	out := columns{}
	for _, m := range append([]columns{c}, others...) {
		for name, r := range m {
			out[name] = r
		}
	}
	return out
}

// derivedScores are scores whose bare names never mean metadata fields in any statement.
var derivedScores = []*column{&colSim, &colShared, &colUnion, &colDist}

var (
	documentColumns  = columnsOf(ofDocument)
	foundColumns     = columnsOf(ofFound)
	pairColumns      = columnsOf(ofPair)
	clusterColumns   = columnsOf(ofDocument, ofCluster)
	groupColumns     = columnsOf(ofGroup)
	memberColumns    = columnsOf(ofMember)
	relatedColumns   = columnsOf(ofDocument, ofRelated)
	viewColumns      = columnsOf(ofView)
	duplicateColumns = columnsOf(ofDuplicate)
)

// NamesOf returns the names of columns.
func NamesOf(columns []api.Column) []string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.Name
	}
	return names
}
