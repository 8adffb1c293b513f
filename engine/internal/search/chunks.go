package search

// Measures on fingerprints of sentences or paragraphs (paper 004).

import (
	"context"
	"fmt"
	"math/bits"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/segment"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/keys"
	"github.com/simdb/simdb/internal/measure"
)

// chunkProbe compares lists of chunk fingerprints (paper 004): entities per paragraph, or
// sentences.
type chunkProbe struct {
	chunks []uint32
	bits   int
	rate   func(measure.ChunkMatch) measure.Score
	of     func(doc string) []uint32
	kind   index.Kind
	stored func(f *record.Features) []uint32
	other  bool // reads texts differently from the stored chunks
}

// bitsOr returns the bit distance of an argument: 0 selects the default, a negative value 0
// bits.
func bitsOr(a api.Args, byDefault int) int {
	switch {
	case a.Bits == 0:
		return byDefault
	case a.Bits < 0:
		return 0
	}
	return a.Bits
}

// ofEntities implements the measure entities.
var ofEntities = textMeasure{
	probe: func(v *view.View, by api.Method, _ *measure.Reading, text string) (textProbe, error) {
		return newEntitiesProbe(v, by.Args, text)
	},
	counts: func(v *view.View, by api.Method, doc string) (bool, error) {
		return counts(newEntitiesProbe(v, by.Args, doc))
	},
	chunks: entityRule,
	differ: func(a, b *view.View) string {
		if a.KnowsAs(b.Schema) {
			return ""
		}
		return fmt.Sprintf("collections %q and %q have other names and synonyms (gazetteer or synonyms): their entities cannot be paired", b.Name, a.Name)
	},
}

// newEntitiesProbe returns a probe of text by the collection's gazetteer and synonyms.
func newEntitiesProbe(v *view.View, a api.Args, text string) (*chunkProbe, error) {
	rule := measure.DefaultEntities()
	rule.Bits = bitsOr(a, rule.Bits)
	if err := rule.Check(); err != nil {
		return nil, fault.Invalid("%w", err)
	}
	p := &chunkProbe{bits: rule.Bits, rate: rule.Score, kind: index.Entity0}
	p.of = func(doc string) []uint32 { return v.Kept.EntitiesOf(doc, a.TF) }
	p.stored = func(f *record.Features) []uint32 { return f.Entities }
	if a.TF {
		p.kind = index.EntityTF0
		p.stored = func(f *record.Features) []uint32 { return f.EntitiesTF }
	}
	p.chunks = p.of(text)
	return p, nil
}

// countsNothing reports whether the text has no chunks.
func (p *chunkProbe) countsNothing() bool { return len(p.chunks) == 0 }

// score splits doc into chunks and compares them.
func (p *chunkProbe) score(ctx context.Context, doc string) (measure.Score, error) {
	return p.compare(ctx, p.of(doc))
}

// compare scores the chunks of the probe against others.
func (p *chunkProbe) compare(ctx context.Context, chunks []uint32) (measure.Score, error) {
	if len(p.chunks) == 0 || len(chunks) == 0 {
		return measure.Score{}, nil
	}
	m, err := measure.MatchChunksUntil(p.chunks, chunks, p.bits, ctx.Err)
	return p.rate(m), err
}

// scoreSet compares the stored chunks of a set where possible.
func (p *chunkProbe) scoreSet(ctx context.Context, r *view.Reader, set uint32) (measure.Score, error) {
	chunks, err := p.chunksOf(ctx, r, set)
	if err != nil {
		return measure.Score{}, err
	}
	return p.compare(ctx, chunks)
}

// chunksOf returns the chunks of a set. It reads them from the record if the collection
// keeps them in this reading, and computes them from the text otherwise.
func (p *chunkProbe) chunksOf(ctx context.Context, r *view.Reader, set uint32) ([]uint32, error) {
	if p.other || !r.View.Kept.Posts(p.kind) {
		doc, err := r.Text(set)
		if err != nil {
			return nil, err
		}
		return view.Apart(ctx, r.Snapshot.Shared, int64(len(doc)), func() ([]uint32, error) { return p.of(doc), nil })
	}
	f, err := r.Features(set)
	return p.stored(f), err
}

// candidates counts chunks in the tables of the segments. Where the count is exact, only
// matches remain. Sets of the tail are compared by their records.
func (p *chunkProbe) candidates(ctx context.Context, f *Finder, from uint32) (out []uint32, err error) {
	v := f.v
	if f.again.chunks == nil {
		f.again.chunks = index.NewChunkProbe(nil, 0, v.Postings.Built)
	}
	counts := f.again.chunks
	counts.Reset(p.chunks, p.bits)
	for _, stored := range f.m.LookFrom(ctx, v, from) {
		if err := counts.Add(stored, p.kind); err != nil {
			return nil, segment.PageError(err)
		}
	}
	met := counts.Sets()
	for _, set := range met {
		m, exact := counts.Match(set)
		// Verification decides about inexact counts.
		if !exact || f.matches(p.rate(m)) {
			out = append(out, set)
		}
	}
	f.plan.Filter("tables of chunks", true, int64(v.Postings.Built), int64(len(met)))
	f.plan.Filter("chunks in common", true, int64(len(met)), int64(len(out)))
	first, before := max(from, v.Postings.Built), len(out)
	var kept record.Features
	err = disk.ScanFrom(f.m.Pebble, v.Key(keys.Features), v.Key(keys.Features, first), func(key, value []byte) error {
		numbers, _, err := keys.Numbers(key, 2)
		if err != nil {
			return fault.Corrupt("%w", err)
		}
		kept = record.Features{}
		if err := v.Kept.Decode(record.InFeatures, value, &kept); err != nil {
			return err
		}
		score, err := p.compare(ctx, p.stored(&kept))
		if err != nil {
			return err
		}
		if f.matches(score) {
			out = append(out, numbers[1])
		}
		return f.m.Interrupted(ctx)
	})
	f.plan.Filter("records of the tail", true, int64(v.Table.Len()-min(first, v.Table.Len())), int64(len(out)-before))
	return v.LiveOf(out, from), err
}

// ChunkRuleOf returns the rule of a search by a measure of chunks. The collection must keep
// them.
func ChunkRuleOf(v *view.View, q Search) (ChunkRule, error) {
	return textMeasures[q.Measure].chunks(v, q)
}

// entityRule returns the join rule of the measure entities.
func entityRule(v *view.View, q Search) (ChunkRule, error) {
	p, err := newEntitiesProbe(v, q.Args, "")
	if err != nil {
		return ChunkRule{}, err
	}
	return ChunkRule{Bits: p.bits, Share: max(0, 2*q.Min.Float64()-1), Rate: p.rate, stored: p.stored}, nil
}

// Resembles reports whether the score takes resemblance into account besides chunks.
func (r ChunkRule) Resembles() bool {
	return r.versions != (measure.VersionRule{}) && !r.versions.Alone
}

// Joined reports whether a chunk join serves the rule: its share is of both sides, and
// resemblance counts. Under other rules each set needs a search of its own.
func (r ChunkRule) Joined() bool { return r.versions.Of == api.BothSides && !r.versions.Alone }

// With returns the score by fingerprints of two lists of chunks with the given resemblance.
// It is an upper bound of the score that counts sentences.
func (r ChunkRule) With(ctx context.Context, a, b []uint32, resemblance measure.Score) (measure.Score, error) {
	return rateVersions(ctx, r.versions, a, b, resemblance)
}

// EachChunks calls yield with the stored chunks of each set, ascending, until yield returns
// false.
func EachChunks(ctx context.Context, m *view.Snapshot, v *view.View, r ChunkRule, yield func(set uint32, chunks []uint32) bool) error {
	return view.EachFeatures(ctx, m, v, func(set uint32, f *record.Features) bool {
		return yield(set, r.stored(f))
	})
}

// Nearest neighbours among many 32-bit fingerprints.

// nearPrints finds the nearest of a list of fingerprints. A text of 16 MB has hundreds of
// thousands of sentences, too many for all-pairs comparison.
type nearPrints struct {
	prints []uint32
	most   int // maximum distance in bits
	parts  int // number of parts of the 32 bits; 0: compare all
	width  int // bits of a part
	by     []map[uint32][]uint32
}

// newNearPrints indexes the fingerprints by parts of their bits. Two fingerprints that
// differ in at most n bits agree in one of n+1 parts.
func newNearPrints(prints []uint32, most int) *nearPrints {
	n := &nearPrints{prints: prints, most: most}
	if len(prints) < 64 || most > 3 { // short parts are not selective
		return n
	}
	n.parts = most + 1
	n.width = (32 + n.parts - 1) / n.parts
	for part := range n.parts {
		by := map[uint32][]uint32{}
		for i, p := range prints {
			key := n.key(p, part)
			by[key] = append(by[key], uint32(i))
		}
		n.by = append(n.by, by)
	}
	return n
}

// key returns the bits of one part of a fingerprint.
func (n *nearPrints) key(p uint32, part int) uint32 {
	return uint32(uint64(p) >> (part * n.width) & (1<<n.width - 1))
}

// nearest returns the place of the nearest accepted fingerprint, the first of equals, or −1
// if none is near. counts accepts or rejects a place.
func (n *nearPrints) nearest(p uint32, counts func(i int) bool) int {
	best, dist := -1, n.most+1
	closer := func(i int) {
		if d := bits.OnesCount32(n.prints[i] ^ p); (d < dist || d == dist && d <= n.most && i < best) && counts(i) {
			best, dist = i, d
		}
	}
	for part := range n.parts {
		for _, i := range n.by[part][n.key(p, part)] {
			closer(int(i))
		}
	}
	if n.parts == 0 {
		for i := range n.prints {
			closer(i)
		}
	}
	return best
}
