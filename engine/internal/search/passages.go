package search

// Evidence: the passages and sentences that two texts have in common.

import (
	"context"
	"errors"
	"math/bits"
	"unicode/utf8"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/sketch"
	"github.com/simdb/simdb/internal/text"
)

// Passages lists the matches of more than args.Min characters that measure.Patricia counts,
// with a as the query, in the order of b. Offsets are bytes of the texts as stored. In a
// collection of code, passages are runs of more than args.Min tokens.
func Passages(ctx context.Context, m *view.Snapshot, a, b api.Target, in []string, args api.Args, without api.Ignoring) ([]api.Passage, error) {
	v, ta, tb, err := texts(ctx, m, a, b, in)
	if err != nil {
		return nil, err
	}
	if args.Min < 0 {
		return nil, fault.Invalid("patricia: min is %d: want a number of characters", args.Min)
	}
	by := Search{Measure: api.Patricia, Ignoring: without}
	if v.Lexes() {
		by.Measure = api.Jaccard // passages of code consist of its tokens
	}
	r, err := reading(ctx, m, v, by)
	if err != nil {
		return nil, err
	}
	docA, docB := ta.text, tb.text
	if v.Lexes() {
		return view.Apart(ctx, m.Shared, int64(len(docA)+len(docB)), func() ([]api.Passage, error) {
			a, errA := ta.content(v)
			b, errB := tb.content(v)
			if err := errors.Join(errA, errB); err != nil {
				return nil, err
			}
			return codePassages(v.Schema, r, a, b, minMatch(args))
		})
	}
	return view.Apart(ctx, m.Shared, int64(len(docA)+len(docB)), func() (out []api.Passage, err error) {
		alignA, alignB := v.Analysis.Form.Align(docA), v.Analysis.Form.Align(docB)
		mask(v, r, alignA.Norm, ofQuery)
		mask(v, r, alignB.Norm, ofDoc)
		for _, found := range sistrings(alignA.Norm).Passages(alignB.Norm, minMatch(args)) {
			p := api.Passage{Chars: found.Chars}
			p.AStartByte, p.AEndByte = alignA.Raw(found.P, found.P+found.Bytes)
			p.BStartByte, p.BEndByte = alignB.Raw(found.C, found.C+found.Bytes)
			p.A, p.B = docA[p.AStartByte:p.AEndByte], docB[p.BStartByte:p.BEndByte]
			out = append(out, p)
		}
		return out, nil
	})
}

// Sentences lists the sentences of a that have a partner within args.Bits in b, each with
// the nearest, in the order of a.
func Sentences(ctx context.Context, m *view.Snapshot, a, b api.Target, in []string, args api.Args) ([]api.SentencePair, error) {
	v, ta, tb, err := texts(ctx, m, a, b, in)
	if err != nil {
		return nil, err
	}
	docA, docB := ta.text, tb.text
	most, reading := measure.VersionRuleOf(args).Bits, readingOf(v, args)
	inA, err := sentencesOf(ctx, m, docA, reading)
	if err != nil {
		return nil, err
	}
	inB, err := sentencesOf(ctx, m, docB, reading)
	if err != nil {
		return nil, err
	}
	// Distinct sentences of b: first place and fingerprint.
	first, distinct := map[string]int{}, []uint32(nil)
	var places []int
	for i, y := range inB {
		if _, known := first[y.norm]; !known {
			first[y.norm] = i
			distinct, places = append(distinct, y.fingerprint), append(places, i)
		}
	}
	among := newNearPrints(distinct, most)
	nearest := map[string]int{} // by sentence of a: a place in distinct, or −1
	var out []api.SentencePair
	for _, x := range inA {
		if err := m.Interrupted(ctx); err != nil {
			return nil, err
		}
		at, known := nearest[x.norm]
		if !known {
			at = among.nearest(x.fingerprint, func(i int) bool {
				return args.Versions.Print || measure.Agree(x.norm, inB[places[i]].norm)
			})
			nearest[x.norm] = at
		}
		if at < 0 {
			continue
		}
		y := inB[places[at]]
		p := api.SentencePair{Dist: bits.OnesCount32(x.fingerprint ^ y.fingerprint)}
		p.AStartByte, p.AEndByte, p.BStartByte, p.BEndByte = x.Start, x.End, y.Start, y.End
		p.A, p.B, p.Chars = docA[x.Start:x.End], docB[y.Start:y.End], x.chars
		out = append(out, p)
	}
	return out, nil
}

// sentence is a sentence of a text in the reading of versions.
type sentence struct {
	text.Token
	norm        string
	fingerprint uint32
	chars       int
}

// sentencesOf splits a text into sentences.
func sentencesOf(ctx context.Context, m *view.Snapshot, doc string, reading sketch.Reading) ([]sentence, error) {
	return view.Apart(ctx, m.Shared, int64(len(doc)), func() (out []sentence, err error) {
		reading.Each(doc, func(t text.Token, norm []byte, fingerprint uint32) bool {
			out = append(out, sentence{t, string(norm), fingerprint, utf8.RuneCountInString(doc[t.Start:t.End])})
			return true
		})
		return out, nil
	})
}

// texts resolves two targets, reads their texts and returns the view of the first collection
// named.
func texts(ctx context.Context, m *view.Snapshot, a, b api.Target, in []string) (v *view.View, ta, tb *target, err error) {
	if err := m.Interrupted(ctx); err != nil {
		return nil, nil, nil, err
	}
	if a.Fingerprint != nil || b.Fingerprint != nil || a.Tokens != nil || b.Tokens != nil {
		return nil, nil, nil, fault.Invalid("fingerprints and tokens have no passages: want a document or a text")
	}
	views, both, err := resolve(m, in, a, b)
	if err != nil {
		return nil, nil, nil, err
	}
	for i := range both {
		if _, err := both[i].readText(m); err != nil {
			return nil, nil, nil, err
		}
	}
	return views[0], &both[0], &both[1], nil
}
