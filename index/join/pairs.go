package join

// The join of sets, from ranking to delivery of the pairs.

import (
	"context"

	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/progress"
)

// Pairs finds the pairs that may share as many tokens as a match requires and that the parity
// signatures admit. It misses no match. In a pair of one side, A is the lower set; of two sides, A
// is the set of the first, and the numbers of B continue those of the first side. With one
// collection and an asymmetric measure, a pair is found if either direction may match. Pairs calls
// found with portions, each in ascending order; found may keep the slice, and with one worker the
// portions are deterministic. Pairs uses workers goroutines, returns within 100 ms after ctx ends,
// and takes about memory bytes. It frees Memory before it delivers, unless the pairs that await
// delivery exceed their scratch. It returns a MemoryError if memory is too small.
//
// Formula.Need returns the number of members that two sets must share. Sets are ranked so that a set
// must share at least as many members with a set of higher rank as with a set of its own size (type
// ranks). So each set probes only the higher ranks, and there is a least number s of members that it
// must share with any of them. If s of its n members are shared, any n−s+1 include a shared one. So
// a set probes with a prefix, in the order of its collection.
//
// Sets of one collection share an order, and are therefore met in a prefix too. Sets of two
// collections have separate orders, and are met in all their tokens. So are the sets of a measure
// that counts repetitions, or by which a match may share almost nothing of the larger set.
//
// The bucket of a token holds the sets that contain it, if at least one of these sets probes with
// the token. Tokens are read once, and their buckets dealt to cells (dealer). In a cell, each set
// counts how often it meets each higher set (prober). A Signed join instead compares each set with
// all higher sets in reach by signatures.
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
	j := &running{ranks: r, found: found, runs: runs{store: &store{scratch: s.Scratch.Apart(), full: true}}}
	defer func() { j.runs.scratch.Close() }()
	if j.plan, err = r.plan(workers, memory-8*int64(len(r.wide))); err != nil {
		return stats, err
	}
	err = j.join(ctx)
	return j.stats, err
}

// join deals all tokens, then joins cell by cell.
func (j *running) join(ctx context.Context) error {
	d := j.deal()
	j.dealt = &store{scratch: j.Scratch, full: j.spills}
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
	c := j.newJoiner(min(int(j.length), len(j.number)))
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
	j.Memory.Free()
	if err := index.SortUntil(ctx.Err, j.pairs); err != nil {
		return err
	}
	return j.handOverAll()
}
