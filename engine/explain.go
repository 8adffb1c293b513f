package engine

import (
	"github.com/simdb/simdb/measure"
)

// Explain says how Similar (with a target), Pairs or Clusters (without) would
// go, without searching.
func (s *Snapshot) Explain(t *Target, q Search) (*Plan, error) {
	leave, err := s.enter()
	if err != nil {
		return nil, err
	}
	defer leave()
	views, err := s.viewsOf(q.In)
	if err != nil {
		return nil, err
	}
	if t == nil {
		e, err := s.newEdges(q)
		if err != nil {
			return nil, err
		}
		v := e.views[len(e.views)-1]
		access, why, err := v.joinAccess(e.views[0], q)
		if err != nil {
			return nil, err
		}
		if len(e.views) == 1 && q.Measure == measure.Jaccard && q.Access == AccessAuto && access == AccessSignature {
			access, why = AccessPrefix, "join of the tail"
		}
		return newPlan(q, access, why), nil
	}
	tg, err := s.resolve(*t, views)
	if err != nil {
		return nil, err
	}
	query, err := s.queryIn(&tg, views[0], q.Measure)
	if err != nil {
		return nil, err
	}
	plan, _, _, err := s.planFor(views[0], q, query)
	return plan, err
}
