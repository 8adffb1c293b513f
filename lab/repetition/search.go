package repetition

// This file looks documents up in the buckets, one against all and all against
// all, and counts the work.

import (
	"context"
	"time"
)

// pair is two documents by number, a < b.
type pair struct{ a, b int32 }

// work counts what a method does.
type work struct {
	buckets, postings int
	comparisons       int64         // members of the buckets looked up, each time they are met
	candidates        int64         // distinct pairs that met and passed the length filter
	time              time.Duration // of looking up and verifying; of manyMany also of indexing
	found             matches
}

// manyMany starts with no documents, probes with each, and then adds it.
func (m method) manyMany(ctx context.Context, g *judge) (w work, err error) {
	begin := time.Now()
	x := index{}
	p := prober{g, &w, make([]int32, len(g.docs))}
	for i, d := range g.docs {
		if err := ctx.Err(); err != nil {
			return w, err
		}
		in := m.buckets(d)
		p.probe(x, int32(i), in)
		x.add(int32(i), in)
	}
	w.time = time.Since(begin)
	w.buckets, w.postings = len(x), x.postings()
	w.found.sort()
	return w, nil
}

// manyOne indexes all documents and then probes with every nth. A document does
// not meet itself; a pair of two probes is found by both.
func (m method) manyOne(ctx context.Context, g *judge, nth int) (w work, err error) {
	x := index{}
	for i, d := range g.docs {
		x.add(int32(i), m.buckets(d))
	}
	begin := time.Now()
	p := prober{g, &w, make([]int32, len(g.docs))}
	for i := 0; i < len(g.docs); i += nth {
		if err := ctx.Err(); err != nil {
			return w, err
		}
		p.probe(x, int32(i), m.buckets(g.docs[i]))
	}
	w.time = time.Since(begin)
	w.buckets, w.postings = len(x), x.postings()
	w.found.sort()
	return w, nil
}

// prober looks documents up and verifies those it meets.
type prober struct {
	*judge
	work *work
	met  []int32 // met[d]−1 is the last probe that met document d
}

func (p *prober) probe(x index, doc int32, in []bucket) {
	length := uint64(p.docs[doc].len())
	for _, b := range in {
		for _, other := range x[b] {
			if other == doc {
				continue
			}
			p.work.comparisons++
			if p.met[other] == doc+1 {
				continue
			}
			p.met[other] = doc + 1
			if l := uint64(p.docs[other].len()); !p.j.Admits(min(length, l), max(length, l)) {
				continue
			}
			p.work.candidates++
			p.keep(&p.work.found, pair{min(doc, other), max(doc, other)})
		}
	}
}
