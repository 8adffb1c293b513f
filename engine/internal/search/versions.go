package search

// The measure of paper 004 for versions: common sentences, or resemblance
// (docs/decisions/0055).

import (
	"context"
	"sync"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/shingle"
	"github.com/simdb/simdb/internal/sketch"
)

// versionsProbe scores versions by common sentences or by resemblance, whichever is higher
// (docs/decisions/0055). Fingerprints find candidates. The score counts the sentences
// themselves, unless the method compares fingerprints (docs/decisions/0077).
type versionsProbe struct {
	chunkProbe
	rule     measure.VersionRule
	reading  sketch.Reading
	doc      string
	analysis shingle.Analysis
	bag      shingle.Bag
}

// ofVersions implements the measure versions.
var ofVersions = textMeasure{
	probe: func(v *view.View, by api.Method, _ *measure.Reading, doc string) (textProbe, error) {
		return newVersionsProbe(v, by.Args, doc)
	},
	scans: func(_ *view.View, a api.Args) string {
		if a.Versions.KeepCase || a.Versions.DropStop {
			return "sentences are kept in lower case with their stop words"
		}
		return ""
	},
	needs: func(v *view.View) string {
		if !v.FromText() {
			return "texts without tokens of their own"
		}
		return ""
	},
	counts: func(v *view.View, by api.Method, doc string) (bool, error) {
		return counts(newVersionsProbe(v, by.Args, doc))
	},
	chunks: versionRule,
}

// versionRule returns the join rule of the measure versions.
func versionRule(v *view.View, q Search) (ChunkRule, error) {
	p, err := newVersionsProbe(v, q.Args, "")
	if err != nil {
		return ChunkRule{}, err
	}
	return ChunkRule{Bits: p.bits, Share: p.rule.LeastShare(q.Min.Float64()), Rate: p.rate, stored: p.stored, versions: p.rule, reading: p.reading}, nil
}

// newVersionsProbe returns a probe of doc; api.ErrInvalid unless the collection analyses
// texts.
func newVersionsProbe(v *view.View, a api.Args, doc string) (*versionsProbe, error) {
	rule := measure.VersionRuleOf(a)
	if err := rule.Check(); err != nil {
		return nil, fault.Invalid("%w", err)
	}
	if !v.FromText() {
		return nil, fault.Invalid("versions compares the shingles of texts too, and collection %q has unit = '%s'", v.Name, v.Analysis.Unit)
	}
	reading := readingOf(v, a)
	p := &versionsProbe{rule: rule, reading: reading, doc: doc, analysis: v.Analysis, bag: v.Analysis.Bag(doc)}
	p.chunkProbe = chunkProbe{
		chunks: reading.Chunks(doc), bits: rule.Bits, rate: rule.Score, of: reading.Chunks, kind: index.Sentence0,
		stored: func(f *record.Features) []uint32 { return f.Sentences },
		other:  reading != sketch.Reading{Form: v.Analysis.Form},
	}
	return p, nil
}

// readingOf returns the reading of sentences by the arguments. Stored sentences are in lower
// case and keep stop words.
func readingOf(v *view.View, a api.Args) sketch.Reading {
	return sketch.Reading{Form: v.Analysis.Form, KeepCase: a.Versions.KeepCase, DropStop: a.Versions.DropStop}
}

// countsNothing reports whether the probe has no sentences under a rule without resemblance.
// With resemblance equal texts score 1 anyway.
func (p *versionsProbe) countsNothing() bool { return p.rule.Alone && len(p.chunks) == 0 }

// score avoids the exact count where fingerprints decide.
func (p *versionsProbe) score(ctx context.Context, doc string) (measure.Score, error) {
	resemblance := measure.Resemblance.Score(p.bag, p.analysis.Bag(doc))
	if s, decided, err := p.byPrints(ctx, p.of(doc), resemblance); decided || err != nil {
		return s, err
	}
	return p.counted(ctx, doc, resemblance)
}

// byPrints returns the score by fingerprints, an upper bound of the counted score. decided
// means that the two are equal.
func (p *versionsProbe) byPrints(ctx context.Context, chunks []uint32, resemblance measure.Score) (s measure.Score, decided bool, err error) {
	s, err = rateVersions(ctx, p.rule, p.chunks, chunks, resemblance)
	return s, p.rule.Print || s.Shared == 0 || !p.rule.Alone && s == resemblance, err
}

// counted returns the score by the sentences themselves.
func (p *versionsProbe) counted(ctx context.Context, doc string, resemblance measure.Score) (measure.Score, error) {
	m, err := p.match(ctx, doc)
	return p.rule.Rate(m, resemblance), err
}

// match counts the agreeing sentences of the two texts.
func (p *versionsProbe) match(ctx context.Context, doc string) (measure.ChunkMatch, error) {
	if p.rule.Print {
		return measure.MatchChunksUntil(p.chunks, p.of(doc), p.bits, ctx.Err)
	}
	// The probe serves several goroutines, but measure.Sentences must not be used
	// concurrently, so each call builds its own.
	return measure.MatchSentences(sentencesIn(p.reading, p.doc), sentencesIn(p.reading, doc), p.rule.Bits, ctx.Err)
}

// sentencesIn splits a text into the sentences of a reading.
func sentencesIn(r sketch.Reading, doc string) *measure.Sentences {
	return measure.NewSentences(r.Normal(doc))
}

// evidence counts the agreeing sentences of both sides.
func (p *versionsProbe) evidence(ctx context.Context, doc string) (api.Evidence, error) {
	m, err := p.match(ctx, doc)
	return chunkEvidence(m), err
}

// rateVersions scores two texts by the fingerprints of their sentences and by their
// resemblance.
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

// scoreSet reads the text only where fingerprints and resemblance do not decide.
func (p *versionsProbe) scoreSet(ctx context.Context, r *view.Reader, set uint32) (measure.Score, error) {
	chunks, err := p.chunksOf(ctx, r, set)
	if err != nil {
		return measure.Score{}, err
	}
	bag, err := r.Bag(set)
	if err != nil {
		return measure.Score{}, err
	}
	resemblance := measure.Resemblance.Score(p.bag, bag)
	if s, decided, err := p.byPrints(ctx, chunks, resemblance); decided || err != nil {
		return s, err
	}
	doc, err := r.Text(set)
	if err != nil {
		return measure.Score{}, err
	}
	return view.Apart(ctx, r.Snapshot.Shared, int64(len(p.doc)+len(doc)), func() (measure.Score, error) { return p.counted(ctx, doc, resemblance) })
}

// candidates returns the union of the candidates by sentences and by resemblance.
// Fingerprints never match fewer sentences than the exact count.
func (p *versionsProbe) candidates(ctx context.Context, f *Finder, from uint32) ([]uint32, error) {
	out, err := p.chunkProbe.candidates(ctx, f, from)
	if err != nil || p.rule.Alone {
		return out, err
	}
	sets, err := f.resembling(ctx, p.bag, api.Jaccard, f.q.Min, from)
	if err != nil {
		return nil, err
	}
	return f.v.LiveOf(append(out, sets...), from), nil
}

// CountedVersions scores pairs of sets of one view by their sentences. It is safe for
// concurrent use.
type CountedVersions struct {
	m    *view.Snapshot
	v    *view.View
	rule measure.VersionRule
	read sketch.Reading

	mu   sync.Mutex
	kept map[uint32]string // texts read recently
	size int64
}

// Counted returns the exact scorer of the rule; nil if the rule compares fingerprints.
func (r ChunkRule) Counted(m *view.Snapshot, v *view.View) *CountedVersions {
	if r.versions.Print {
		return nil
	}
	return &CountedVersions{m: m, v: v, rule: r.versions, read: r.reading, kept: map[uint32]string{}}
}

// Score returns the score of two sets with the given resemblance.
func (c *CountedVersions) Score(ctx context.Context, a, b uint32, resemblance measure.Score) (measure.Score, error) {
	docA, err := c.text(ctx, a)
	if err != nil {
		return measure.Score{}, err
	}
	docB, err := c.text(ctx, b)
	if err != nil {
		return measure.Score{}, err
	}
	return view.Apart(ctx, c.m.Shared, int64(len(docA)+len(docB)), func() (measure.Score, error) {
		m, err := measure.MatchSentences(sentencesIn(c.read, docA), sentencesIn(c.read, docB), c.rule.Bits, ctx.Err)
		return c.rule.Rate(m, resemblance), err
	})
}

// text returns the text of a set. It caches texts, because a set occurs in many pairs,
// within a sixteenth of the memory budget.
func (c *CountedVersions) text(ctx context.Context, set uint32) (string, error) {
	c.mu.Lock()
	doc, ok := c.kept[set]
	c.mu.Unlock()
	if ok {
		return doc, nil
	}
	r := c.m.Reader(c.v)
	defer r.Close()
	r.Heed(ctx)
	doc, err := r.Text(set)
	if err != nil {
		return "", err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.kept[set]; ok { // another goroutine was faster
		return doc, nil
	}
	if c.size += int64(len(doc)); c.size > c.m.MemoryBytes/16 {
		clear(c.kept)
		c.size = int64(len(doc))
	}
	c.kept[set] = doc
	return doc, nil
}
