package search

// How much of a text another one accounts for: each of its characters counts once.

import (
	"context"
	"unicode/utf8"

	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/sketch"
	"github.com/simdb/simdb/internal/text"
)

// coverageProbe finds how much of the query other texts cover: it is the paper's C, and
// each of them the P whose sistrings are looked through. So passages do not overlap in the
// query, and the score is never above 1.
type coverageProbe struct {
	norm  []byte // the query
	chars uint64 // its length in code points
	min   int
}

func newCoverageProbe(a measure.Args, query string) (*coverageProbe, error) {
	if a.Min < 0 {
		return nil, fault.Invalid("coverage: min is %d: want a number of characters", a.Min)
	}
	norm := text.Char.Normalize(nil, query)
	return &coverageProbe{norm, uint64(utf8.RuneCount(norm)), minMatch(a)}, nil
}

func (p *coverageProbe) score(_ context.Context, doc string) (measure.Score, error) {
	matched := measure.NewSiStrings(text.Char.Normalize(nil, doc)).Matched(p.norm, p.min)
	return measure.Score{Shared: uint64(matched), Union: p.chars, Of: p.chars}, nil
}

func (p *coverageProbe) scoreSet(ctx context.Context, r *view.Reader, set uint32) (measure.Score, error) {
	doc, err := r.Text(set)
	if err != nil {
		return measure.Score{}, err
	}
	return scoreApart(ctx, r.Moment, p, len(p.norm), doc)
}

// candidates counts, for each text, the grams of the query that it has too. A passage of
// the query has grams in it that both texts chose (see sketch.MatchedBound), so they bound
// how much is covered. A gram that a text has with several neighbours is counted for each
// of them: the bound is only too great.
func (p *coverageProbe) candidates(ctx context.Context, f *Finder, from uint32) (out []uint32, err error) {
	v := f.v
	least := max(f.q.Min.Ceil(p.chars), uint64(p.min)+1) // a passage has more than min
	var grams *sketch.GramSet
	var times sketch.GramTimes
	if _, err = view.Apart(ctx, f.m.Shared, int64(len(p.norm)), func() (any, error) {
		grams, times = sketch.NewGramSet(p.norm), sketch.ChooseGrams(p.norm).Times()
		return nil, nil
	}); err != nil {
		return nil, err
	}
	counts, err := countGrams(ctx, f, from, grams, func(key uint32, _ int) uint32 { return times.Of(key) })
	if err != nil {
		return nil, err
	}
	met := 0
	for set, n := range counts {
		if n > 0 {
			met++
		}
		if n > 0 && sketch.MatchedBound(uint64(n)) >= least {
			out = append(out, uint32(set))
		}
	}
	f.plan.Filter("postings of grams", true, int64(v.Postings.Built), int64(met))
	f.plan.Filter("grams in common", true, int64(met), int64(len(out)))
	return append(v.LiveOf(out, from), v.Live(max(from, v.Postings.Built), v.Next)...), nil
}
