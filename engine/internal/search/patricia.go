package search

// The measure of paper 001: how much of one text stands in another, letter by letter
// (docs/decisions/0015).

import (
	"bytes"
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/host"
	"github.com/simdb/simdb/engine/internal/segment"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/sketch"
	"github.com/simdb/simdb/internal/text"
)

// paperMatch is the longest match that does not count in paper 001.
const paperMatch = 15

// indexedMatch is the least Args.Min that the postings of grams serve: a match
// that counts has a character more, and is sure to hold a chosen gram.
const indexedMatch = sketch.MatchBytes - 1

func minMatch(a measure.Args) int {
	if a.Min == 0 {
		return paperMatch
	}
	return a.Min
}

// patriciaProbe finds how much of it other texts hold (paper 001): it is the
// paper's P, they are its C.
type patriciaProbe struct {
	p      *measure.SiStrings
	norm   []byte // P, as SiStrings has it
	min    int
	grams  *sketch.GramSet   // chosen in P, where candidates are looked for
	pieces map[uint32]pieces // where candidates can match
}

func newPatriciaProbe(a measure.Args, doc string) (*patriciaProbe, error) {
	if a.Min < 0 {
		return nil, fault.Invalid("patricia: min is %d: want a number of characters", a.Min)
	}
	norm := text.Char.Normalize(nil, doc)
	return &patriciaProbe{p: measure.NewSiStrings(norm), norm: norm, min: minMatch(a)}, nil
}

func (p *patriciaProbe) score(_ context.Context, doc string) (measure.Score, error) {
	n := uint64(p.p.Len())
	return measure.Score{Shared: uint64(p.p.Matched(text.Char.Normalize(nil, doc), p.min)), Union: n, Of: n}, nil
}

func (p *patriciaProbe) scoreSet(ctx context.Context, r *view.Reader, set uint32) (measure.Score, error) {
	doc, err := r.Text(set)
	if err != nil {
		return measure.Score{}, err
	}
	pieces, known := p.pieces[set]
	return view.Apart(ctx, r.Moment.Shared, int64(len(p.norm)+len(doc)), func() (measure.Score, error) {
		if !known {
			return p.score(ctx, doc)
		}
		norm, n := text.Char.Normalize(nil, doc), uint64(p.p.Len())
		matched := p.p.MatchedIn(norm, pieces.all, p.min)
		return measure.Score{Shared: uint64(matched), Union: n, Of: n}, nil
	})
}

// pieces are pieces of a text, in bytes.
type pieces [][2]int32

func (p pieces) all(yield func(from, to int) bool) {
	for _, x := range p {
		if !yield(int(x[0]), int(x[1])) {
			return
		}
	}
}

// candidates counts the grams that texts share with P, then looks where they
// stand: in both ways it bounds how much can match. See package sketch. It keeps
// where matches can be, for scoreSet.
func (p *patriciaProbe) candidates(ctx context.Context, f *Finder, from uint32) (out []uint32, err error) {
	v := f.v
	least := max(f.q.Min.Ceil(uint64(p.p.Len())), uint64(p.min)+1) // a passage has more than min
	p.grams, err = view.Apart(ctx, f.m.Shared, int64(len(p.norm)), func() (*sketch.GramSet, error) { return sketch.NewGramSet(p.norm), nil })
	if err != nil {
		return nil, err
	}
	counts, err := countGrams(ctx, f, from, p.grams, func(_ uint32, count int) uint32 {
		if count == index.MaxCount {
			return 1 << 24 // as many as any text has
		}
		return uint32(count)
	})
	if err != nil {
		return nil, err
	}
	met := 0
	for set, n := range counts {
		if n > 0 {
			met++
		}
		if n > 0 && sketch.MatchedBound(uint64(n)) >= least {
			out = append(out, uint32(set))
		}
	}
	f.plan.Filter("postings of grams", true, int64(v.Postings.Built), int64(met))
	f.plan.Filter("grams in common", true, int64(met), int64(len(out)))
	out = append(v.LiveOf(out, from), v.Live(max(from, v.Postings.Built), v.Table.Len())...)
	kept := []uint32{}
	p.pieces = map[uint32]pieces{}
	err = view.EachSet(ctx, f.m, v, out, func(r *view.Reader, set uint32) (where pieces, err error) {
		grams, err := r.Grams(set)
		if err != nil {
			return nil, err
		}
		if len(grams) > view.LongText-1 {
			grams = bytes.Clone(grams) // the reader's memory has an end
		}
		return view.Apart(ctx, f.m.Shared, int64(len(grams)), func() (where pieces, err error) {
			most := uint64(0) // matches do not overlap
			for from, to := range p.grams.Runs(grams) {
				if to-from > p.min { // or no passage lies in it
					where, most = append(where, [2]int32{int32(from), int32(to)}), most+uint64(to-from)
				}
			}
			if most < least {
				return nil, nil
			}
			return where, nil
		})
	}, func(set uint32, where pieces) error {
		if where != nil {
			kept = append(kept, set)
			p.pieces[set] = where
		}
		return nil
	})
	f.plan.Filter("runs of grams", true, int64(len(out)), int64(len(kept)))
	return kept, err
}

// countGrams counts, for each set with postings, the grams that may stand in a
// match with the text that grams are of, each weighed by its key and by how often the set
// has it. Workers share the grams, each with counts of its own.
func countGrams(ctx context.Context, f *Finder, from uint32, grams *sketch.GramSet, weigh func(key uint32, count int) uint32) ([]uint32, error) {
	counts := make([][]uint32, host.Workers())
	g, ctx := errgroup.WithContext(ctx)
	for w := range counts {
		mine := make([]uint32, f.v.Postings.Built)
		counts[w] = mine
		g.Go(func() (err error) {
			defer segment.CatchUnreadable(&err)()
			for _, stored := range f.m.LookFrom(ctx, f.v, from) {
				i := 0
				for low, high := range grams.KeyRanges() {
					if i++; i%len(counts) != w {
						continue
					}
					if err := f.m.Interrupted(ctx); err != nil {
						return err
					}
					err := index.EachPosting(stored, index.Gram, low, high, func(key, set uint32, count int) {
						if grams.Shares(key) {
							mine[set] = min(mine[set]+weigh(key, count), 1<<28)
						}
					})
					if err != nil {
						return segment.PageError(err)
					}
				}
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	for _, more := range counts[1:] {
		for set, n := range more {
			counts[0][set] = min(counts[0][set]+n, 1<<28)
		}
	}
	return counts[0], nil
}
