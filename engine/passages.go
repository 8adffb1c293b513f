package engine

import (
	"context"
	"math/bits"

	"github.com/simdb/simdb/measure"
	"github.com/simdb/simdb/sketch"
	"github.com/simdb/simdb/text"
)

// Passages lists what two texts have in common: the matches of more than
// args.Min characters that measure.Patricia counts, a being the query, in the
// order of b. Both are read as measure.Patricia reads them; offsets are those of
// the texts as stored.
func (s *Snapshot) Passages(ctx context.Context, a, b Target, in []string, args measure.Args) ([]Passage, error) {
	docA, docB, err := s.texts(ctx, a, b, in)
	if err != nil {
		return nil, err
	}
	if args.Min < 0 {
		return nil, invalid("patricia: min is %d: want a number of characters", args.Min)
	}
	alignA, alignB := text.Align(docA), text.Align(docB)
	var out []Passage
	for _, m := range measure.NewSiStrings(alignA.Norm).Passages(alignB.Norm, minMatch(args)) {
		p := Passage{Chars: m.Chars}
		p.AStart, p.AEnd = alignA.Raw(m.P, m.P+m.Bytes)
		p.BStart, p.BEnd = alignB.Raw(m.C, m.C+m.Bytes)
		p.A, p.B = docA[p.AStart:p.AEnd], docB[p.BStart:p.BEnd]
		out = append(out, p)
	}
	return out, nil
}

// Sentences lists the sentences of a that have one within args.Bits in b, each
// with the nearest, in the order of a.
func (s *Snapshot) Sentences(ctx context.Context, a, b Target, in []string, args measure.Args) ([]SentencePair, error) {
	docA, docB, err := s.texts(ctx, a, b, in)
	if err != nil {
		return nil, err
	}
	most := bitsOr(args, measure.DefaultVersions().Bits)
	inB := sentencesOf(docB)
	first, distinct := map[uint32]int{}, []uint32(nil) // the fingerprints of b, and where each is first
	for i, y := range inB {
		if _, known := first[y.fingerprint]; !known {
			first[y.fingerprint] = i
			distinct = append(distinct, y.fingerprint)
		}
	}
	nearest := map[uint32]uint32{} // of the fingerprints of a: those met before
	var out []SentencePair
	for _, x := range sentencesOf(docA) {
		if err := s.interrupted(ctx); err != nil {
			return nil, err
		}
		if len(distinct) == 0 {
			break
		}
		near, known := nearest[x.fingerprint]
		if !known {
			near = nearestOf(distinct, x.fingerprint)
			nearest[x.fingerprint] = near
		}
		dist := bits.OnesCount32(x.fingerprint ^ near)
		if dist > most {
			continue
		}
		y := inB[first[near]]
		p := SentencePair{Dist: dist}
		p.AStart, p.AEnd, p.BStart, p.BEnd = x.Start, x.End, y.Start, y.End
		p.A, p.B, p.Chars = docA[x.Start:x.End], docB[y.Start:y.End], x.chars
		out = append(out, p)
	}
	return out, nil
}

// nearestOf returns the first of the fingerprints that differ least from another.
func nearestOf(fingerprints []uint32, other uint32) (best uint32) {
	dist := 33
	for _, f := range fingerprints {
		if d := bits.OnesCount32(f ^ other); d < dist {
			best, dist = f, d
		}
	}
	return best
}

// sentence is a sentence of a text as versions reads it.
type sentence struct {
	text.Token
	fingerprint uint32
	chars       int
}

func sentencesOf(doc string) (out []sentence) {
	for t, fingerprint := range sketch.Sentences(doc) {
		chars := 0
		for range doc[t.Start:t.End] {
			chars++
		}
		out = append(out, sentence{t, fingerprint, chars})
	}
	return out
}

// texts returns the texts of two targets.
func (s *Snapshot) texts(ctx context.Context, a, b Target, in []string) (docA, docB string, err error) {
	leave, err := s.enter()
	if err != nil {
		return "", "", err
	}
	defer leave()
	if err := s.interrupted(ctx); err != nil {
		return "", "", err
	}
	if a.ByFingerprint || b.ByFingerprint {
		return "", "", invalid("a fingerprint has no passages: want a document or a text")
	}
	views, err := s.viewsOf(in)
	if err != nil {
		return "", "", err
	}
	for _, side := range []struct {
		t   Target
		doc *string
	}{{a, &docA}, {b, &docB}} {
		t, err := s.resolve(side.t, views)
		if err != nil {
			return "", "", err
		}
		if *side.doc, err = s.textOf(&t); err != nil {
			return "", "", err
		}
	}
	return docA, docB, nil
}
