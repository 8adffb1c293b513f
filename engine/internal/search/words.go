package search

// The measure of paper 004 for word frequencies, with a bound from postings.

import (
	"context"
	"math"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/segment"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/text"
)

// wordsProbe compares word frequencies (paper 004).
type wordsProbe struct {
	terms  measure.Vector
	form   text.Form
	weight func(hash uint64) uint64 // nil: every word has weight 1
}

// ofWords implements the measure words.
var ofWords = textMeasure{
	shared: func(ctx context.Context, m *view.Snapshot, v *view.View, by api.Method, doc string) (textProbe, error) {
		return newWordsProbe(ctx, m, v, by.Args, doc)
	},
	counts: func(v *view.View, _ api.Method, doc string) (bool, error) {
		return len(measure.WordsOf(doc, v.Analysis.Form)) > 0, nil
	},
}

// ByWords reports whether a search compares vectors of words, which a join holds in memory.
func ByWords(q Search) bool { return textMeasures[q.Measure] == &ofWords }

// newWordsProbe returns a probe of doc, with the idf weights of v if a.IDF.
func newWordsProbe(ctx context.Context, m *view.Snapshot, v *view.View, a api.Args, doc string) (*wordsProbe, error) {
	terms, err := view.Apart(ctx, m.Shared, int64(len(doc)), func() (measure.Vector, error) { return measure.WordsOf(doc, v.Analysis.Form), nil })
	if err != nil {
		return nil, err
	}
	p := &wordsProbe{terms: terms, form: v.Analysis.Form}
	if a.IDF {
		f, err := m.Frequencies(ctx, v)
		if err != nil {
			return nil, err
		}
		p.weight = f.Weight
	}
	return p, nil
}

// countsNothing reports whether the text has no words.
func (p *wordsProbe) countsNothing() bool { return len(p.terms) == 0 }

// score counts the words of doc.
func (p *wordsProbe) score(_ context.Context, doc string) (measure.Score, error) {
	return p.compare(measure.WordsOf(doc, p.form)), nil
}

// compare returns the cosine of the probe with another vector.
func (p *wordsProbe) compare(terms measure.Vector) measure.Score {
	if len(p.terms) == 0 || len(terms) == 0 {
		return measure.Score{}
	}
	return measure.Cosine(p.terms, terms, p.weight)
}

// scoreSet reads the words of a set through the reader.
func (p *wordsProbe) scoreSet(ctx context.Context, r *view.Reader, set uint32) (measure.Score, error) {
	terms, err := r.Words(set)
	if err != nil {
		return measure.Score{}, err
	}
	const termBytes = 8 // comparing a term takes as long as this much text
	return view.Apart(ctx, r.Snapshot.Shared, termBytes*int64(len(p.terms)+len(terms)), func() (measure.Score, error) { return p.compare(terms), nil })
}

// candidates adds up, for each set in the postings of the probe's words, an upper bound of
// the cosine. Without idf the bound is the cosine itself, from the posted weights, which are
// rounded up. Postings cannot contain idf weights; with idf the bound is |M|/|Q|, where M is
// the part of the probe Q with words that the text has: by Cauchy and Schwarz, Q·D = M·D ≤
// |M|·|D|.
func (p *wordsProbe) candidates(ctx context.Context, f *Finder, from uint32) (out []uint32, err error) {
	v := f.v
	total := 0.0
	weights := make([]float64, len(p.terms)) // contribution of each term to a bound
	for i, t := range p.terms {
		if i%4096 == 0 {
			if err := f.m.Interrupted(ctx); err != nil {
				return nil, err
			}
		}
		square := p.squared(t)
		total += square
		if weights[i] = float64(t.Count); p.weight != nil {
			weights[i] = square
		}
	}
	least := f.q.Min.Float64() * math.Sqrt(total)
	if p.weight != nil {
		least *= least
	}
	least *= 1 - 1e-9 // margin for rounding
	if f.again.bounds == nil {
		f.again.bounds = make([]float64, v.Postings.Built)
	}
	bounds, met := f.again.bounds, []uint32{}
	for _, stored := range f.m.LookFrom(ctx, v, from) {
		for i, t := range p.terms {
			if i%1024 == 0 {
				if err := f.m.Interrupted(ctx); err != nil {
					return nil, err
				}
			}
			err := index.EachPosting(stored, index.Word, record.WordKey(t.Hash), record.WordKey(t.Hash), func(_, set uint32, code int) {
				if bounds[set] == 0 {
					met = append(met, set)
				}
				if p.weight == nil {
					bounds[set] += weights[i] * record.PostedWeights[code]
				} else {
					bounds[set] += weights[i]
				}
			})
			if err != nil {
				return nil, segment.PageError(err)
			}
		}
	}
	for _, set := range met {
		if bounds[set] >= least {
			out = append(out, set)
		}
		bounds[set] = 0
	}
	f.plan.Filter("postings of words", true, int64(v.Postings.Built), int64(len(met)))
	f.plan.Filter("weights", true, int64(len(met)), int64(len(out)))
	tail := v.Live(max(from, v.Postings.Built), v.Table.Len())
	f.plan.Filter("tail", true, int64(len(tail)), int64(len(tail)))
	return v.LiveOf(append(out, tail...), from), nil
}

// squared returns the squared weight of a term.
func (p *wordsProbe) squared(t measure.Term) float64 {
	w := float64(t.Count)
	if p.weight != nil {
		w *= float64(p.weight(t.Hash))
	}
	return w * w
}
