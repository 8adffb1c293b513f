package engine

import (
	"context"
	"math"
	"slices"

	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/measure"
)

// wordsProbe compares word frequencies (paper 004).
type wordsProbe struct {
	terms  measure.Vector
	weight func(hash uint64) uint64 // nil: every word weighs 1
}

func (s *Snapshot) newWordsProbe(ctx context.Context, v *view, a measure.Args, text string) (*wordsProbe, error) {
	p := &wordsProbe{terms: measure.WordsOf(text)}
	if a.IDF {
		f, err := s.frequencies(ctx, v)
		if err != nil {
			return nil, err
		}
		p.weight = f.weight
	}
	return p, nil
}

func (p *wordsProbe) score(doc string) measure.Score { return p.compare(measure.WordsOf(doc)) }

func (p *wordsProbe) compare(terms measure.Vector) measure.Score {
	if len(p.terms) == 0 || len(terms) == 0 {
		return measure.Score{}
	}
	return measure.Cosine(p.terms, terms, p.weight)
}

func (p *wordsProbe) scoreSet(r *bagReader, set uint32) (measure.Score, error) {
	terms, err := r.words(set)
	return p.compare(terms), err
}

// words returns the word frequencies of a set's text, from the cache if they are
// there.
func (r *bagReader) words(set uint32) (measure.Vector, error) {
	if !r.v.kept.texts() { // the next time another document may stand for the set
		doc, err := r.text(set)
		return measure.WordsOf(doc), err
	}
	if terms, ok := r.s.db.cache.words.Get(bagKey(r.v.collection, set)); ok {
		return terms, nil
	}
	doc, err := r.text(set)
	if err != nil {
		return nil, err
	}
	terms := measure.WordsOf(doc)
	r.s.db.cache.words.Set(bagKey(r.v.collection, set), terms, int64(16*len(terms))+64)
	return terms, nil
}

// candidates reads the postings of the probe's words and adds up, for each set,
// an upper bound of the cosine. Without idf that is the cosine itself, from the
// weights in the postings, which are rounded up. With it, whose weights postings
// cannot know, it is |M|/|Q|, M being the part of the probe Q that a text has
// words of: by Cauchy and Schwarz Q·D = M·D ≤ |M|·|D|.
func (p *wordsProbe) candidates(ctx context.Context, f *finder, from uint32) (out []uint32, err error) {
	v := f.v
	total := 0.0
	weights := make([]float64, len(p.terms)) // what each adds to a bound
	for i, t := range p.terms {
		square := p.squared(t)
		total += square
		if weights[i] = float64(t.Count); p.weight != nil {
			weights[i] = square
		}
	}
	least := f.q.Min.Float64() * math.Sqrt(total)
	if p.weight != nil {
		least *= least
	}
	least *= 1 - 1e-9 // rounding must lose none
	if f.bounds == nil {
		f.bounds = make([]float64, v.index.built)
	}
	bounds, met := f.bounds, []uint32{}
	for _, stored := range f.s.lookFrom(ctx, v, from) {
		for i, t := range p.terms {
			err := index.EachPosting(stored, index.Word, wordKey(t.Hash), wordKey(t.Hash), func(_, set uint32, code int) {
				if bounds[set] == 0 {
					met = append(met, set)
				}
				if p.weight == nil {
					bounds[set] += weights[i] * postedWeights[code]
				} else {
					bounds[set] += weights[i]
				}
			})
			if err != nil {
				return nil, pageError(err)
			}
		}
	}
	for _, set := range met {
		if bounds[set] >= least {
			out = append(out, set)
		}
		bounds[set] = 0
	}
	f.plan.filter("postings of words", true, int64(v.index.built), int64(len(met)))
	f.plan.filter("weights", true, int64(len(met)), int64(len(out)))
	tail := v.live(max(from, v.index.built), v.next)
	f.plan.filter("tail", true, int64(len(tail)), int64(len(tail)))
	return v.liveOf(append(out, tail...), from), nil
}

// squared is the weight of a term, squared.
func (p *wordsProbe) squared(t measure.Term) float64 {
	w := float64(t.Count)
	if p.weight != nil {
		w *= float64(p.weight(t.Hash))
	}
	return w * w
}

// postedWeights are the weights that postings can have, by code: 64 to the
// octave, the last is 1. A word's weight is its share of the length of the
// vector, Count/|D|, rounded up, which is by less than 1.1 %; below 2⁻¹⁶ it is
// rounded up to that.
var postedWeights = func() (w [index.MaxCount + 1]float64) {
	const step = 0.98922801319397548 // 2^(−1/64); math.Exp2 may differ between machines
	w[index.MaxCount] = 1
	for code := index.MaxCount; code > 0; code-- {
		w[code-1] = w[code] * step
	}
	return w
}()

// weightCodes returns the code of each term's weight.
func weightCodes(terms measure.Vector) []int {
	total := 0.0
	for _, t := range terms {
		total += float64(t.Count) * float64(t.Count)
	}
	codes := make([]int, len(terms))
	for i, t := range terms {
		w := float64(t.Count) / math.Sqrt(total)
		codes[i], _ = slices.BinarySearch(postedWeights[:index.MaxCount], w)
	}
	return codes
}

// frequencies are how many sets have each word: of those with postings, or of
// all before there are any. So the weight of a word changes when segments are
// built, not with every document.
type frequencies struct {
	n    uint64
	have map[uint32]uint32 // by wordKey
}

func (f *frequencies) sets(hash uint64) uint64 { return uint64(f.have[wordKey(hash)]) }

func (f *frequencies) weight(hash uint64) uint64 { return measure.IDF(f.n, f.sets(hash)) }

// countedWords holds the frequencies of one state of the postings, or of one
// snapshot of a collection without, once someone has asked for them.
type countedWords struct {
	lock lock
	f    *frequencies
}

func newCountedWords() *countedWords { return &countedWords{lock: newLock()} }

func (s *Snapshot) frequencies(ctx context.Context, v *view) (*frequencies, error) {
	counted, count := v.index.words, s.countPostings
	if v.index.built == 0 || !v.kept.words {
		counted, count = v.words, s.countWords
	}
	if err := counted.lock.lock(ctx); err != nil {
		return nil, err
	}
	defer counted.lock.unlock()
	var err error
	if counted.f == nil {
		counted.f, err = count(ctx, v)
	}
	return counted.f, err
}

// countPostings counts in the postings of words.
func (s *Snapshot) countPostings(ctx context.Context, v *view) (*frequencies, error) {
	f := &frequencies{have: map[uint32]uint32{}}
	for _, seg := range s.readThrough(ctx, v) {
		f.n += uint64(seg.Sets)
		err := index.Frequencies(seg, index.Word, func(key uint32, n int) {
			f.have[key] += uint32(n)
		})
		if err != nil {
			return nil, pageError(err)
		}
	}
	return f, nil
}

// countWords counts in all texts.
func (s *Snapshot) countWords(ctx context.Context, v *view) (*frequencies, error) {
	f := &frequencies{n: uint64(v.sets), have: map[uint32]uint32{}}
	err := eachSet(ctx, s, v, v.live(0, v.next), (*bagReader).words, func(_ uint32, terms measure.Vector) error {
		for _, t := range terms {
			f.have[wordKey(t.Hash)]++
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return f, nil
}
