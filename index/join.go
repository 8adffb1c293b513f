package index

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/simdb/simdb/measure"
)

// JoinStats counts what a join did.
type JoinStats struct {
	Postings  int64 // read, of the tiers that t needs
	Pairs     int64 // met in a bucket; a pair may meet in several
	Length    int64 // left by the length filter, once for each round of the join (mostly one)
	Signature int64 // left by the signatures, distinct: the result
}

// Pair is two set numbers, A < B.
type Pair struct{ A, B uint32 }

// Join finds candidate pairs for the ranks' threshold among the sets of the
// segments: pairs that share a bucket of kind k (Prefix: no match is lost;
// Interval: lossy), pass the length filter and the parity signatures, each
// once, ascending by (a, b), a < b. It uses workers goroutines, honours ctx
// within 100 ms and holds at most about memory bytes beside the result.
//
// Sets are ranked by size, so that the length filter is a range of ranks. The
// buckets of a range of keys are read once, those with a single set are left
// out, and the others are kept with, for each rank, its places in them. Going
// through the places of one rank meets all its partners behind it in one go:
// a stamp per partner tells which were met already, so that a pair that shares
// 100 buckets costs 99 stamps and one look at the signatures, and nothing needs
// to be sorted but the result. (Writing down each meeting and removing repeats
// afterwards costs ten times that for a clump of 5,000 near-copies, which meet
// in every bucket of their prefixes.) What does not fit in memory is done in
// rounds over ranges of keys.
func (r *Ranks) Join(ctx context.Context, segments []Stored, l Layout, k Kind, workers int, memory int64) ([]Pair, JoinStats, error) {
	tier, ok := l.Tiers.At(r.t)
	if !ok || k > Interval {
		return nil, JoinStats{}, fmt.Errorf("index: no run of kind %d serves a join at %v", k, r.t)
	}
	entries := uint64(0)
	for _, s := range segments {
		if s.Runs[k] == nil {
			return nil, JoinStats{}, fmt.Errorf("index: segment [%d,%d) has no run of kind %d", s.Lo, s.Hi, k)
		}
		entries += s.Runs[k].Entries
	}
	j := &join{Ranks: r, segments: segments, kind: k, tier: tier, short: shortTier(l.Tiers, k, r.t, tier), parts: l.Tiers.part(tier) + 1}
	workers = max(workers, 1)
	rounds := j.rounds(entries, workers, memory)
	var pairs []uint64
	for round := range rounds {
		parts := make([]*part, workers)
		if err := j.readParts(ctx, parts, round*workers, rounds*workers); err != nil {
			return nil, JoinStats{}, err
		}
		found, err := j.meet(ctx, parts)
		if err != nil {
			return nil, JoinStats{}, err
		}
		pairs = merged(append(found, pairs))
	}
	j.stats.Signature = int64(len(pairs))
	return unpacked(pairs), j.stats, nil
}

// join is one Join at work.
type join struct {
	*Ranks
	segments    []Stored
	kind        Kind
	tier, short uint8 // highest tier read for the longer, the shorter set of a pair
	parts       int   // of the keys that have these tiers
	stats       JoinStats
}

// shortTier returns the highest tier that the shorter of two sets needs. Sets of
// n ≤ m members share at least ⌈t/(1+t)·(n+m)⌉ ≥ ⌈2t/(1+t)·n⌉, so that the first
// shared one stands in the shorter set's prefix for 2t/(1+t). The comparison is
// in float64 but leaves a margin: a tier too many costs time, no match.
// Intervals keep the plain definition, whose answer this would change.
func shortTier(ts Tiers, k Kind, t measure.Threshold, tier uint8) uint8 {
	if k == Interval {
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

// bytesPerPosting is what a posting of a part costs: itself, its place and its
// share of the ends of buckets, with slices grown by doubling.
const bytesPerPosting = 16

// rounds returns in how many rounds the entries are joined: so many that a
// round fits in memory, but no more than 256, because each goes over all ranks.
func (j *join) rounds(entries uint64, workers int, memory int64) int {
	memory -= int64(len(j.set)) * int64(16+8*workers) // ranks; stamps and starts
	return int(min(1+entries*bytesPerPosting/uint64(max(memory, 1<<12)), 256))
}

// part is the buckets of a range of keys.
type part struct {
	// rank<<1 | long of each posting, ascending in a bucket, closed by
	// bucketEnd; long marks those that only the longer of two sets needs.
	buckets []uint32
	start   []uint32 // places[start[r]:start[r+1]] are rank r's in buckets
	places  []uint32
	stats   JoinStats
}

const bucketEnd = math.MaxUint32

// readParts reads parts number first, first+1, … of count equal ranges of keys.
func (j *join) readParts(ctx context.Context, parts []*part, first, count int) error {
	g, ctx := errgroup.WithContext(ctx)
	for i := range parts {
		g.Go(func() error {
			const keys = 1 << tokenBits
			lo, hi := keys*uint64(first+i)/uint64(count), keys*uint64(first+i+1)/uint64(count)
			p := &part{}
			if err := j.readBuckets(ctx, p, lo, hi); err != nil {
				return err
			}
			p.findPlaces(len(j.set))
			parts[i] = p
			return nil
		})
	}
	err := g.Wait()
	for _, p := range parts {
		if p != nil {
			j.stats.Postings += p.stats.Postings
			j.stats.Pairs += p.stats.Pairs
		}
	}
	return err
}

// readBuckets reads the buckets with lo ≤ key < hi of all segments side by side.
func (j *join) readBuckets(ctx context.Context, p *part, lo, hi uint64) error {
	var sources []*keySource
	for _, s := range j.segments {
		run := s.Runs[j.kind]
		for part := range j.parts {
			from := partKey(part, lo)
			c := cursor{run: run, pages: s.Pages(j.kind), next: run.pageBefore(from)}
			src := &keySource{cursor: c, lo: s.Lo, hi: s.Hi, part: partKey(part, 0), end: hi}
			if err := src.skipTo(ctx, lo); err != nil {
				return err
			}
			sources = append(sources, src)
		}
	}
	var bucket []uint32
	for {
		key := uint64(math.MaxUint64)
		for _, s := range sources {
			key = min(key, s.key)
		}
		if key == math.MaxUint64 {
			return nil
		}
		bucket = bucket[:0]
		for _, s := range sources {
			for s.key == key {
				bucket = j.appendPosting(bucket, s)
				if err := s.advance(ctx); err != nil {
					return err
				}
			}
		}
		p.stats.Postings += int64(len(bucket))
		if len(bucket) > 1 {
			p.addBucket(bucket)
		}
	}
}

// keySource is one segment's side of readBuckets.
type keySource struct {
	cursor
	lo, hi uint32 // the segment's sets
	part   uint64 // key where its part begins
	end    uint64 // tokens
	key    uint64 // token of the next entry; MaxUint64 at the end
}

func (s *keySource) skipTo(ctx context.Context, lo uint64) error {
	for {
		if err := s.look(ctx); err != nil || s.key == math.MaxUint64 || s.keys[s.at] >= s.part+lo {
			return err
		}
		s.at++
	}
}

func (s *keySource) advance(ctx context.Context) error {
	s.at++
	return s.look(ctx)
}

// look sets s.key.
func (s *keySource) look(ctx context.Context) error {
	if s.at == len(s.keys) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if ok, err := s.fill(); err != nil || !ok {
			s.key = math.MaxUint64
			return err
		}
	}
	if key := s.keys[s.at]; key < s.part {
		s.key = 0
	} else if s.key = key - s.part; s.key >= s.end {
		s.key = math.MaxUint64
	}
	return nil
}

// appendPosting appends the entry at s as rank<<1 | long, if its tier is read.
func (j *join) appendPosting(bucket []uint32, s *keySource) []uint32 {
	e := s.payloads[s.at]
	set := s.lo + PayloadSet(j.kind, e)
	tier := entryTier(e)
	if tier > j.tier || set >= s.hi || int(set) >= len(j.rankOf) || j.rankOf[set] == hole {
		return bucket
	}
	r := j.rankOf[set] << 1
	if tier > j.short {
		r |= 1
	}
	return append(bucket, r)
}

// addBucket keeps a bucket of two sets or more. A set is in it twice when two
// of its shingles have the same token; it stays once, with its better tier.
func (p *part) addBucket(bucket []uint32) {
	slices.Sort(bucket)
	bucket = slices.CompactFunc(bucket, func(a, b uint32) bool { return a>>1 == b>>1 })
	if n := int64(len(bucket)); n > 1 {
		p.stats.Pairs += n * (n - 1) / 2
		p.buckets = append(append(p.buckets, bucket...), bucketEnd)
	}
}

// findPlaces fills start and places: where each of n ranks stands as the
// shorter set of a pair.
func (p *part) findPlaces(n int) {
	p.start = make([]uint32, n+1)
	for _, r := range p.buckets {
		if r&1 == 0 {
			p.start[r>>1]++
		}
	}
	sum := uint32(0)
	for r, c := range p.start {
		sum += c
		p.start[r] = sum
	}
	p.places = make([]uint32, sum)
	for i := len(p.buckets) - 1; i >= 0; i-- { // backwards turns ends into starts
		if r := p.buckets[i]; r&1 == 0 {
			p.start[r>>1]--
			p.places[p.start[r>>1]] = uint32(i)
		}
	}
}

// meet joins the buckets of parts and returns sorted lists of pairs a<<32 | b,
// one from each worker, without repeats.
func (j *join) meet(ctx context.Context, parts []*part) ([][]uint64, error) {
	const stretch = 64 // ranks that a worker takes at a time
	found := make([][]uint64, len(parts))
	var next, length atomic.Int64
	g, ctx := errgroup.WithContext(ctx)
	for w := range parts {
		g.Go(func() error {
			m := meeting{join: j, parts: parts, stamps: make([]uint32, len(j.set))}
			for {
				from := int(next.Add(stretch)) - stretch
				if from >= len(j.set) {
					break
				}
				for r := from; r < min(from+stretch, len(j.set)); r++ {
					if err := ctx.Err(); err != nil {
						return err
					}
					m.partners(uint32(r))
				}
			}
			length.Add(m.length)
			slices.Sort(m.found)
			found[w] = m.found
			return nil
		})
	}
	err := g.Wait()
	j.stats.Length += length.Load()
	return found, err
}

// meeting is one worker of meet.
type meeting struct {
	*join
	parts  []*part
	stamps []uint32 // of a partner's rank: one more than the last rank that met it
	length int64
	found  []uint64
}

// partners finds the pairs of rank r with a higher rank, within reach.
func (m *meeting) partners(r uint32) {
	limit := m.reach[r]<<1 | 1
	sig := m.view.Signature(m.set[r])
	size := uint64(m.size[r])
	for _, p := range m.parts {
		for _, place := range p.places[p.start[r]:p.start[r+1]] {
			for _, x := range p.buckets[place+1:] {
				if x > limit { // also bucketEnd
					break
				}
				other := x >> 1
				if m.stamps[other] == r+1 {
					continue
				}
				m.stamps[other] = r + 1
				m.length++
				if mayResemble(m.t, size, uint64(m.size[other]), sig, m.view.Signature(m.set[other])) {
					m.found = append(m.found, packed(m.set[r], m.set[other]))
				}
			}
		}
	}
}

// merged merges sorted lists into one without repeats.
func merged(lists [][]uint64) []uint64 {
	lists = slices.DeleteFunc(lists, func(l []uint64) bool { return len(l) == 0 })
	if len(lists) == 0 {
		return nil
	}
	if len(lists) == 1 {
		return lists[0]
	}
	total := 0
	for _, l := range lists {
		total += len(l)
	}
	out := make([]uint64, 0, total)
	for len(lists) > 0 {
		i := 0
		for k := range lists {
			if cmp.Less(lists[k][0], lists[i][0]) {
				i = k
			}
		}
		if x := lists[i][0]; len(out) == 0 || out[len(out)-1] != x {
			out = append(out, x)
		}
		if lists[i] = lists[i][1:]; len(lists[i]) == 0 {
			lists = slices.Delete(lists, i, i+1)
		}
	}
	return out
}

// unpacked makes pairs of a<<32 | b.
func unpacked(packed []uint64) []Pair {
	out := make([]Pair, len(packed))
	for i, p := range packed {
		out[i] = Pair{uint32(p >> 32), uint32(p)}
	}
	return out
}

// packed is the pair of two sets as a<<32 | b, a < b.
func packed(a, b uint32) uint64 { return uint64(min(a, b))<<32 | uint64(max(a, b)) }
