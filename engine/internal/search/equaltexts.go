package search

// Equal texts without anything for a measure to count: their score is 1.

import (
	"bytes"
	"context"
	"encoding/binary"
	"slices"
	"unicode/utf8"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/shingle"
)

// bare is a probe of a text without anything for the measure to count: no word, no sentence,
// no name, or fewer characters than a passage has. By counts alone such a text matches
// nothing, not even itself. Therefore two such texts score 1 if they have the same normal
// form and shingles; against all other texts the measure decides.
type bare struct {
	textProbe
	v     *view.View
	by    api.Method
	doc   string
	norm  []byte
	bag   shingle.Bag // only in a collection that analyses texts
	chars uint64      // the denominator of the score
}

// orBare wraps p in a bare probe if p has nothing to count.
func orBare(v *view.View, by api.Method, p textProbe, doc string) textProbe {
	if !p.countsNothing() {
		return p
	}
	b := &bare{textProbe: p, v: v, by: by, doc: doc, norm: v.Analysis.Form.Chars(doc), chars: 1}
	if v.FromText() {
		b.bag = v.Analysis.Bag(doc)
	}
	if by.Measure.OfLetters() {
		b.chars = max(uint64(utf8.RuneCount(b.norm)), 1)
	}
	return b
}

// score returns 1 for an equal text, else the score of the measure.
func (p *bare) score(ctx context.Context, doc string) (measure.Score, error) {
	equal, err := p.equals(doc)
	if err != nil || !equal {
		return p.textProbe.score(ctx, doc)
	}
	return measure.Score{Shared: p.chars, Union: p.chars, Of: p.chars}, nil
}

// equals reports whether doc equals the probe's text and has nothing to count either. Equal
// normal forms do not suffice, because a measure may read more: capitals of names, letters of
// the paper's alphabet, a > at the start of a line.
func (p *bare) equals(doc string) (bool, error) {
	if !bytes.Equal(p.norm, p.v.Analysis.Form.Chars(doc)) {
		return false, nil
	}
	if p.v.FromText() && !sameBag(p.bag, p.v.Analysis.Bag(doc)) {
		return false, nil
	}
	of := textMeasures[p.by.Measure].counts
	if of == nil { // the measure counts characters of the normal form
		return true, nil
	}
	counts, err := of(p.v, p.by, doc)
	return !counts && err == nil, err
}

// counts adapts a probe constructor to textMeasure.counts.
func counts[P textProbe](p P, err error) (bool, error) { return err == nil && !p.countsNothing(), err }

// sameBag reports whether two texts of one normal form have the same shingles. A > at the
// start of a line can make them differ.
func sameBag(a, b shingle.Bag) bool {
	return a.Total == b.Total && slices.Equal(a.Set, b.Set) && slices.Equal(a.Counts, b.Counts)
}

// scoreSet always reads the text, because features do not determine equality.
func (p *bare) scoreSet(ctx context.Context, r *view.Reader, set uint32) (measure.Score, error) {
	doc, err := r.Text(set)
	if err != nil {
		return measure.Score{}, err
	}
	return scoreApart(ctx, r.Snapshot, p, len(p.doc), doc)
}

// BareText returns a key that equals the keys of equal texts, if q has nothing to count in
// the text of the set; otherwise ok is false.
func BareText(ctx context.Context, r *view.Reader, q Search, set uint32) (key []byte, ok bool, err error) {
	defer r.Free()
	doc, err := r.Text(set)
	if err != nil {
		return nil, false, err
	}
	r.Free() // the probe may count words and then waits for memory
	p, err := newTextProbe(ctx, r.Snapshot, r.View, q, doc)
	if err != nil {
		return nil, false, err
	}
	b, ok := p.(*bare)
	if !ok {
		return nil, false, nil
	}
	key = append(b.norm, 0xFF) // absent from every normal form
	for i, hash := range b.bag.Set {
		key = binary.LittleEndian.AppendUint64(key, hash)
		key = binary.LittleEndian.AppendUint32(key, b.bag.Count(i))
	}
	return key, true, nil
}

// evidence counts all characters of an equal text as one passage.
func (p *bare) evidence(ctx context.Context, doc string) (api.Evidence, error) {
	if equal, err := p.equals(doc); err != nil || !equal {
		if err != nil {
			return api.Evidence{}, err
		}
		return evidenceOf(ctx, p.textProbe, doc)
	}
	n := uint64(utf8.RuneCount(p.norm))
	return api.Evidence{Shared: n, Of: n, Unit: "characters", Longest: n}, nil
}

// candidates returns the sets with all shingles of the text, a superset of the equal texts.
func (p *bare) candidates(ctx context.Context, f *Finder, from uint32) ([]uint32, error) {
	if !p.v.FromText() {
		return f.live(from), nil
	}
	return f.resembling(ctx, p.bag, api.Jaccard, api.Ratio(1, 1), from)
}

// resembling lists the candidates with numbers ≥ from whose score against a bag, by a measure
// of sets, may reach least.
func (f *Finder) resembling(ctx context.Context, bag shingle.Bag, by api.Measure, least api.Threshold, from uint32) ([]uint32, error) {
	facts, err := view.Apart(ctx, f.m.Shared, 8*int64(len(bag.Set)), func() (index.Facts, error) { return factsOf(bag), nil })
	if err != nil {
		return nil, err
	}
	like := Probe{bag: bag, facts: facts}
	alike := Finder{scope: f.scope, q: Search{Measure: by, Min: least}, reader: f.reader, formula: measure.FormulaOf(by, api.Args{}), probe: like}
	access, err := alike.planFor(like)
	if err != nil {
		return nil, err
	}
	alike.plan = f.plan
	return alike.candidates(ctx, access, from)
}
