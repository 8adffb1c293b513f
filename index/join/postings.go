package join

import (
	"context"
	"fmt"
	"slices"

	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/progress"
)

// This file joins sets by the buckets they share: in one cell if that has room in
// memory, or in many.

// Postings finds the candidate pairs among the sets of the segments, for the
// threshold of the ranks. A pair shares a bucket of kind k, and passes the
// length filter and the parity signatures. Prefix buckets lose no match,
// Interval buckets are lossy. Each pair is found once. Postings calls found
// with portions of pairs, each ascending by (a, b), a < b; found may keep the
// list. It uses workers goroutines, returns within 100 ms after ctx has ended,
// and holds at most about memory bytes. What has no room there is written to
// scratch; nil means the Go heap. A MemoryError says that memory is too little.
// Ranks that have memory of their own can be joined only once.
//
// Sets are ranked by size, so the length filter is a range of ranks. The
// buckets of a range of keys are read once, and those with a single set are
// left out. A bucket of few sets becomes a list of pairs that the length filter
// allows, approximately, each under its lower rank. The other buckets are kept,
// and each of their ranks lists its places in them. So everything that one rank
// meets is found together. A stamp for each partner tells which ones were met
// already. A pair that shares 100 buckets costs 99 stamps and one look at the
// signatures, and only the result is sorted. (Writing down each meeting and
// removing repeats afterwards costs ten times as much for a clump of 5,000
// near-copies, which meet in every bucket of their prefixes.)
//
// If all ranks are one cell, what does not fit in memory is done in rounds, each
// for the keys that come next. Once there are enough pairs for a portion, the
// join stops at a rank. The further ranks are another portion, for which the
// keys are read again, unless a single round had all of them. Joins of more sets
// read the postings once, deal the buckets to many cells, and go through the
// cells one after another.
func Postings(ctx context.Context, r *Ranks, segments []index.Stored, l index.Layout, k index.Kind, workers int, memory int64, scratch Scratch, found func([]Pair) error) (Stats, error) {
	j, err := newPostingJoin(r, segments, l, k)
	if err != nil {
		return Stats{}, err
	}
	defer r.memory.Free()
	if scratch == nil {
		scratch = &heapScratch{}
	}
	p, err := j.plan(ctx, max(workers, 1), memory)
	if err != nil {
		return Stats{}, err
	}
	if p.stretches != nil {
		err = j.inCells(ctx, p, scratch, found)
	} else {
		err = j.inOneCell(ctx, p, found)
	}
	return j.stats, err
}

// postingJoin is a running call of Postings.
type postingJoin struct {
	*Ranks
	segments    []index.Stored
	layout      index.Layout
	kind        index.Kind
	entries     uint64 // of all segments
	tier, short uint8  // highest tier read for the longer, the shorter set of a pair
	parts       int    // how many parts of the keys have these tiers
	stats       Stats
	reading     *progress.Stage // of the postings
}

func newPostingJoin(r *Ranks, segments []index.Stored, l index.Layout, k index.Kind) (*postingJoin, error) {
	tier := index.TierOf(r.t)
	j := &postingJoin{Ranks: r, segments: segments, layout: l, kind: k, tier: tier, short: shortTier(r.t, tier), parts: index.PartOf(tier) + 1}
	for _, s := range segments {
		if s.Runs[k] == nil {
			return nil, fmt.Errorf("join: segment [%d,%d) has no run of kind %d", s.Lo, s.Hi, k)
		}
		j.entries += s.Runs[k].Entries
	}
	return j, nil
}

// inOneCell joins all ranks at once.
func (j *postingJoin) inOneCell(ctx context.Context, p plan, found func([]Pair) error) error {
	n := len(j.set)
	c := newCell(j.Ranks, j.memory, n, n, p.workers, p.memory-j.bytesOfOne(0), j.entries, &j.stats)
	c.reset(stretch{0, uint32(n)}, stretch{0, uint32(n)})
	for i, s := range j.spans(p.workers) {
		c.ranges[i].keySpan = s
	}
	c.begin = j.beginReading
	c.read = func(ctx context.Context, p *keyRange) error { return j.readBuckets(ctx, &p.keySpan, p) }
	c.head = j.heads(j.memory.Words(j.headWords()), p.workers)
	return c.join(ctx, func(pairs []uint64, last bool) error {
		slices.Sort(pairs)
		if last { // what the caller makes of the last portion may take as much
			c.ranges, c.meetings, c.head = nil, nil, sigHeads{}
			j.memory.Free()
		}
		return found(unpacked(pairs))
	})
}

// beginReading begins a stage: all postings of the parts that the join needs will be read.
// Parts are told apart by their pages, of about as many postings each.
func (j *postingJoin) beginReading(ctx context.Context) {
	total := 0.0
	for _, s := range j.segments {
		run := s.Runs[j.kind]
		pages, _ := slices.BinarySearch(run.First, index.PartKey(j.parts, 0))
		total += float64(run.Entries) * float64(pages) / float64(max(len(run.First), 1))
	}
	_, j.reading = progress.Begin(ctx, "postings read", int64(total))
}

// spans shares out the keys among workers.
func (j *postingJoin) spans(workers int) (out []keySpan) {
	tokens, first := j.tokens(), uint64(0)
	for i := range workers {
		end := uint64(1) << index.TokenBits
		if i+1 < workers && len(tokens) > 0 {
			end = tokens[len(tokens)*(i+1)/workers]
		}
		out = append(out, keySpan{first: first, next: first, end: end})
		first = end
	}
	return out
}

// tokens returns the keys where some of the pages begin, ascending, with about
// as many postings between each two. Tokens are not spread evenly: among
// shingles that are equally rare an order prefers the least.
func (j *postingJoin) tokens() (out []uint64) {
	const most = 1 << 14
	for _, s := range j.segments {
		first := s.Runs[j.kind].First
		end, _ := slices.BinarySearch(first, index.PartKey(j.parts, 0))
		for i := 0; i < end; i += 1 + end*len(j.segments)/most {
			out = append(out, first[i]%(1<<index.TokenBits))
		}
	}
	slices.Sort(out)
	return out
}

// shortTier returns the highest tier that the shorter of two sets needs. Sets
// of n ≤ m members share at least ⌈t/(1+t)·(n+m)⌉ ≥ ⌈2t/(1+t)·n⌉ members. So
// the first shared one stands in the prefix of the shorter set for 2t/(1+t).
// The comparison is in float64 with a margin: a tier too many costs time, no
// match.
func shortTier(t measure.Threshold, tier uint8) uint8 {
	f := t.Float64()
	for i, u := range index.Tiers()[:tier] {
		if u.Float64() < 2*f/(1+f)-1e-9 {
			return uint8(i)
		}
	}
	return tier
}
