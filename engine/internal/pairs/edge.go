package pairs

// Similar pairs of sets, as small as they can be: a join may find millions.

import (
	"math"
	"math/bits"

	"github.com/simdb/simdb/internal/measure"
)

// node is a set of one of the collections of a search.
type node struct {
	set  uint32
	side uint16 // position among the views
}

// edge is a similar pair of sets, in 28 bytes: a join may find millions. A
// directed edge counts only for documents whose ids come in the order from, to:
// containment is not symmetric. Texts are too short for sums above 2³².
type edge struct {
	fromSet, toSet    uint32
	fromSide, toSide  uint16
	directed          bool
	shared, union, of uint32
}

func newEdge(from, to node, score measure.Score, directed bool) edge {
	score = fitting(score)
	return edge{
		fromSet: from.set, toSet: to.set, fromSide: from.side, toSide: to.side, directed: directed,
		shared: uint32(score.Shared), union: uint32(score.Union), of: uint32(score.Of),
	}
}

// fitting rounds a score down to what an edge holds. Only similarity indexes have
// greater numbers, and tversky with finely divided weights on texts of megabytes.
func fitting(s measure.Score) measure.Score {
	if s.Of <= math.MaxUint32 {
		return s
	}
	hi, lo := bits.Mul64(min(s.Shared, s.Of), math.MaxUint32)
	shared, _ := bits.Div64(hi, lo, s.Of)
	return measure.Score{Shared: shared, Union: min(s.Union, math.MaxUint32), Of: math.MaxUint32, Unit: s.Unit}
}

func (x edge) from() node { return node{x.fromSet, x.fromSide} }
func (x edge) to() node   { return node{x.toSet, x.toSide} }

// score returns what newEdge was given; unit is that of all scores of the search.
func (x edge) score(unit uint64) measure.Score {
	return measure.Score{Shared: uint64(x.shared), Union: uint64(x.union), Of: uint64(x.of), Unit: unit}
}
