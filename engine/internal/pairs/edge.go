package pairs

// Compact representation of similar pairs of sets: a join may find millions.

import (
	"math"

	"github.com/simdb/simdb/internal/measure"
)

// node is a set of a collection of the search.
type node struct {
	set  uint32
	side uint16 // position among the views
}

// edge is a similar pair of sets with its exact score, in 48 bytes. A directed edge applies
// only to documents with ids in the order from, to, because containment is not symmetric. An
// edge from a set to itself is of the documents that share it.
type edge struct {
	fromSet, toSet    uint32
	fromSide, toSide  uint16
	directed          bool
	ignored           uint32
	shared, union, of uint64
}

// newEdge returns the edge of two sets. It saturates ignored at 32 bits.
func newEdge(from, to node, score measure.Score, directed bool) edge {
	return edge{
		fromSet: from.set, toSet: to.set, fromSide: from.side, toSide: to.side, directed: directed,
		ignored: uint32(min(score.Ignored, math.MaxUint32)), shared: score.Shared, union: score.Union, of: score.Of,
	}
}

// from returns the query of a directed edge.
func (x edge) from() node { return node{x.fromSet, x.fromSide} }

// to returns the document of a directed edge.
func (x edge) to() node { return node{x.toSet, x.toSide} }

// score returns the score of the edge; unit is that of all scores of the search.
func (x edge) score(unit uint64) measure.Score {
	return measure.Score{Shared: x.shared, Union: x.union, Of: x.of, Unit: unit, Ignored: uint64(x.ignored)}
}
