package engine

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/measure"
)

// wordsProbe compares word frequencies (paper 004).
type wordsProbe struct {
	v      *view
	terms  measure.Vector
	weight func(hash uint64) uint64 // nil: every word weighs 1
	common *frequencies
}

func (s *Snapshot) newWordsProbe(ctx context.Context, v *view, a measure.Args, text string) (*wordsProbe, error) {
	p := &wordsProbe{v: v, terms: measure.WordsOf(text)}
	if !a.IDF && !v.kept.words {
		return p, nil // no one will ask for frequencies
	}
	var err error
	if p.common, err = s.frequencies(ctx, v); err != nil {
		return nil, err
	}
	if a.IDF {
		p.weight = p.common.weight
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

// queryTerm is a word of the probe, its weight squared and how many sets have it.
type queryTerm struct {
	key    uint32
	square float64
	sets   uint64
}

// candidates reads the postings of the probe's words and adds up, for each set,
// the squared weights of those that it has. The cosine with a text that has
// the part M of the probe Q's words is at most |M|/|Q| (Cauchy and Schwarz), so
// that the texts with |M|² ≥ sim²·|Q|² hold every match. The commonest words, up
// to half of what decides, are not looked up but taken to be in every text.
func (p *wordsProbe) candidates(ctx context.Context, f *finder, from uint32) (out []uint32, err error) {
	v := f.v
	var terms []queryTerm
	total := 0.0
	for _, t := range p.terms {
		w := float64(t.Count)
		if p.weight != nil {
			w *= float64(p.weight(t.Hash))
		}
		terms = append(terms, queryTerm{wordKey(t.Hash), w * w, p.common.sets(t.Hash)})
		total += w * w
	}
	slices.SortFunc(terms, func(a, b queryTerm) int { return cmp.Compare(b.sets, a.sets) })
	least := f.q.Min.Float64() * f.q.Min.Float64() * total * (1 - 1e-9) // rounding must lose none
	spared, half := 0.0, least/2
	for len(terms) > 0 && terms[0].sets > p.common.n/8 && spared+terms[0].square <= half {
		spared += terms[0].square
		terms = terms[1:]
	}
	mass := make([]float64, v.index.built)
	var met []uint32
	for _, seg := range v.index.segments {
		if err := f.s.interrupted(ctx); err != nil {
			return nil, err
		}
		if seg.Hi <= from {
			continue
		}
		stored := f.s.stored(v, seg)
		for _, t := range terms {
			err := index.EachPosting(stored, index.Word, t.key, func(set uint32, _ int, _ bool) {
				if mass[set] == 0 {
					met = append(met, set)
				}
				mass[set] += t.square
			})
			if err != nil {
				return nil, pageError(err)
			}
		}
	}
	for _, set := range met {
		if mass[set]+spared >= least {
			out = append(out, set)
		}
	}
	f.plan.filter("postings of words", true, int64(v.index.built), int64(len(met)))
	f.plan.filter("words in common", true, int64(len(met)), int64(len(out)))
	tail := v.live(max(from, v.index.built), v.next)
	f.plan.filter("tail", true, int64(len(tail)), int64(len(tail)))
	return v.liveOf(append(out, tail...), from), nil
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

// countedWords holds the frequencies of one state of the postings, once someone
// has asked for them.
type countedWords struct {
	mu sync.Mutex
	f  *frequencies
}

func (s *Snapshot) frequencies(ctx context.Context, v *view) (*frequencies, error) {
	if v.index.built == 0 || !v.kept.words {
		return s.countWords(ctx, v)
	}
	counted := v.index.words
	counted.mu.Lock()
	defer counted.mu.Unlock()
	if counted.f != nil {
		return counted.f, nil
	}
	f := &frequencies{have: map[uint32]uint32{}}
	for _, seg := range v.index.segments {
		if err := s.interrupted(ctx); err != nil {
			return nil, err
		}
		f.n += uint64(seg.Sets)
		pages := segmentPages{db: s.db, r: s.pebble, c: v.collection, seg: seg, past: true} // each is read once
		err := index.Frequencies(index.Stored{Segment: seg.Segment, Reader: pages}, index.Word, func(key uint32, n int) {
			f.have[key] += uint32(n)
		})
		if err != nil {
			return nil, pageError(err)
		}
	}
	counted.f = f
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
	return f, err
}
