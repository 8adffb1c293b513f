package search

// COMPARE: two targets by every measure.

import (
	"context"

	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/internal/measure"
)

// Measures are all there are, in the order of Compare.
var Measures = []measure.Measure{
	measure.Jaccard, measure.ContainmentOfQuery, measure.ContainmentOfDoc,
	measure.Multiset, measure.Repetition, measure.SimHash,
	measure.Patricia, measure.Coverage, measure.Versions, measure.Entities, measure.Words, measure.SI,
}

// defaultSI is compared where the collection keeps no similarity index: the one
// that paper 000 found best.
const defaultSI = "m43b k40"

// Comparison is one row of Compare.
type Comparison struct {
	Method
	Sim    float64
	Shared uint64
	Union  uint64
	Dist   int  // simhash only
	None   bool // the measure has no value for these texts: they are too short for it
}

// Compare scores two targets by methods, in their order; none means all. a is
// the query and b the document, read by the analysis of the first collection
// named (docs if none).
func Compare(ctx context.Context, m *view.Moment, a, b Target, in []string, methods []Method) ([]Comparison, error) {
	views, both, err := resolve(m, in, a, b)
	if err != nil {
		return nil, err
	}
	ta, tb := &both[0], &both[1]
	if len(methods) == 0 {
		for _, by := range Measures {
			switch {
			case (ta.bare || tb.bare) && by != measure.SimHash:
				continue
			case by.OfTexts() && !(ta.hasText && tb.hasText), by == measure.Versions && views[0].OwnTokens():
				continue
			}
			method := Method{Measure: by}
			if by == measure.SI && len(views[0].Kept.SI) == 0 {
				method.Args.SI = defaultSI
			}
			methods = append(methods, method)
		}
	}
	var out []Comparison
	for _, method := range methods {
		if err := m.Interrupted(ctx); err != nil {
			return nil, err
		}
		c, err := compare(ctx, m, views[0], method, ta, tb)
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

func compare(ctx context.Context, m *view.Moment, v *view.View, by Method, a, b *target) (Comparison, error) {
	c := Comparison{Method: by}
	if err := by.Check(); err != nil {
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
	if qa.facts.Distinct == 0 || qb.facts.Distinct == 0 { // no shingles, no similarity
		c.None = true
		return c, nil
	}
	var score measure.Score
	switch {
	case by.Measure == measure.SimHash:
		score = measure.Hamming(qa.facts.SimHash, qb.facts.SimHash)
		c.Dist = int(score.Of - score.Shared)
	case by.Measure.OfTexts():
		p, err := newTextProbe(ctx, m, v, by, qa.text)
		if err != nil {
			return c, err
		}
		if score, err = scoreApart(ctx, m, p, len(qa.text), qb.text); err != nil {
			return c, err
		}
		c.None = score.Of == 0
	default:
		score = by.Formula().Score(qa.bag, qb.bag)
	}
	c.Sim, c.Shared, c.Union = score.Sim(), score.Shared, score.Union
	return c, nil
}
