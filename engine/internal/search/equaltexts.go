package search

// Equal texts in which a measure finds nothing to count: their score is 1.

import (
	"bytes"
	"context"
	"unicode/utf8"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/shingle"
)

// bare is a probe of a text in which the measure has nothing to count: no word, no sentence, no name, no
// more characters than a passage must have. By what it counts such a text is like none, not
// even itself. So the score is 1 for two such texts of the same normal form, and as the measure says for all others.
type bare struct {
	textProbe
	v     *view.View
	by    api.Method
	doc   string
	norm  []byte
	chars uint64 // what the score is of
}

// orBare returns a probe of a text, for which equal texts score 1.
func orBare(v *view.View, by api.Method, p textProbe, doc string) textProbe {
	if !p.countsNothing() {
		return p
	}
	b := &bare{textProbe: p, v: v, by: by, doc: doc, norm: v.Analysis.Form.Chars(doc), chars: 1}
	if ofLetters(by.Measure) {
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
	var other textProbe
	var err error
	switch p.by.Measure {
	case api.Words:
		return len(measure.WordsOf(doc, p.v.Analysis.Form)) == 0, nil
	case api.Versions:
		other, err = newVersionsProbe(p.v, p.by.Args, doc)
	case api.Entities:
		other, err = newEntitiesProbe(p.v, p.by.Args, doc)
	case api.SI:
		other, err = newSIProbe(p.v, p.by.Args, doc)
	case api.Quotes:
		other, err = newQuotesProbe(p.v, p.by.Args, doc)
	default: // characters are those of the normal form
		return true, nil
	}
	return err == nil && other.countsNothing(), err
}

func (p *bare) scoreSet(ctx context.Context, r *view.Reader, set uint32) (measure.Score, error) {
	doc, err := r.Text(set)
	if err != nil {
		return measure.Score{}, err
	}
	return scoreApart(ctx, r.Snapshot, p, len(p.doc), doc)
}

// BareText returns the normal form of the text of a set if a search by q counts nothing in it.
func BareText(ctx context.Context, r *view.Reader, q Search, set uint32) (norm []byte, ok bool, err error) {
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
	return b.norm, true, nil
}

func (p *bare) evidence() api.Evidence {
	n := uint64(utf8.RuneCount(p.norm))
	return api.Evidence{Shared: n, Of: n, Unit: "characters", Longest: n}
}

// candidates are the sets with all shingles of the text, as equal texts have.
func (p *bare) candidates(ctx context.Context, f *Finder, from uint32) ([]uint32, error) {
	if !p.v.FromText() {
		return f.live(from), nil
	}
	bag, err := view.Apart(ctx, f.m.Shared, int64(len(p.doc)), func() (shingle.Bag, error) { return p.v.Analysis.Bag(p.doc), nil })
	if err != nil {
		return nil, err
	}
	return f.resembling(ctx, bag, api.Jaccard, api.Ratio(1, 1), from)
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
