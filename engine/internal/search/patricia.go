package search

// Measures on letters. Patricia, of paper 001, is the share of one text that occurs in
// another (docs/decisions/0057). Coverage counts each character of the text at most once.

import (
	"cmp"
	"context"
	"unicode/utf8"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/sketch"
	"github.com/simdb/simdb/internal/text"
)

// paperMatch is the longest match that does not count in paper 001.
const paperMatch = 15

// indexedMatch is the least Args.Min that the postings of grams support: a longer match is
// certain to contain a chosen gram.
const indexedMatch = sketch.MatchBytes - 1

// minMatch returns the longest match that does not count, in characters.
func minMatch(a api.Args) int { return cmp.Or(a.Min, paperMatch) }

// sistrings indexes a text in the form of text.Char. Its passages may start at every word,
// in any script, and after white space, the starts that the paper uses.
func sistrings(norm []byte) *measure.SiStrings {
	return measure.NewSiStringsAt(norm, text.TermStarts(norm))
}

// passagesProbe measures the common passages of a text with others. Under patricia the text
// is the paper's P and the others are C. Under coverage the text is C and each other text is
// P: passages then cannot overlap in the text, so the score never exceeds 1.
type passagesProbe struct {
	norm   []byte             // the text in normal form
	chars  uint64             // its length in code points
	own    *measure.SiStrings // of the text; nil by coverage
	min    int
	pieces map[uint32]pieces // of C, by candidate: the pieces that may match

	v       *view.View // the collection of the ignored shingles
	reading *measure.Reading
}

// ofPatricia and ofCoverage implement the measures of these names.
var ofPatricia, ofCoverage = passages(true), passages(false)

// passages returns the measure that indexes its own text (patricia) or each other text
// (coverage).
func passages(own bool) textMeasure {
	return textMeasure{
		probe: func(v *view.View, by api.Method, r *measure.Reading, doc string) (textProbe, error) {
			return newPassagesProbe(v, by, own, r, doc)
		},
		scans: func(_ *view.View, a api.Args) string {
			if minMatch(a) < indexedMatch {
				return "passages are indexed for min >= 15"
			}
			return ""
		},
	}
}

// newPassagesProbe returns a probe of doc. It indexes doc if own.
func newPassagesProbe(v *view.View, by api.Method, own bool, r *measure.Reading, doc string) (*passagesProbe, error) {
	if by.Args.Min < 0 {
		return nil, fault.Invalid("%s: min is %d: want a number of characters", by.Measure, by.Args.Min)
	}
	norm := v.Analysis.Form.Chars(doc)
	chars := utf8.RuneCount(norm)
	chars -= mask(v, r, norm, ofQuery)
	p := &passagesProbe{norm: norm, chars: uint64(chars), min: minMatch(by.Args), v: v, reading: r}
	if own {
		p.own = sistrings(norm)
	}
	return p, nil
}

// with returns the index of P, and C, where doc is the other text.
func (p *passagesProbe) with(doc string) (of *measure.SiStrings, c []byte) {
	norm := p.v.Analysis.Form.Chars(doc)
	mask(p.v, p.reading, norm, ofDoc)
	if p.own != nil {
		return p.own, norm
	}
	return sistrings(norm), p.norm
}

// matched returns the score of so many matched characters.
func (p *passagesProbe) matched(chars int) measure.Score {
	return measure.Score{Shared: uint64(chars), Union: p.chars, Of: p.chars}
}

// countsNothing reports whether the text is too short for a passage.
func (p *passagesProbe) countsNothing() bool { return utf8.RuneCount(p.norm) <= p.min }

// score counts the matched characters in all of doc.
func (p *passagesProbe) score(_ context.Context, doc string) (measure.Score, error) {
	of, c := p.with(doc)
	return p.matched(of.Matched(c, p.min)), nil
}

// scoreSet searches only the pieces that candidates has located, if it has run.
func (p *passagesProbe) scoreSet(ctx context.Context, r *view.Reader, set uint32) (measure.Score, error) {
	doc, err := r.Text(set)
	if err != nil {
		return measure.Score{}, err
	}
	where, known := p.pieces[set]
	if !known {
		return scoreApart(ctx, r.Snapshot, p, len(p.norm), doc)
	}
	return view.Apart(ctx, r.Snapshot.Shared, int64(len(p.norm)+len(doc)), func() (measure.Score, error) {
		of, c := p.with(doc)
		return p.matched(of.MatchedIn(c, where.all, p.min)), nil
	})
}

// evidence sums the passages and returns the longest.
func (p *passagesProbe) evidence(_ context.Context, doc string) (api.Evidence, error) {
	e := api.Evidence{Of: p.chars}
	of, c := p.with(doc)
	for _, x := range of.Passages(c, p.min) {
		e.Shared, e.Longest = e.Shared+uint64(x.Chars), max(e.Longest, uint64(x.Chars))
	}
	return e, nil
}

// candidates counts the grams that each text shares with the probe, then locates them in C.
// Both steps bound the matched characters from above (see package sketch). It keeps the
// located pieces for scoreSet. Under coverage a gram with several neighbours counts once for
// each, which only loosens the bound.
func (p *passagesProbe) candidates(ctx context.Context, f *Finder, from uint32) (out []uint32, err error) {
	v := f.v
	least := max(f.q.Min.Ceil(p.chars), uint64(p.min)+1) // a passage is longer than min
	type read struct {
		grams  *sketch.GramSet
		times  sketch.GramTimes
		places *sketch.GramPlaces
	}
	q, err := view.Apart(ctx, f.m.Shared, int64(len(p.norm)), func() (r read, _ error) {
		r.grams = sketch.NewGramSet(p.norm, text.TermStarts(p.norm))
		if p.own == nil {
			r.times, r.places = sketch.ChooseGrams(p.norm).Times(), sketch.NewGramPlaces(p.norm)
		}
		return r, nil
	})
	if err != nil {
		return nil, err
	}
	weigh := func(key uint32, _ int) uint32 { return q.times.Of(key) }
	runs := func(grams sketch.Grams) pieces { return q.places.Runs(grams, p.min) }
	if p.own != nil {
		weigh = func(_ uint32, count int) uint32 {
			if count == index.MaxCount {
				return 1 << 24 // the maximum of any text
			}
			return uint32(count)
		}
		runs = func(grams sketch.Grams) (where pieces) {
			for from, to := range q.grams.Runs(grams) {
				if to-from > p.min { // otherwise no passage fits
					where = append(where, [2]int32{int32(from), int32(to)})
				}
			}
			return where
		}
	}
	counts, err := countGrams(ctx, f, from, q.grams, weigh)
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
	kept, where, err := piecesWith(ctx, f.m, v, out, len(p.norm), runs, func(all pieces) bool {
		most := uint64(0) // matches do not overlap
		for _, x := range all {
			most += uint64(x[1] - x[0])
		}
		return most >= least
	})
	p.pieces = where
	f.plan.Filter("runs of grams", true, int64(len(out)), int64(len(kept)))
	return kept, err
}
