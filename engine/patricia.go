package engine

import (
	"context"

	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/measure"
	"github.com/simdb/simdb/sketch"
	"github.com/simdb/simdb/text"
)

// paperMatch is the longest match that does not count in paper 001.
const paperMatch = 15

// indexedMatch is the least Args.Min that the postings of grams serve: a match
// that counts has a character more, and is sure to hold a chosen gram.
const indexedMatch = sketch.MatchBytes - 1

func minMatch(a measure.Args) int {
	if a.Min == 0 {
		return paperMatch
	}
	return a.Min
}

// patriciaProbe finds how much of it other texts hold (paper 001): it is the
// paper's P, they are its C.
type patriciaProbe struct {
	p   *measure.SiStrings
	min int
	// grams of P, by hash
	grams []sketch.Gram
}

func newPatriciaProbe(a measure.Args, doc string) (*patriciaProbe, error) {
	if a.Min < 0 {
		return nil, invalid("patricia: min is %d: want a number of characters", a.Min)
	}
	norm := text.Char.Normalize(nil, doc)
	return &patriciaProbe{p: measure.NewSiStrings(norm), min: minMatch(a), grams: sketch.Grams(norm)}, nil
}

func (p *patriciaProbe) score(doc string) measure.Score {
	n := uint64(p.p.Len())
	return measure.Score{Shared: uint64(p.p.Matched(text.Char.Normalize(nil, doc), p.min)), Union: n, Of: n}
}

func (p *patriciaProbe) scoreSet(r *bagReader, set uint32) (measure.Score, error) {
	doc, err := r.text(set)
	if err != nil {
		return measure.Score{}, err
	}
	return p.score(doc), nil
}

// candidates counts the grams that texts share with P: with too few of them the
// matches cannot be long enough. See sketch.MatchedBound.
func (p *patriciaProbe) candidates(ctx context.Context, f *finder, from uint32) (out []uint32, err error) {
	v := f.v
	least := f.q.Min.Ceil(uint64(p.p.Len()))
	counts := make([]uint32, v.index.built)
	var met []uint32
	for _, seg := range v.index.segments {
		if err := f.s.interrupted(ctx); err != nil {
			return nil, err
		}
		if seg.Hi <= from {
			continue
		}
		stored := f.s.stored(v, seg)
		for _, g := range p.grams {
			err := index.EachPosting(stored, index.Gram, g.Hash, func(set uint32, count int) {
				if counts[set] == 0 {
					met = append(met, set)
				}
				if count == index.MaxCount {
					count = 1 << 24 // as many as any text has
				}
				counts[set] = min(counts[set]+uint32(count), 1<<30)
			})
			if err != nil {
				return nil, pageError(err)
			}
		}
	}
	for _, set := range met {
		if sketch.MatchedBound(uint64(counts[set])) >= least {
			out = append(out, set)
		}
	}
	f.plan.filter("postings of grams", true, int64(v.index.built), int64(len(met)))
	f.plan.filter("grams in common", true, int64(len(met)), int64(len(out)))
	tail := v.live(max(from, v.index.built), v.next)
	before := len(out)
	err = eachSet(ctx, f.s, v, tail, (*bagReader).grams, func(set uint32, grams []sketch.Gram) error {
		if sketch.MatchedBound(p.shared(grams)) >= least {
			out = append(out, set)
		}
		return nil
	})
	f.plan.filter("grams of the tail", true, int64(len(tail)), int64(len(out)-before))
	return v.liveOf(out, from), err
}

// shared counts how often the grams of P are chosen in another text.
func (p *patriciaProbe) shared(grams []sketch.Gram) (n uint64) {
	for i, j := 0, 0; i < len(p.grams) && j < len(grams); {
		switch a, b := p.grams[i].Hash, grams[j].Hash; {
		case a < b:
			i++
		case b < a:
			j++
		default:
			n += uint64(grams[j].Count)
			i++
			j++
		}
	}
	return n
}

// grams returns those chosen in the text of a set, from the cache if they are
// there.
func (r *bagReader) grams(set uint32) ([]sketch.Gram, error) {
	if grams, ok := r.s.db.cache.grams.Get(bagKey(r.v.collection, set)); ok {
		return grams, nil
	}
	doc, err := r.text(set)
	if err != nil {
		return nil, err
	}
	grams := gramsOf(doc)
	r.s.db.cache.grams.Set(bagKey(r.v.collection, set), grams, int64(8*len(grams))+64)
	return grams, nil
}
