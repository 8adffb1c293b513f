package search

// COMPARE: two targets by every measure.

import (
	"context"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/internal/measure"
)

// Measures are all there are, in the order of Compare.
var Measures = []api.Measure{
	api.Jaccard, api.ContainmentOfQuery, api.ContainmentOfDoc,
	api.Multiset, api.Repetition, api.SimHash,
	api.Patricia, api.Coverage, api.Versions, api.Entities, api.Words, api.SI,
}

// defaultSI is compared where the collection keeps no similarity index: the one
// that paper 000 found best.
const defaultSI = "m43b k40"

// Compare scores two targets by methods, in their order; none means all. a is
// the query and b the document, read by the analysis of the first collection
// named (docs if none).
func Compare(ctx context.Context, m *view.Snapshot, a, b api.Target, in []string, methods []api.Method, without api.Ignoring) ([]api.Comparison, error) {
	views, both, err := resolve(m, in, a, b)
	if err != nil {
		return nil, err
	}
	ta, tb := &both[0], &both[1]
	if len(methods) == 0 {
		for _, by := range Measures {
			switch {
			case without != (api.Ignoring{}) && (by == api.SimHash || by.OfTexts() && !views[0].FromText()):
				continue
			case (ta.bare || tb.bare) && by != api.SimHash:
				continue
			case by.OfTexts() && !(ta.hasText && tb.hasText), by == api.Versions && !views[0].FromText():
				continue
			}
			method := api.Method{Measure: by}
			if by == api.SI && len(views[0].Kept.SI) == 0 {
				method.Args.SI = defaultSI
			}
			methods = append(methods, method)
		}
	}
	var out []api.Comparison
	for _, method := range methods {
		if err := m.Interrupted(ctx); err != nil {
			return nil, err
		}
		c, err := compare(ctx, m, views[0], Search{Measure: method.Measure, Args: method.Args, Ignoring: without}, ta, tb)
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

func compare(ctx context.Context, m *view.Snapshot, v *view.View, q Search, a, b *target) (api.Comparison, error) {
	by := q.Method()
	c := api.Comparison{Method: by}
	if err := q.Check(); err != nil {
		return c, err
	}
	qa, err := a.probeFor(ctx, m, v, by)
	if err != nil {
		return c, err
	}
	qb, err := b.probeFor(ctx, m, v, by)
	if err != nil {
		return c, err
	}
	var score measure.Score
	switch {
	case by.Measure == api.SimHash:
		score = measure.Hamming(qa.facts.SimHash, qb.facts.SimHash)
		c.Dist = int(score.Of - score.Shared)
	case by.Measure.OfTexts():
		p, err := newTextProbe(ctx, m, v, q, qa.text)
		if err != nil {
			return c, err
		}
		if score, err = scoreApart(ctx, m, p, len(qa.text), qb.text); err != nil {
			return c, err
		}
		c.None = score.Of == 0
	default:
		exact, _, err := exactly(ctx, m, v, q)
		if err != nil {
			return c, err
		}
		score = exact.Score(qa.bag, qb.bag)
		c.None = score.Union == 0
	}
	c.Sim, c.Shared, c.Union, c.Of, c.Ignored = score.Sim(), score.Shared, score.Union, score.Of, score.Ignored
	return c, nil
}
