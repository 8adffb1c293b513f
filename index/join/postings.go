package join

import (
	"context"
	"fmt"
	"slices"

	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/measure"
)

// This file joins sets by the buckets they share. It shares out keys and
// memory, and works in rounds and portions.

// Postings finds the candidate pairs among the sets of the segments, for the
// threshold of the ranks. A pair shares a bucket of kind k, and passes the
// length filter and the parity signatures. Prefix buckets lose no match,
// Interval buckets are lossy. Each pair is found once. Postings calls found
// with portions of pairs, each ascending by (a, b), a < b; found may keep the
// list. It uses workers goroutines, returns within 100 ms after ctx has ended,
// and holds at most about memory bytes. Ranks that have memory of their own can
// be joined only once.
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
// What does not fit in memory is done in rounds, each for the keys that come
// next. Once there are enough pairs for a portion, the join stops at a rank.
// The further ranks are another portion, for which the keys are read again,
// unless a single round had all of them.
func Postings(ctx context.Context, r *Ranks, segments []index.Stored, l index.Layout, k index.Kind, workers int, memory int64, found func([]Pair) error) (Stats, error) {
	j, err := newPostingJoin(r, segments, l, k)
	if err != nil {
		return Stats{}, err
	}
	defer j.free()
	j.work(max(workers, 1), memory)
	j.head = r.heads(j.memory.Words(r.headWords()), len(j.meetings))
	n := len(r.set)
	for from := 0; from < n; {
		pairs, to, err := j.portion(ctx, from)
		if err != nil {
			return Stats{}, err
		}
		j.stats.Signature += int64(len(pairs))
		for i, p := range pairs {
			pairs[i] = packed(r.set[p>>32], r.set[uint32(p)])
		}
		slices.Sort(pairs)
		if to == n { // what the caller makes of the last portion may take as much
			j.free()
		}
		if err := found(unpacked(pairs)); err != nil {
			return Stats{}, err
		}
		from = to
	}
	return j.stats, nil
}

// postingJoin is a running call of Postings. It holds a pair of ranks as
// low<<32 | high.
type postingJoin struct {
	*Ranks
	segments    []index.Stored
	kind        index.Kind
	entries     uint64 // of all segments
	tier, short uint8  // highest tier read for the longer, the shorter set of a pair
	parts       int    // how many parts of the keys have these tiers
	head        sigHeads
	ranges      []*keyRange
	meetings    []*meeting // one for each worker
	most        int        // pairs that are found at a time; a portion has half of them
	whole       bool       // the ranges have all keys
	stats       Stats
}

// newPostingJoin makes a join that has no memory yet.
func newPostingJoin(r *Ranks, segments []index.Stored, l index.Layout, k index.Kind) (*postingJoin, error) {
	tier, ok := l.Tiers.At(r.t)
	if !ok || k > index.Interval {
		return nil, fmt.Errorf("join: no run of kind %d serves a join at %v", k, r.t)
	}
	j := &postingJoin{Ranks: r, segments: segments, kind: k, tier: tier, short: shortTier(l.Tiers, k, r.t, tier), parts: l.Tiers.Part(tier) + 1}
	for _, s := range segments {
		if s.Runs[k] == nil {
			return nil, fmt.Errorf("join: segment [%d,%d) has no run of kind %d", s.Lo, s.Hi, k)
		}
		j.entries += s.Runs[k].Entries
	}
	return j, nil
}

// These are the bytes that a range of keys takes for each listed rank, as it
// was read and in the order of ranks, and for a set in a bucket. The last are
// those for each pair found at a time: in a list, in the merged lists, in the
// result, and in what the caller makes of it.
const (
	bytesPerListed = 12
	bytesPerSet    = 4
	bytesPerPair   = 64
)

// fewSets is the most postings of a bucket whose pairs are listed. Going to a
// bucket means waiting for memory, and most buckets have two or three sets. But
// the number of pairs grows with the square of the sets.
const fewSets = 8

// work shares out keys and memory among workers.
func (j *postingJoin) work(workers int, memory int64) {
	memory -= 8*int64(j.headWords()) + int64(len(j.set))*int64(16+8*workers) // heads; ranks, stamps and starts
	j.most = int(max(memory/4/bytesPerPair, 16))
	room := max(memory/4*3, 1<<12) / int64(workers)
	room = max(room, int64(j.entries)*bytesPerListed/int64(256*workers)) // each round goes over all ranks
	room = min(room, int64(j.entries)*(fewSets-1)*bytesPerListed, 1<<32) // all pairs; inBucket has 31 bits
	listed, inBuckets := int(room/8*7/bytesPerListed)+1, int(room/8/bytesPerSet)+1
	most := len(j.set) + fewSets*fewSets // the last bucket may exceed the room
	tokens, first, limits := j.tokens(), uint64(0), j.limits()
	for i := range workers {
		end := uint64(1) << index.TokenBits
		if i+1 < workers && len(tokens) > 0 {
			end = tokens[len(tokens)*(i+1)/workers]
		}
		j.ranges = append(j.ranges, &keyRange{
			limits: limits, first: first, end: end, mostListed: listed, mostInBuckets: inBuckets,
			listed: j.memory.Words(listed + most)[:0], places: j.memory.Halves(listed + most),
			buckets: j.memory.Halves(inBuckets + most + 1)[:0], start: j.memory.Halves(len(j.set) + 1),
		})
		j.meetings = append(j.meetings, &meeting{postingJoin: j, stamps: j.memory.Halves(len(j.set))})
		first = end
	}
}

// free gives back the tables.
func (j *postingJoin) free() {
	j.ranges, j.meetings, j.head = nil, nil, sigHeads{}
	j.memory.Free()
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

// portion finds the pairs of the ranks [from, to) with higher ones, sorted.
func (j *postingJoin) portion(ctx context.Context, from int) (pairs []uint64, to int, err error) {
	to = len(j.set)
	for round := 0; ; round++ {
		more := false
		if !j.whole {
			if more, err = j.readParts(ctx, round == 0); err != nil {
				return nil, 0, err
			}
			j.whole = round == 0 && !more
		}
		found, reached, err := j.meet(ctx, from, to, pairs)
		if err != nil {
			return nil, 0, err
		}
		pairs = merged(append(found, pairs))
		if len(pairs) > 2*j.most { // each round has found others
			reached = min(reached, max(from+1, int(pairs[j.most]>>32)))
		}
		if reached < to {
			to = reached
			n, _ := slices.BinarySearch(pairs, uint64(to)<<32)
			pairs = pairs[:n]
		}
		if !more {
			return pairs, to, nil
		}
	}
}

// shortTier returns the highest tier that the shorter of two sets needs. Sets
// of n ≤ m members share at least ⌈t/(1+t)·(n+m)⌉ ≥ ⌈2t/(1+t)·n⌉ members. So
// the first shared one stands in the prefix of the shorter set for 2t/(1+t).
// The comparison is in float64 with a margin: a tier too many costs time, no
// match. Intervals keep the plain definition, because this would change their
// answer.
func shortTier(ts index.Tiers, k index.Kind, t measure.Threshold, tier uint8) uint8 {
	if k == index.Interval {
		return tier
	}
	f := t.Float64()
	for i, u := range ts[:tier] {
		if u.Float64() < 2*f/(1+f)-1e-9 {
			return uint8(i)
		}
	}
	return tier
}
