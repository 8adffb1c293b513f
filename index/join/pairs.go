package join

// The join of sets, from their ranks to the pairs that are handed over.

import (
	"context"

	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/progress"
)

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
	if err := index.SortUntil(ctx.Err, j.pairs); err != nil {
		return err
	}
	return j.handOver()
}
