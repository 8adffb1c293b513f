package search

// COMPARE: two targets under every measure.

import (
	"context"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/internal/measure"
)

// Compare scores two targets by the given methods, in that order; with none, by all that
// apply. a is the query, b the document. The analysis is that of the first collection named
// (docs if none).
func Compare(ctx context.Context, m *view.Snapshot, a, b api.Target, in []string, methods []api.Method, without api.Ignoring) ([]api.Comparison, error) {
	views, both, err := resolve(m, in, a, b)
	if err != nil {
		return nil, err
	}
	ta, tb := &both[0], &both[1]
	if len(methods) == 0 {
		for _, by := range api.Measures() {
			of := textMeasures[by]
			// Leave out measures that do not apply to both targets.
			switch {
			case !by.Compared():
				continue
			case without != (api.Ignoring{}) && (by.OfFingerprints() || by.OfTexts() && !views[0].FromText()):
				continue
			case (ta.bare || tb.bare) && !by.OfFingerprints():
				continue
			case of != nil && (!ta.hasText || !tb.hasText || of.needs != nil && of.needs(views[0]) != ""):
				continue
			}
			method := api.Method{Measure: by}
			if of != nil && of.ofView != nil {
				method.Args = of.ofView(views[0])
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

// compare scores two targets by one method.
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
	case by.Measure.OfFingerprints():
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
		exact, _, err := ExactFormula(ctx, m, v, q)
		if err != nil {
			return c, err
		}
		score = exact.Score(qa.bag, qb.bag)
		c.None = score.Union == 0
	}
	c.Sim, c.Shared, c.Union, c.Of, c.Ignored = score.Sim(), score.Shared, score.Union, score.Of, score.Ignored
	return c, nil
}
