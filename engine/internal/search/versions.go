package search

// The measure of paper 004 for versions: sentences in common, or resemblance
// (docs/decisions/0055).

import (
	"context"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/shingle"
	"github.com/simdb/simdb/internal/sketch"
)

// versionsProbe finds versions by their sentences or by resemblance, whichever
// says more (docs/decisions/0055).
type versionsProbe struct {
	chunkProbe
	rule     measure.VersionRule
	analysis shingle.Analysis
	bag      shingle.Bag
}

func newVersionsProbe(v *view.View, a api.Args, doc string) (*versionsProbe, error) {
	rule := measure.VersionRuleOf(a)
	if err := rule.Check(); err != nil {
		return nil, fault.Invalid("%w", err)
	}
	if !v.FromText() {
		return nil, fault.Invalid("versions compares the shingles of texts too, and collection %q has unit = '%s'", v.Name, v.Analysis.Unit)
	}
	p := &versionsProbe{rule: rule, analysis: v.Analysis, bag: v.Analysis.Bag(doc)}
	reading := readingOf(v, a)
	p.chunkProbe = chunkProbe{
		chunks: reading.Chunks(doc), bits: rule.Bits, rate: rule.Score, of: reading.Chunks, kind: index.Sentence0,
		stored: func(k *record.Kept, f *record.Features) ([]uint32, bool) {
			return f.Sentences, k.Versions && reading == (sketch.Reading{Form: v.Analysis.Form})
		},
	}
	return p, nil
}

// readingOf is how versions reads sentences by its arguments. What is kept keeps neither case nor drops stops.
func readingOf(v *view.View, a api.Args) sketch.Reading {
	return sketch.Reading{Form: v.Analysis.Form, KeepCase: a.Versions.KeepCase, DropStop: a.Versions.DropStop}
}

// countsNothing is for readings without resemblance: no two other texts without shingles are alike.
func (p *versionsProbe) countsNothing() bool { return p.rule.Alone && len(p.chunks) == 0 }

func (p *versionsProbe) score(ctx context.Context, doc string) (measure.Score, error) {
	return p.rateWith(ctx, p.of(doc), p.analysis.Bag(doc))
}

func (p *versionsProbe) rateWith(ctx context.Context, chunks []uint32, bag shingle.Bag) (measure.Score, error) {
	return rateVersions(ctx, p.rule, p.chunks, chunks, measure.Resemblance.Score(p.bag, bag))
}

// rateVersions is the score of texts with these chunks, and a resemblance.
func rateVersions(ctx context.Context, rule measure.VersionRule, query, doc []uint32, resemblance measure.Score) (measure.Score, error) {
	if len(query) == 0 || len(doc) == 0 {
		if rule.Alone {
			return measure.Score{}, nil
		}
		return resemblance, nil
	}
	m, err := measure.MatchChunksUntil(query, doc, rule.Bits, ctx.Err)
	return rule.Rate(m, resemblance), err
}

func (p *versionsProbe) scoreSet(ctx context.Context, r *view.Reader, set uint32) (measure.Score, error) {
	chunks, err := p.chunksOf(ctx, r, set)
	if err != nil {
		return measure.Score{}, err
	}
	bag, err := r.Bag(set)
	if err != nil {
		return measure.Score{}, err
	}
	return p.rateWith(ctx, chunks, bag)
}

// candidates are those by sentences and those by resemblance.
func (p *versionsProbe) candidates(ctx context.Context, f *Finder, from uint32) ([]uint32, error) {
	out, err := p.chunkProbe.candidates(ctx, f, from)
	if err != nil || p.rule.Alone {
		return out, err
	}
	sets, err := f.resembling(ctx, p.bag, f.q.Min, from)
	if err != nil {
		return nil, err
	}
	return f.v.LiveOf(append(out, sets...), from), nil
}
