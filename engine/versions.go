package engine

import (
	"context"

	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/measure"
	"github.com/simdb/simdb/shingle"
	"github.com/simdb/simdb/sketch"
)

// versionsProbe finds versions by their sentences or by resemblance, whichever
// says more (docs/decisions/0012).
type versionsProbe struct {
	chunkProbe
	rule     measure.VersionRule
	analysis shingle.Analysis
	bag      shingle.Bag
}

func (v *view) newVersionsProbe(a measure.Args, doc string) (*versionsProbe, error) {
	rule := measure.DefaultVersions()
	rule.Bits = bitsOr(a, rule.Bits)
	if err := rule.Check(); err != nil {
		return nil, invalid("%w", err)
	}
	p := &versionsProbe{rule: rule, analysis: v.analysis, bag: v.analysis.Bag(doc)}
	p.chunkProbe = chunkProbe{
		chunks: sketch.Chunks(doc), bits: rule.Bits, rate: rule.Score, of: sketch.Chunks, kind: index.Sentence0,
		stored: func(k *kept, f *features) ([]uint32, bool) { return f.sentences, k.versions },
	}
	return p, nil
}

func (p *versionsProbe) score(doc string) measure.Score {
	return p.rateWith(p.of(doc), p.analysis.Bag(doc))
}

func (p *versionsProbe) rateWith(chunks []uint32, bag shingle.Bag) measure.Score {
	resemblance := measure.Jaccard.Score(p.bag, bag)
	if len(p.chunks) == 0 || len(chunks) == 0 {
		return resemblance
	}
	return p.rule.Rate(measure.MatchChunks(p.chunks, chunks, p.bits), resemblance)
}

func (p *versionsProbe) scoreSet(r *bagReader, set uint32) (measure.Score, error) {
	chunks, err := p.chunksOf(r, set)
	if err != nil {
		return measure.Score{}, err
	}
	bag, err := r.bag(set)
	return p.rateWith(chunks, bag), err
}

// candidates are those by sentences and those by resemblance.
func (p *versionsProbe) candidates(ctx context.Context, f *finder, from uint32) ([]uint32, error) {
	out, err := p.chunkProbe.candidates(ctx, f, from)
	if err != nil {
		return nil, err
	}
	facts := probeOf(p.bag)
	q := Search{Measure: measure.Jaccard, Min: f.q.Min}
	_, access, _, err := f.s.planFor(f.v, q, query{bag: p.bag, facts: facts})
	if err != nil {
		return nil, err
	}
	if access == AccessScan { // below min_sim
		access = AccessSignature
	}
	alike := finder{s: f.s, v: f.v, q: q, plan: f.plan, bags: f.bags}
	probing := probing{finder: &alike, query: query{bag: p.bag, facts: facts}}
	sets, err := probing.candidates(ctx, access, from)
	if err != nil {
		return nil, err
	}
	for _, set := range f.v.liveOf(sets, from) {
		ok, err := probing.mayMatch(set, nil)
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, set)
		}
	}
	return f.v.liveOf(out, from), nil
}
