package join

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/measure"
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

	room int // set by tests: members of buckets in a round, for each worker
}

// A Side is sets with their tokens.
type Side struct {
	Sets   index.View
	Tokens Tokens
}

// Pairs finds the pairs that share as many tokens as a match must, and that the
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
// share with any of them.
//
// Tokens are read in rounds, a range of tokens in each, as many as there is memory
// for. In a round the sets that have a token are its bucket. If two sets share s
// of the n members of one of them, then in some round they share at least the
// same part, s/n, of its members in that round. So the rounds are joined apart,
// and a pair of matches is found in one of them at least.
//
// Within a round a probe that has k tokens and must share m of them goes through
// the sets of its k−m+1 shortest buckets, and counts how often it meets each. A
// partner that is in none of these shares less than m. The longer buckets are
// only asked for those that were met, as long as they can still reach m.
//
// No order of shingles is needed, so sets of two collections are joined as well
// as those of one. Prefixes would not do here: what one set must share with
// another may be next to nothing of the other.
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
	j := &overlapJoin{overlapRanks: o.rank(), overlapPlan: p, found: found}
	n := len(j.number)
	for i := range uint64(p.workers) {
		j.parts = append(j.parts, &overlapPart{
			overlapJoin: j, next: tokens * i / uint64(p.workers), end: tokens * (i + 1) / uint64(p.workers),
			members: o.Memory.Halves(p.room + p.slice)[:0], places: o.Memory.Halves(p.room + p.slice)[:0],
			start: o.Memory.Halves(n + 1), total: o.Memory.Halves(n),
		})
		j.probes = append(j.probes, &overlapProbe{overlapJoin: j, counts: o.Memory.Halves(n)})
	}
	for more := true; more; {
		if more, err = j.read(ctx); err != nil {
			return stats, err
		}
		j.whole = j.stats.Rounds == 0 && !more
		j.stats.Rounds++
		if err := j.probe(ctx); err != nil {
			return stats, err
		}
	}
	for _, p := range j.parts {
		j.stats.Postings += p.read
	}
	for _, p := range j.probes {
		j.stats.Pairs += p.met
		j.stats.Length += p.shared
	}
	err = j.finish(ctx)
	return j.stats, err
}

// overlapJoin is a running call of Pairs.
type overlapJoin struct {
	*overlapRanks
	overlapPlan
	parts  []*overlapPart
	probes []*overlapProbe

	mu    sync.Mutex
	whole bool     // the round has all tokens
	pairs []uint64 // found and not handed over
	runs  []*pairRun
	found func([]Pair) error
	stats Stats
}

// read reads the tokens of a round, a part for each worker. more reports whether there
// are more.
func (j *overlapJoin) read(ctx context.Context) (more bool, err error) {
	g, ctx := errgroup.WithContext(ctx)
	for _, p := range j.parts {
		g.Go(func() error { return p.fill(ctx) })
	}
	err = g.Wait()
	for _, p := range j.parts {
		more = more || p.next < p.end
	}
	return more, err
}

// probe lets each rank probe the buckets of a round.
func (j *overlapJoin) probe(ctx context.Context) error {
	const stretch = 64 // ranks that a worker takes at a time
	var next atomic.Int64
	g, ctx := errgroup.WithContext(ctx)
	for _, p := range j.probes {
		g.Go(func() (err error) {
			defer index.CatchUnreadable(&err)()
			for {
				from := int(next.Add(stretch)) - stretch
				if from >= len(j.number) {
					return j.take(ctx, p)
				}
				for x := from; x < min(from+stretch, len(j.number)); x++ {
					if err := ctx.Err(); err != nil {
						return err
					}
					p.partners(uint32(x))
				}
				if len(p.pairs) > j.most/j.workers {
					if err := j.take(ctx, p); err != nil {
						return err
					}
				}
			}
		})
	}
	return g.Wait()
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
	case j.whole:
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

// overlapPlan is how a join goes.
type overlapPlan struct {
	workers int
	room    int    // members of buckets in a round, for each worker
	slice   int    // tokens that a worker sorts at once, about
	width   uint64 // the range of tokens that has so many
	most    int    // pairs that wait to be handed over
}

// These are the bytes that a join takes for each set, and more for each worker; for
// each token that is sorted; and for each that stays in a bucket, with its places and
// the bucket's ends.
const (
	bytesPerOverlap       = 28
	bytesPerOverlapWorker = 12
	bytesPerSorted        = 24
	bytesPerToken         = 12
	// Rounds in which sets have fewer members on average tell too little.
	leastOfRound = 8
	mostSlice    = 1 << 18 // so that sorting stays in the cache
)

// fewTokens are joined in one round whatever the memory is.
const fewTokens = 1 << 16

// OverlapFits returns a MemoryError if memory bytes are too little for a join of so
// many sets, with so many tokens in all.
func OverlapFits(sets, all int64, workers int, memory int64) error {
	_, err := overlapRoom(sets, all, workers, memory)
	return err
}

// overlapRoom returns how many tokens can be in buckets.
func overlapRoom(sets, all int64, workers int, memory int64) (tokens int64, err error) {
	fixed := sets*int64(bytesPerOverlap+workers*bytesPerOverlapWorker) + min(all, int64(workers)*mostSlice)*bytesPerSorted
	tokens = (memory/4*3 - fixed) / bytesPerToken
	rounds := max(all/max(sets, 1)/leastOfRound, 1)
	if least := all / rounds; tokens < least && all > fewTokens {
		return 0, &MemoryError{int(sets), (fixed + (least+1)*bytesPerToken + 3) / 3 * 4}
	}
	return max(tokens, fewTokens), nil
}

func (o *Overlap) plan(workers int, memory int64) (p overlapPlan, err error) {
	sets, all := int64(0), int64(0)
	for _, s := range o.Sides {
		sets += int64(s.Sets.Len())
		all += s.Tokens.Count()
	}
	p = overlapPlan{workers: max(workers, 1), most: int(max(memory/4/bytesPerPair, 16))}
	if p.room = o.room; p.room == 0 {
		room, err := overlapRoom(sets, all, p.workers, memory)
		if err != nil {
			return p, err
		}
		p.room = max(int(min(room, all))/p.workers, 1) // a round always gets further
	}
	each := all/int64(p.workers) + 1
	p.slice = int(min(each, mostSlice, int64(p.room/4+1)))
	p.width = uint64(tokens / int64(p.workers) * int64(p.slice) / each)
	return p, nil
}
