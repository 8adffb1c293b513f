package join

import (
	"context"
	"slices"
	"sync"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/progress"
)

// This file joins sets by how many members they share, for every measure of bags
// and every threshold.

// Sets is a join by a measure of bags. It needs the tokens of all members, or, if it is
// Signed, no more than the facts of the sets.
type Sets struct {
	Formula measure.Formula
	Min     api.Threshold
	Sides   []Side  // one, which is joined with itself, or two: the queries and the documents
	Whole   bool    // two sides are parts of one collection: in one order, and a match in either direction counts
	Memory  Memory  // nil: the Go heap
	Scratch Scratch // nil: memory
	Signed  bool    // sets are compared by their signatures, and no tokens are read
	Wide    int     // signatures are made of Bags, so many times as wide as the sets' own; 0: these do
	Bags    Bags

	room   int    // set by tests: words in memory
	length uint32 // set by tests: of a stretch
}

// A Side is sets with their tokens.
type Side struct {
	Sets   index.View
	Tokens Tokens
}

// Pairs finds the pairs that may share as many tokens as a match must, and that the
// parity signatures let through. It loses no match. A of a pair is the lower set,
// or the one of the first side; then B is numbered behind the sets of the first
// side. With one collection and a measure that is not symmetric, a pair is found if
// either direction may be a match. Pairs calls found with portions, each
// ascending; found may keep the list, and with one worker the portions are always the
// same. It uses workers goroutines, returns within 100 ms after ctx has ended, and holds
// about memory bytes. It frees Memory.
//
// Formula.Need says how many members two sets must share. Sets are ranked so that
// no set needs less of a higher rank than of one like itself (ranks). So each set
// probes the higher ranks, and knows from the start how much it must share with any
// of them. Of n members that share s, any n−s+1 have one that is shared. So a set
// probes with a prefix, in the order of its own collection.
//
// Sets of one collection are in one order, and are met in a prefix of theirs too. Those
// of two collections are in orders of their own, and are held against all tokens of each
// other. So they are where a match may be next to nothing of the larger set.
//
// The sets that have a token are its bucket, if one of them probes with it. Tokens are read
// once, and their buckets dealt to the cells that the sets meet in (dealer). In a cell,
// each set counts how often it meets each of the higher ones (prober). If the join is
// Signed, each set is compared with all higher ones in its reach instead, by signatures.
func (s *Sets) Pairs(ctx context.Context, workers int, memory int64, found func([]Pair) error) (stats Stats, err error) {
	if s.Memory == nil {
		s.Memory = heapMemory{}
	}
	if s.Scratch == nil {
		s.Scratch = &heapScratch{}
	}
	defer func() { s.Memory.Free() }()
	r, err := s.rank()
	if err != nil {
		return stats, err
	}
	if err := r.widen(ctx, uint32(len(r.rankOf))); err != nil {
		return stats, err
	}
	j := &running{ranks: r, found: found}
	if j.plan, err = r.plan(workers, memory-8*int64(len(r.wide))); err != nil {
		return stats, err
	}
	err = j.join(ctx)
	return j.stats, err
}

// running is a call of Pairs.
type running struct {
	*ranks
	plan
	dealt *hoard

	mu    sync.Mutex
	pairs []uint64 // found and not handed over
	found func([]Pair) error
	stats Stats
}

// join deals all tokens, and joins cell by cell.
func (j *running) join(ctx context.Context) error {
	d := j.deal()
	j.dealt = &hoard{scratch: j.Scratch, full: j.spills}
	var dealt extents
	if !j.Signed {
		j.dealt.words = j.Memory.Halves(j.room)
		var err error
		if dealt, err = d.tokens(ctx); err != nil {
			return err
		}
	}
	j.apart.Free()
	j.stats.Cells, j.stats.Dealt = int64(d.cells), 4*j.dealt.spilled
	c := j.newCell(min(int(j.length), len(j.number)))
	ctx, stage := progress.Begin(ctx, "sets joined", int64(d.cells))
	for i, low := range d.stretches {
		for k := i; k <= d.reached(i); k++ {
			if list := dealt.of(d.first[i] + k - i); len(list) > 0 || j.Signed {
				if err := c.join(ctx, low, d.stretches[k], list); err != nil {
					return err
				}
			}
			stage.Add(1)
		}
	}
	for _, p := range c.probers {
		j.stats.Pairs += p.met
		j.stats.Length += p.shared
	}
	if err := index.SortUntil(ctx.Err, j.pairs); err != nil {
		return err
	}
	return j.handOver()
}

// take takes the pairs that a worker has found, and hands them over if there are too many.
func (j *running) take(ctx context.Context, p *prober) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.pairs = append(j.pairs, p.pairs...)
	p.pairs = p.pairs[:0]
	if len(j.pairs) <= j.most {
		return nil
	}
	if err := index.SortUntil(ctx.Err, j.pairs); err != nil {
		return err
	}
	return j.handOver()
}

// handOver hands over the pairs, which are sorted, in portions: of many pairs those of a
// portion have sets that lie near each other.
func (j *running) handOver() error {
	for portion := range slices.Chunk(j.pairs, j.portion) {
		pairs := make([]Pair, len(portion))
		for i, p := range portion {
			pairs[i] = Pair{uint32(p >> 32), uint32(p)}
		}
		if err := j.found(pairs); err != nil {
			return err
		}
	}
	j.stats.Signature += int64(len(j.pairs))
	j.pairs = j.pairs[:0]
	return nil
}

// Stats counts what a join did.
type Stats struct {
	Postings  int64 // read
	Pairs     int64 // met in a bucket, as often as they meet
	Length    int64 // of a fitting size, that share enough as far as is counted
	Signature int64 // left by the signatures: the result
	Cells     int64 // that the join was dealt to
	Dealt     int64 // bytes written to scratch
}

// Pair is two set numbers, A < B.
type Pair struct{ A, B uint32 }

// packed returns the pair of two sets as the number a<<32 | b, a < b.
func packed(a, b uint32) uint64 { return uint64(min(a, b))<<32 | uint64(max(a, b)) }

// grown returns n words, in b if it has room.
func grown(b []uint32, n int) []uint32 { return slices.Grow(b[:0], n)[:n] }
