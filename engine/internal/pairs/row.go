package pairs

// A row of Pairs, and how one is made.

import (
	"cmp"

	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/internal/measure"
)

// PairMatch is one row of Pairs: A < B bytewise, or A from In and B from Against.
type PairMatch struct {
	CollectionA, A string
	CollectionB, B string
	Sim            float64
	Shared, Union  uint64
	Of, Unit       uint64 // as in Match
	Dist           int    // simhash only

	metaA, metaB *record.Meta // pointers, so that rows go on to be comparable
}

// Ratio is Sim as an exact fraction.
func (m PairMatch) Ratio() (num, den uint64) { return max(m.Unit, 1) * m.Shared, max(m.Of, 1) }

// MetaA is the metadata of A; nil if it has none, or the search does not ask.
func (m PairMatch) MetaA() record.Meta { return metaOf(m.metaA) }

// MetaB is the metadata of B.
func (m PairMatch) MetaB() record.Meta { return metaOf(m.metaB) }

func metaOf(m *record.Meta) record.Meta {
	if m == nil {
		return nil
	}
	return *m
}

// member is a document as rows name it: views are searched in one order, so
// (id, side) orders documents of several collections.
type member struct {
	id   string
	side uint16
}

func compareMembers(a, b member) int {
	return cmp.Or(cmp.Compare(a.id, b.id), cmp.Compare(a.side, b.side))
}

// rowMaker makes rows. It keeps the metadata of a, which the next rows have too.
type rowMaker struct {
	*found
	a     member
	metaA *record.Meta
}

func (r *rowMaker) row(a, b member, score measure.Score) (m PairMatch, err error) {
	r.plan.Matches++
	m = PairMatch{
		CollectionA: r.views[a.side].Name, A: a.id, CollectionB: r.views[b.side].Name, B: b.id,
		Sim: score.Sim(), Shared: score.Shared, Union: score.Union, Of: score.Of, Unit: score.Unit,
	}
	if r.Measure == measure.SimHash {
		m.Dist = int(score.Of - score.Shared)
	}
	if r.Meta {
		if r.a != a || r.metaA == nil {
			r.a = a
			if r.metaA, err = r.m.Meta(m.CollectionA, a.id); err != nil {
				return m, err
			}
		}
		m.metaA = r.metaA
		m.metaB, err = r.m.Meta(m.CollectionB, b.id)
	}
	return m, err
}
