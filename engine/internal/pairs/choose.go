package pairs

// Which strategy makes a join. EXPLAIN asks the same function as the join
// (docs/decisions/0042).

import (
	"context"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/search"
	"github.com/simdb/simdb/engine/internal/segment"
)

// choose says how one of the joins is made: as the search asks, or by the cheapest
// strategy that loses no match. Fingerprints are compared in memory. By measures of bags
// collections are joined by what sets share, and texts by what the collection keeps of
// them. Where no join serves, or searches cost less, each set of one side is looked for in
// the other, as Similar would.
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
	if j, ok, err := chooseShared(ctx, q, s); ok || err != nil {
		return j, err
	}
	return eachSearch{c, pass{sides: s}}, nil
}

// chooseForTexts joins a collection with itself by what it keeps for the access.
func chooseForTexts(ctx context.Context, c chosen, s sides) (strategy, error) {
	switch {
	case wordsJoined(c.question, c.access):
		w := chooseWords(chosen{question: c.question, access: c.access}, pass{sides: s})
		return explained{w, c.why + "; "}, nil
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
