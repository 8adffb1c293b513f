package engine

import (
	"context"

	"github.com/simdb/simdb/entity"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/keys"
	"github.com/simdb/simdb/measure"
)

// chunkProbe compares lists of fingerprints of chunks (paper 004): what paragraphs
// name, or sentences.
type chunkProbe struct {
	chunks []uint32
	bits   int
	rate   func(measure.ChunkMatch) measure.Score
	of     func(doc string) []uint32
	kind   index.Kind
	stored func(k *kept, f *features) (list []uint32, kept bool)
}

// bitsOr returns the bits that an argument means.
func bitsOr(a measure.Args, byDefault int) int {
	switch {
	case a.Bits == 0:
		return byDefault
	case a.Bits < 0:
		return 0
	}
	return a.Bits
}

func newEntitiesProbe(a measure.Args, text string) (*chunkProbe, error) {
	rule := measure.DefaultEntities()
	rule.Bits = bitsOr(a, rule.Bits)
	if err := rule.Check(); err != nil {
		return nil, invalid("%w", err)
	}
	p := &chunkProbe{bits: rule.Bits, rate: rule.Score, kind: index.Entity0}
	p.of = func(doc string) []uint32 { return entity.Fingerprints(extractor, doc, a.TF) }
	p.stored = func(k *kept, f *features) ([]uint32, bool) { return f.entities, k.entities }
	if a.TF {
		p.kind = index.EntityTF0
		p.stored = func(k *kept, f *features) ([]uint32, bool) { return f.entitiesTF, k.entities }
	}
	p.chunks = p.of(text)
	return p, nil
}

func (p *chunkProbe) score(doc string) measure.Score { return p.compare(p.of(doc)) }

func (p *chunkProbe) compare(chunks []uint32) measure.Score {
	if len(p.chunks) == 0 || len(chunks) == 0 {
		return measure.Score{}
	}
	return p.rate(measure.MatchChunks(p.chunks, chunks, p.bits))
}

func (p *chunkProbe) scoreSet(r *bagReader, set uint32) (measure.Score, error) {
	chunks, err := p.chunksOf(r, set)
	return p.compare(chunks), err
}

// chunksOf returns the chunks of a set, from its record if the collection keeps
// them.
func (p *chunkProbe) chunksOf(r *bagReader, set uint32) ([]uint32, error) {
	if _, kept := p.stored(&r.v.kept, &features{}); !kept {
		doc, err := r.text(set)
		return p.of(doc), err
	}
	f, err := readFeatures(r.s.pebble, r.v.collection, set)
	list, _ := p.stored(&r.v.kept, &f)
	return list, err
}

// candidates counts in the tables of the segments what the score needs, so that
// only matches are left, and goes through the records of the tail.
func (p *chunkProbe) candidates(ctx context.Context, f *finder, from uint32) (out []uint32, err error) {
	v := f.v
	if f.chunks == nil {
		f.chunks = index.NewChunkProbe(nil, 0, v.index.built)
	}
	counts := f.chunks
	counts.Reset(p.chunks, p.bits)
	for _, stored := range f.s.lookFrom(ctx, v, from) {
		if err := counts.Add(stored, p.kind); err != nil {
			return nil, pageError(err)
		}
	}
	met := counts.Sets()
	for _, set := range met {
		m, exact := counts.Match(set)
		if !exact || f.matches(p.rate(m)) {
			out = append(out, set)
		}
	}
	f.plan.filter("tables of chunks", true, int64(v.index.built), int64(len(met)))
	f.plan.filter("chunks in common", true, int64(len(met)), int64(len(out)))
	first, before := max(from, v.index.built), len(out)
	err = scanFrom(f.s.pebble, v.key(keys.Features), v.key(keys.Features, first), func(key, value []byte) error {
		numbers, _, err := keys.Numbers(key, 2)
		if err != nil {
			return corrupt("%w", err)
		}
		record, err := v.kept.decodeFeatures(value)
		if err != nil {
			return err
		}
		if list, _ := p.stored(&v.kept, &record); f.matches(p.compare(list)) {
			out = append(out, numbers[1])
		}
		return f.s.interrupted(ctx)
	})
	f.plan.filter("records of the tail", true, int64(v.next-min(first, v.next)), int64(len(out)-before))
	return v.liveOf(out, from), err
}
