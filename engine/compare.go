package engine

import (
	"context"

	"github.com/simdb/simdb/measure"
)

// Measures are all there are, in the order of Compare.
var Measures = []measure.Measure{
	measure.Jaccard, measure.ContainmentOfQuery, measure.ContainmentOfDoc,
	measure.Multiset, measure.Repetition, measure.SimHash,
	measure.Patricia, measure.Versions, measure.Entities, measure.Words, measure.SI,
}

// defaultSI is compared where the collection keeps no similarity index: the one
// that paper 000 found best.
const defaultSI = "m43b k40"

// Compare scores two targets by every measure, those with arguments by their
// defaults; see CompareBy.
func (s *Snapshot) Compare(ctx context.Context, a, b Target, in []string) ([]Comparison, error) {
	return s.CompareBy(ctx, a, b, in, nil)
}

// CompareBy scores two targets by methods, in their order; none means all. a is
// the query and b the document, read by the analysis of the first collection
// named (docs if none).
func (s *Snapshot) CompareBy(ctx context.Context, a, b Target, in []string, methods []Method) ([]Comparison, error) {
	leave, err := s.enter()
	if err != nil {
		return nil, err
	}
	defer leave()
	views, err := s.viewsOf(in)
	if err != nil {
		return nil, err
	}
	ta, err := s.resolve(a, views)
	if err != nil {
		return nil, err
	}
	tb, err := s.resolve(b, views)
	if err != nil {
		return nil, err
	}
	if len(methods) == 0 {
		for _, m := range Measures {
			if (ta.bare || tb.bare) && m != measure.SimHash {
				continue
			}
			method := Method{Measure: m}
			if m == measure.SI && len(views[0].kept.si) == 0 {
				method.Args.SI = defaultSI
			}
			methods = append(methods, method)
		}
	}
	var out []Comparison
	for _, m := range methods {
		if err := s.interrupted(ctx); err != nil {
			return nil, err
		}
		c, err := s.compare(ctx, views[0], m, &ta, &tb)
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

func (s *Snapshot) compare(ctx context.Context, v *view, m Method, a, b *target) (Comparison, error) {
	c := Comparison{Method: m}
	if !m.Measure.Valid() {
		return c, invalid("unknown measure %d", m.Measure)
	}
	qa, err := s.queryIn(a, v, m.Measure)
	if err != nil {
		return c, err
	}
	qb, err := s.queryIn(b, v, m.Measure)
	if err != nil {
		return c, err
	}
	if qa.facts.Distinct == 0 || qb.facts.Distinct == 0 { // no shingles, no similarity
		c.None = true
		return c, nil
	}
	var score measure.Score
	switch {
	case m.Measure == measure.SimHash:
		score = measure.Hamming(qa.facts.SimHash, qb.facts.SimHash)
		c.Dist = int(score.Of - score.Shared)
	case m.Measure.OfTexts():
		p, err := s.textProbe(ctx, v, m, qa.text)
		if err != nil {
			return c, err
		}
		score = p.score(qb.text)
		c.None = score.Of == 0
	default:
		score = m.Measure.Score(qa.bag, qb.bag)
	}
	c.Sim, c.Shared, c.Union = score.Sim(), score.Shared, score.Union
	return c, nil
}
