package search

// How much of a text another one accounts for: each of its characters counts once.

import (
	"bytes"
	"context"
	"maps"
	"slices"
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

	pieces map[uint32]pieces // of the query, where candidates can match
}

func newCoverageProbe(a measure.Args, query string) (*coverageProbe, error) {
	if a.Min < 0 {
		return nil, fault.Invalid("coverage: min is %d: want a number of characters", a.Min)
	}
	norm := text.Char.Normalize(nil, query)
	return &coverageProbe{norm: norm, chars: uint64(utf8.RuneCount(norm)), min: minMatch(a)}, nil
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
	where, known := p.pieces[set]
	if !known {
		return scoreApart(ctx, r.Moment, p, len(p.norm), doc)
	}
	return view.Apart(ctx, r.Moment.Shared, int64(len(p.norm)+len(doc)), func() (measure.Score, error) {
		matched := measure.NewSiStrings(text.Char.Normalize(nil, doc)).MatchedIn(p.norm, where.all, p.min)
		return measure.Score{Shared: uint64(matched), Union: p.chars, Of: p.chars}, nil
	})
}

// candidates counts, for each text, the grams of the query that it has too, then looks where
// they stand in the query: in both ways it bounds how much is covered (see package sketch). It
// keeps where passages can be, for scoreSet. A gram that a text has with several neighbours is
// counted for each of them: the bound is only too great.
func (p *coverageProbe) candidates(ctx context.Context, f *Finder, from uint32) (out []uint32, err error) {
	v := f.v
	least := max(f.q.Min.Ceil(p.chars), uint64(p.min)+1) // a passage has more than min
	type read struct {
		grams  *sketch.GramSet
		times  sketch.GramTimes
		places *sketch.GramPlaces
	}
	q, err := view.Apart(ctx, f.m.Shared, int64(len(p.norm)), func() (read, error) {
		return read{sketch.NewGramSet(p.norm), sketch.ChooseGrams(p.norm).Times(), sketch.NewGramPlaces(p.norm)}, nil
	})
	if err != nil {
		return nil, err
	}
	counts, err := countGrams(ctx, f, from, q.grams, func(key uint32, _ int) uint32 { return q.times.Of(key) })
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
	out = append(v.LiveOf(out, from), v.Live(max(from, v.Postings.Built), v.Table.Len())...)
	p.pieces, err = piecesWith(ctx, f.m, v, out, q.places, len(p.norm), p.min, func(all pieces) bool {
		most := uint64(0)
		for _, x := range all {
			most += uint64(x[1] - x[0])
		}
		return most >= least
	})
	if err != nil {
		return nil, err
	}
	kept := slices.Sorted(maps.Keys(p.pieces))
	f.plan.Filter("runs of grams", true, int64(len(out)), int64(len(kept)))
	return kept, nil
}

// piecesWith returns for each of the sets where in a text of so many bytes its passages of
// more than min characters can be. It leaves out the sets whose pieces are not enough.
func piecesWith(ctx context.Context, m *view.Moment, v *view.View, sets []uint32, places *sketch.GramPlaces, size, min int, enough func(pieces) bool) (map[uint32]pieces, error) {
	kept := map[uint32]pieces{}
	err := view.EachSet(ctx, m, v, sets, func(r *view.Reader, set uint32) (pieces, error) {
		grams, err := r.Grams(set)
		if err != nil {
			return nil, err
		}
		if size+len(grams) >= view.LongText {
			grams = bytes.Clone(grams) // the reader's memory has an end
		}
		return view.Apart(ctx, m.Shared, int64(size+len(grams)), func() (pieces, error) {
			if where := pieces(places.Runs(grams, min)); enough(where) {
				return where, nil
			}
			return nil, nil
		})
	}, func(set uint32, where pieces) error {
		if where != nil {
			kept[set] = where
		}
		return nil
	})
	return kept, err
}
