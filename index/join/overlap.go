package join

import (
	"context"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/progress"
)

// This file joins sets by how many members they share, for every measure of bags
// and every threshold.

// An Overlap is a join by a measure of bags. It needs the tokens of all members.
type Overlap struct {
	Formula measure.Formula
	Min     measure.Threshold
	Sides   []Side  // one, which is joined with itself, or two: the queries and the documents
	Memory  Memory  // nil: the Go heap
	Scratch Scratch // nil: memory

	room   int    // set by tests: members of buckets in memory, for each worker
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
// side. With one side and a measure that is not symmetric, a pair is found if
// either direction may be a match. Pairs calls found with portions, each
// ascending; found may keep the list. It uses workers goroutines, returns within
// 100 ms after ctx has ended, and holds about memory bytes. It frees Memory.
//
// Formula.Need says how many members two sets must share. Sets are ranked so that
// no set needs less of a higher rank than of one like itself (overlapRanks). So
// each set probes the higher ranks, and knows from the start how much it must
// share with any of them. Of n members that share s, any n−s+1 have one that is
// shared. So a set probes with a prefix, in the order of its own collection, and is
// held against all tokens of the others, which need no order. What a set must share
// with another may be next to nothing of the other, whose prefix would not do.
//
// The sets that have a token are its bucket, if one of them probes with it. If all
// buckets have no room in memory, tokens are read in rounds, a range of tokens in
// each. If two sets share s of the n members that one of them probes with, then in some
// round they share at least the same part, s/n, of its members in that round. So the
// rounds are joined apart, and a pair of matches is found in one of them at least.
//
// Within a round a probe that has k tokens and must share m of them goes through
// the sets of its k−m+1 shortest buckets, and counts how often it meets each. A
// partner that is in none of these shares less than m. The longer buckets are
// only asked for those that were met, as long as they can still reach m.
//
// If rounds would be too short, tokens are read once and their buckets dealt to the
// cells that their sets meet in (overlapDealer).
func (o *Overlap) Pairs(ctx context.Context, workers int, memory int64, found func([]Pair) error) (stats Stats, err error) {
	if o.Memory == nil {
		o.Memory = heapMemory{}
	}
	if o.Scratch == nil {
		o.Scratch = &heapScratch{}
	}
	defer func() { o.Memory.Free() }()
	p, err := o.plan(workers, memory)
	if err != nil {
		return stats, err
	}
	r, err := o.rank()
	if err != nil {
		return stats, err
	}
	j := &overlapJoin{overlapRanks: r, overlapPlan: p, found: found}
	if p.length > 0 {
		err = j.inCells(ctx)
	} else {
		err = j.inRounds(ctx)
	}
	if err != nil {
		return j.stats, err
	}
	err = j.finish(ctx)
	return j.stats, err
}

// overlapJoin is a running call of Pairs.
type overlapJoin struct {
	*overlapRanks
	overlapPlan

	mu    sync.Mutex
	once  bool     // what is found now will not be found again
	pairs []uint64 // found and not handed over
	runs  []*pairRun
	found func([]Pair) error
	stats Stats

	reading *progress.Stage // of the tokens
}

// inRounds joins all sets as one cell.
func (j *overlapJoin) inRounds(ctx context.Context) error {
	all := stretch{0, uint32(len(j.number))}
	c := j.newCell(all.len(), j.room+j.slice)
	c.reset(all, all)
	readers := j.readers(func(int) []uint32 { return j.Memory.Halves(all.len()) })
	j.beginReading(ctx)
	for more := true; more; {
		g, fill := errgroup.WithContext(ctx)
		for i, r := range readers {
			g.Go(func() error { return r.fill(fill, c.tables[i]) })
		}
		if err := g.Wait(); err != nil {
			return err
		}
		more = slices.ContainsFunc(readers, func(r *overlapReader) bool { return r.next < r.end })
		j.once = j.stats.Rounds == 0 && !more
		j.stats.Rounds++
		c.part = func(x uint32) (of, all uint64) {
			for _, r := range readers {
				of += uint64(r.total[x])
			}
			return of, uint64(c.probes[x])
		}
		if j.once {
			c.part = nil
		}
		if err := c.probe(ctx); err != nil {
			return err
		}
	}
	j.counted(readers, c)
	return nil
}

// beginReading begins a stage: all tokens will be read.
func (j *overlapJoin) beginReading(ctx context.Context) {
	total := int64(0)
	for _, s := range j.Sides {
		total += s.Tokens.Count()
	}
	_, j.reading = progress.Begin(ctx, "tokens read", total)
}

// counted takes the counts of workers.
func (j *overlapJoin) counted(readers []*overlapReader, c *overlapCell) {
	for _, r := range readers {
		j.stats.Postings += r.read
	}
	for _, p := range c.probers {
		j.stats.Pairs += p.met
		j.stats.Length += p.shared
	}
}

// take takes the pairs that a worker has found. If there are too many it hands them
// over, or lets them wait for the last round, because other rounds find some again.
func (j *overlapJoin) take(ctx context.Context, p *overlapProbe) error {
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
	switch j.pairs = slices.Compact(j.pairs); {
	case j.once && len(j.runs) == 0:
		return j.handOver()
	case len(j.pairs) <= j.most/2:
		return nil
	}
	return j.spill()
}

// handOver hands over the pairs, which are sorted.
func (j *overlapJoin) handOver() error {
	pairs := unpacked(j.pairs)
	j.pairs = j.pairs[:0]
	j.stats.Signature += int64(len(pairs))
	return j.found(pairs)
}
