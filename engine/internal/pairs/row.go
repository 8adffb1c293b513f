package pairs

// Rows of pairs.

import (
	"cmp"

	"github.com/simdb/simdb/api"

	"github.com/simdb/simdb/internal/measure"
)

// member is a document as rows name it. The order of the views is fixed within a search, so
// (id, side) orders documents of several collections.
type member struct {
	id   string
	side uint16
}

// compareMembers orders documents by id, then side.
func compareMembers(a, b member) int {
	return cmp.Or(cmp.Compare(a.id, b.id), cmp.Compare(a.side, b.side))
}

// rowMaker makes rows. It caches the metadata of a, which consecutive rows share.
type rowMaker struct {
	*found
	a     member
	metaA *api.Meta
}

// row returns the row of two documents.
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

// scored returns a row without documents.
func (q *question) scored(score measure.Score) api.PairMatch {
	m := api.PairMatch{Sim: score.Sim(), Shared: score.Shared, Union: score.Union, Ignored: score.Ignored, Of: score.Of, Unit: score.Unit}
	if q.Measure.OfFingerprints() {
		m.Dist = int(score.Of - score.Shared)
	}
	return m
}
