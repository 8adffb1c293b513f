package pairs

// Choice of the strategy for a join. EXPLAIN calls the same function as the join
// (docs/decisions/0042).

import (
	"context"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/search"
	"github.com/simdb/simdb/engine/internal/segment"
)

// choose returns the strategy for a join: the access that the search names, or the cheapest
// strategy that loses no match.
//
//   - Fingerprints are compared in memory.
//   - Measures of bags join collections by shared members.
//   - Measures of texts join by the features that the collection keeps.
//
// Where no join applies, or searches cost less, each set of one side is searched for in the
// other, as Similar would.
func choose(ctx context.Context, q *question, s sides) (_ strategy, err error) {
	defer segment.CatchUnreadable(&err)()
	if w, ok, err := chooseFew(ctx, q, s); ok || err != nil {
		return w, err
	}
	if q.Measure.OfFingerprints() {
		return chooseNear(q, s)
	}
	c := chosen{question: q}
	if c.access, c.why, err = search.Choose(q.views[s.to], q.Search); err != nil {
		return nil, err
	}
	if q.Measure.OfTexts() {
		return chooseForTexts(ctx, c, s)
	}
	if j, ok := chooseWeighted(q, s); ok {
		return j, nil
	}
	if j, ok, err := chooseShared(ctx, q, s); ok || err != nil {
		return j, err
	}
	return eachSearch{c, pass{sides: s}}, nil
}

// chooseForTexts joins a collection with itself by the features that serve the access, if
// possible.
func chooseForTexts(ctx context.Context, c chosen, s sides) (strategy, error) {
	switch {
	case wordsJoined(c.question, c.access):
		w := chooseWords(chosen{question: c.question, access: c.access}, pass{sides: s})
		return withReason{w, c.why + "; "}, nil
	case s.self() && c.access == api.AccessRange:
		return chooseValues(ctx, c, s)
	case s.self() && c.access == api.AccessChunks:
		if j, ok, err := chooseChunks(c, s); ok || err != nil {
			return j, err
		}
	}
	e := eachSearch{c, pass{sides: s}}
	why, err := e.sampled(ctx)
	e.why += "; " + why
	return e, err
}
