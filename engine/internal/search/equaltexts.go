package search

// Equal texts in which a measure finds nothing to count: their score is 1.

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

// bare is a probe of a text in which the measure has nothing to count: no word, no sentence, no name, no
// more characters than a passage must have. By what it counts such a text is like none, not
// even itself. So the score is 1 for two such texts of the same normal form and with the same shingles, and as the measure says for all others.
type bare struct {
	textProbe
	v     *view.View
	by    api.Method
	doc   string
	norm  []byte
	bag   shingle.Bag // of a view from texts
	chars uint64      // what the score is of
}

// orBare returns a probe of a text, for which equal texts score 1.
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

func (p *bare) score(ctx context.Context, doc string) (measure.Score, error) {
	equal, err := p.equals(doc)
	if err != nil || !equal {
		return p.textProbe.score(ctx, doc)
	}
	return measure.Score{Shared: p.chars, Union: p.chars, Of: p.chars}, nil
}

// equals says whether a text is the same and has nothing to count either. What a measure reads may
// have more than the normal form: capitals of names, letters that the paper reads, a > at the beginning of a line.
func (p *bare) equals(doc string) (bool, error) {
	if !bytes.Equal(p.norm, p.v.Analysis.Form.Chars(doc)) {
		return false, nil
	}
	if p.v.FromText() && !sameBag(p.bag, p.v.Analysis.Bag(doc)) {
		return false, nil
	}
	of := textMeasures[p.by.Measure].counts
	if of == nil { // characters are those of the normal form
		return true, nil
	}
	counts, err := of(p.v, p.by, doc)
	return !counts && err == nil, err
}

// counts says whether a new probe has anything to count.
func counts[P textProbe](p P, err error) (bool, error) { return err == nil && !p.countsNothing(), err }

// sameBag says whether texts of one normal form have the same shingles: > at the beginning of a line is none.
func sameBag(a, b shingle.Bag) bool {
	return a.Total == b.Total && slices.Equal(a.Set, b.Set) && slices.Equal(a.Counts, b.Counts)
}

func (p *bare) scoreSet(ctx context.Context, r *view.Reader, set uint32) (measure.Score, error) {
	doc, err := r.Text(set)
	if err != nil {
		return measure.Score{}, err
	}
	return scoreApart(ctx, r.Snapshot, p, len(p.doc), doc)
}

// BareText returns what texts equal to that of a set have in common with it, if a search by q counts nothing in it.
func BareText(ctx context.Context, r *view.Reader, q Search, set uint32) (key []byte, ok bool, err error) {
	defer r.Free()
	doc, err := r.Text(set)
	if err != nil {
		return nil, false, err
	}
	r.Free() // the probe may count words, which waits for room
	p, err := newTextProbe(ctx, r.Snapshot, r.View, q, doc)
	if err != nil {
		return nil, false, err
	}
	b, ok := p.(*bare)
	if !ok {
		return nil, false, nil
	}
	key = append(b.norm, 0xFF) // which no normal form has
	for i, hash := range b.bag.Set {
		key = binary.LittleEndian.AppendUint64(key, hash)
		key = binary.LittleEndian.AppendUint32(key, b.bag.Count(i))
	}
	return key, true, nil
}

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

// candidates are the sets with all shingles of the text, as equal texts have.
func (p *bare) candidates(ctx context.Context, f *Finder, from uint32) ([]uint32, error) {
	if !p.v.FromText() {
		return f.live(from), nil
	}
	return f.resembling(ctx, p.bag, api.Jaccard, api.Ratio(1, 1), from)
}

// resembling lists the sets numbered from or above that may be like a bag by a measure of sets.
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
