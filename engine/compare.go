package engine

import (
	"context"

	"github.com/simdb/simdb/measure"
)

// Measures are those that Compare and Search know, in the order of Compare.
var Measures = []measure.Measure{
	measure.Jaccard, measure.ContainmentOfQuery, measure.ContainmentOfDoc,
	measure.Multiset, measure.Repetition, measure.SimHash,
}

// Compare scores two targets by every measure, a as the query and b as the
// document, read by the analysis of the first collection named (docs if none).
func (s *Snapshot) Compare(ctx context.Context, a, b Target, in []string) ([]Comparison, error) {
	leave, err := s.enter()
	if err != nil {
		return nil, err
	}
	defer leave()
	if err := s.interrupted(ctx); err != nil {
		return nil, err
	}
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
	bagA, factsA, err := s.bagIn(&ta, views[0])
	if err != nil {
		return nil, err
	}
	bagB, factsB, err := s.bagIn(&tb, views[0])
	if err != nil {
		return nil, err
	}
	var out []Comparison
	for _, m := range Measures {
		c := Comparison{Method: Method{Measure: m}}
		if m == measure.SimHash {
			if len(bagA.Set) == 0 || len(bagB.Set) == 0 {
				continue // no shingles, no fingerprint
			}
			score := measure.Hamming(factsA.SimHash, factsB.SimHash)
			c.Sim, c.Dist = score.Sim(), int(score.Of-score.Shared)
		} else {
			score := m.Score(bagA, bagB)
			c.Sim, c.Shared, c.Union = score.Sim(), score.Shared, score.Union
		}
		out = append(out, c)
	}
	return out, nil
}

// CompareBy scores two targets by the methods named, in their order.
func (s *Snapshot) CompareBy(ctx context.Context, a, b Target, in []string, methods []Method) ([]Comparison, error) {
	return nil, errNotYet
}

// Passages lists what two texts have in common: the matches of more than
// args.Min characters that measure.Patricia counts, a being the query, in the
// order of b. Both are read as measure.Patricia reads them; offsets are those of
// the texts as stored.
func (s *Snapshot) Passages(ctx context.Context, a, b Target, in []string, args measure.Args) ([]Passage, error) {
	return nil, errNotYet
}

// Sentences lists the sentences of a that have one within args.Bits in b, each
// with the nearest, in the order of a.
func (s *Snapshot) Sentences(ctx context.Context, a, b Target, in []string, args measure.Args) ([]SentencePair, error) {
	return nil, errNotYet
}

var errNotYet = invalid("not yet")
