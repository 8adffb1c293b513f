package pairs

// A row of Pairs, and how one is made.

import (
	"cmp"

	"github.com/simdb/simdb/api"

	"github.com/simdb/simdb/internal/measure"
)

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
	metaA *api.Meta
}

func (r *rowMaker) row(a, b member, score measure.Score) (m api.PairMatch, err error) {
	r.plan.Matches++
	m = r.scored(score)
	m.CollectionA, m.A, m.CollectionB, m.B = r.views[a.side].Name, a.id, r.views[b.side].Name, b.id
	if r.Meta {
		if r.a != a || r.metaA == nil {
			r.a = a
			if r.metaA, err = r.m.Meta(m.CollectionA, a.id); err != nil {
				return m, err
			}
		}
		var metaB *api.Meta
		metaB, err = r.m.Meta(m.CollectionB, b.id)
		m.SetMeta(r.metaA, metaB)
	}
	return m, err
}

// scored is a row without its documents.
func (q *question) scored(score measure.Score) api.PairMatch {
	m := api.PairMatch{Sim: score.Sim(), Shared: score.Shared, Union: score.Union, Ignored: score.Ignored, Of: score.Of, Unit: score.Unit}
	if q.Measure.OfFingerprints() {
		m.Dist = int(score.Of - score.Shared)
	}
	return m
}
