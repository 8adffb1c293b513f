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
	Length    int64 // left by the length filter, once for each round of the join
	Signature int64 // left by the signatures, distinct: the result
}

// Pair is two set numbers, A < B.
type Pair struct{ A, B uint32 }

// Join finds candidate pairs for the ranks' threshold among the sets of the
// segments: pairs that share a bucket of kind k (Prefix: no match is lost;
// Interval: lossy), pass the length filter and the parity signatures, each
// once. It hands them to found in portions, each ascending by (a, b), a < b; a
// list is found's to keep. It uses workers goroutines, honours ctx within 100 ms
// and holds at most about memory bytes. Ranks that have memory of their own can
// be joined once.
//
// Sets are ranked by size, so that the length filter is a range of ranks. The
// buckets of a range of keys are read once, and those with a single set are left
// out. Of a bucket of few sets the pairs that the length filter allows, about, are listed by
// their lower rank; the others are kept with, for each rank, its places in them. Going
// through what is listed of one rank meets all its partners behind it in one go:
// a stamp per partner tells which were met already, so that a pair that shares
// 100 buckets costs 99 stamps and one look at the signatures, and nothing needs
// to be sorted but the result. (Writing down each meeting and removing repeats
// afterwards costs ten times that for a clump of 5,000 near-copies, which meet
// in every bucket of their prefixes.)
//
// What does not fit in memory is done in rounds, each over the keys that come
// next. Once there are pairs enough for a portion, no further ranks are gone
// through; they are another portion, for which the keys are read again, unless
// a single round had them all.
func (r *Ranks) Join(ctx context.Context, segments []Stored, l Layout, k Kind, workers int, memory int64, found func([]Pair) error) (JoinStats, error) {
	tier, ok := l.Tiers.At(r.t)
	if !ok || k > Interval {
		return JoinStats{}, fmt.Errorf("index: no run of kind %d serves a join at %v", k, r.t)
	}
	entries := uint64(0)
	for _, s := range segments {
		if s.Runs[k] == nil {
			return JoinStats{}, fmt.Errorf("index: segment [%d,%d) has no run of kind %d", s.Lo, s.Hi, k)
		}
		entries += s.Runs[k].Entries
	}
	j := &join{Ranks: r, segments: segments, kind: k, tier: tier, short: shortTier(l.Tiers, k, r.t, tier), parts: l.Tiers.part(tier) + 1}
	defer j.free()
	j.work(max(workers, 1), entries, memory)
	j.head = r.heads(j.memory.Words(r.headWords()), len(j.meetings))
	n := len(r.set)
	for from := 0; from < n; {
		pairs, to, err := j.portion(ctx, from)
		if err != nil {
			return JoinStats{}, err
		}
		j.stats.Signature += int64(len(pairs))
		for i, p := range pairs {
			pairs[i] = packed(r.set[p>>32], r.set[uint32(p)])
		}
		slices.Sort(pairs)
		if to == n { // what comes of the last portion may take as much
			j.free()
		}
		if err := found(unpacked(pairs)); err != nil {
			return JoinStats{}, err
		}
		from = to
	}
	return j.stats, nil
}

// join is one Join at work. A pair of ranks in it is low<<32 | high.
type join struct {
	*Ranks
	segments    []Stored
	kind        Kind
	tier, short uint8 // highest tier read for the longer, the shorter set of a pair
	parts       int   // of the keys that have these tiers
	head        sigHeads
	ranges      []*part
	meetings    []*meeting // one for each worker
	most        int        // pairs that are found at a time, and half of those in a portion
	whole       bool       // the ranges have all keys
	stats       JoinStats
}

// What a part takes for what it lists of a rank, as it was read and by rank, and
// for a set in a bucket; and each of the pairs that are found at a time: in a list,
// in the merged ones, in the result, and what is made of that.
const (
	bytesPerListed = 12
	bytesPerSet    = 4
	bytesPerPair   = 64
)

// fewSets is the most postings of a bucket whose pairs are listed. To go to a bucket is
// to wait for memory, and most are of two or three sets; but pairs grow with the
// square.
const fewSets = 8

// work shares out keys and memory among workers.
func (j *join) work(workers int, entries uint64, memory int64) {
	memory -= 8*int64(j.headWords()) + int64(len(j.set))*int64(16+8*workers) // heads; ranks, stamps and starts
	j.most = int(max(memory/4/bytesPerPair, 16))
	room := max(memory/4*3, 1<<12) / int64(workers)
	room = max(room, int64(entries)*bytesPerListed/int64(256*workers)) // each round goes over all ranks
	room = min(room, int64(entries)*(fewSets-1)*bytesPerListed, 1<<32) // all pairs; inBucket has 31 bits
	listed, inBuckets := int(room/8*7/bytesPerListed)+1, int(room/8/bytesPerSet)+1
	most := len(j.set) + fewSets*fewSets // the last bucket may go beyond
	tokens, first, limits := j.tokens(), uint64(0), j.limits()
	for i := range workers {
		end := uint64(1) << tokenBits
		if i+1 < workers && len(tokens) > 0 {
			end = tokens[len(tokens)*(i+1)/workers]
		}
		j.ranges = append(j.ranges, &part{
			limits: limits, first: first, end: end, mostListed: listed, mostInBuckets: inBuckets,
			listed: j.memory.Words(listed + most)[:0], places: j.memory.Halves(listed + most),
			buckets: j.memory.Halves(inBuckets + most + 1)[:0], start: j.memory.Halves(len(j.set) + 1),
		})
		j.meetings = append(j.meetings, &meeting{join: j, stamps: j.memory.Halves(len(j.set))})
		first = end
	}
}

// free ends the use of the tables.
func (j *join) free() {
	j.ranges, j.meetings, j.head = nil, nil, sigHeads{}
	j.memory.Free()
}

// tokens lists where some of the pages begin, ascending: about as many postings
// are between each two. Tokens are not spread evenly, as of shingles that are
// equally rare an order prefers the least.
func (j *join) tokens() (out []uint64) {
	const most = 1 << 14
	for _, s := range j.segments {
		first := s.Runs[j.kind].First
		end, _ := slices.BinarySearch(first, partKey(j.parts, 0))
		for i := 0; i < end; i += 1 + end*len(j.segments)/most {
			out = append(out, first[i]%(1<<tokenBits))
		}
	}
	slices.Sort(out)
	return out
}

// portion finds the pairs of the ranks [from, to) with higher ones, sorted.
func (j *join) portion(ctx context.Context, from int) (pairs []uint64, to int, err error) {
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

// part is a range of keys, and the buckets of those that a round has read.
type part struct {
	*limits
	first, next, end uint64 // keys: of the range, and of the round to come

	mostListed, mostInBuckets int // in a round, about

	// rank<<32 | what it meets in a bucket as the shorter set of a pair: another
	// rank, or inBucket | its own place in buckets, behind which are the others.
	listed []uint64
	start  []uint32 // places[start[r]:start[r+1]] are what is listed of rank r
	places []uint32 // long enough for all that is listed

	// rank<<1 | long of each posting, ascending in a bucket, closed by
	// bucketEnd; long marks those that only the longer of two sets needs.
	buckets []uint32
	stats   JoinStats
}

const (
	bucketEnd = math.MaxUint32
	inBucket  = 1 << 31 // more than a rank
)

// limits are the last that ranks can be paired with, as they are in buckets.
type limits struct {
	reach  []uint32
	coarse []uint32 // of each limitRanks, that of the last
}

const limitRanks = 256

func (r *Ranks) limits() *limits {
	l := &limits{reach: r.reach}
	for i := 0; i < len(r.reach); i += limitRanks {
		l.coarse = append(l.coarse, l.limit(uint32(min(i+limitRanks, len(r.reach))-1)))
	}
	return l
}

func (l *limits) limit(rank uint32) uint32 { return l.reach[rank]<<1 | 1 }

// full says whether no more fits in the memory that the part may take.
func (p *part) full() bool {
	return len(p.listed) >= p.mostListed || len(p.buckets) >= p.mostInBuckets
}

// readParts reads of each range as many keys as there is room for, those at the
// beginning or those that come next, and says whether there are more.
func (j *join) readParts(ctx context.Context, first bool) (more bool, err error) {
	g, ctx := errgroup.WithContext(ctx)
	for _, p := range j.ranges {
		g.Go(func() error {
			if first {
				p.next = p.first
			}
			p.listed, p.buckets, p.stats = p.listed[:0], p.buckets[:0], JoinStats{}
			if err := j.readBuckets(ctx, p); err != nil {
				return err
			}
			p.findPlaces()
			return nil
		})
	}
	err = g.Wait()
	for _, p := range j.ranges {
		j.stats.Postings += p.stats.Postings
		j.stats.Pairs += p.stats.Pairs
		more = more || p.next < p.end
	}
	return more, err
}

// readBuckets reads the buckets of p's next keys, of all segments side by side.
func (j *join) readBuckets(ctx context.Context, p *part) error {
	lo, hi := p.next, p.end
	var sources []*keySource
	for _, s := range j.segments {
		run := s.Runs[j.kind]
		for part := range j.parts {
			from := partKey(part, lo)
			c := cursor{run: run, pages: s.Pages(j.kind), next: run.pageBefore(from)}
			src := &keySource{join: j, cursor: c, lo: s.Lo, hi: s.Hi, part: partKey(part, 0), end: hi}
			if err := src.skipTo(ctx, lo); err != nil {
				return err
			}
			sources = append(sources, src)
		}
	}
	keys := make([]uint64, len(sources)+1) // side by side: each is looked at for every bucket
	for i, s := range sources {
		keys[i] = s.key
	}
	keys[len(sources)] = math.MaxUint64
	var bucket []uint32
	for !p.full() {
		key := slices.Min(keys)
		if key == math.MaxUint64 {
			p.next = p.end
			return nil
		}
		bucket = bucket[:0]
		for i, s := range sources {
			if keys[i] != key {
				continue
			}
			for s.key == key {
				bucket = s.take(bucket)
				if err := s.look(ctx); err != nil {
					return err
				}
			}
			keys[i] = s.key
		}
		p.next = key + 1
		p.stats.Postings += int64(len(bucket))
		if len(bucket) > 1 {
			p.addBucket(bucket)
		}
	}
	return nil
}

// keySource is one segment's side of readBuckets. Its payloads are rank<<1 | long,
// as in a bucket, or noRank.
type keySource struct {
	*join
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

// take appends to a bucket what the page at hand has of its key.
func (s *keySource) take(bucket []uint32) []uint32 {
	key, keys, at := s.keys[s.at], s.keys, s.at
	for ; at < len(keys) && keys[at] == key; at++ {
		if r := s.payloads[at]; r != noRank {
			bucket = append(bucket, r)
		}
	}
	s.at = at
	return bucket
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
		s.rank()
	}
	if key := s.keys[s.at]; key < s.part {
		s.key = 0
	} else if s.key = key - s.part; s.key >= s.end {
		s.key = math.MaxUint64
	}
	return nil
}

const noRank = math.MaxUint32 // of a posting whose tier is not read, or whose set is no more

// rank looks up the ranks of a page's postings, all in one go, so that memory is
// waited for once and not for each.
func (s *keySource) rank() {
	for i, e := range s.payloads {
		set, tier := s.lo+PayloadSet(s.kind, e), entryTier(e)
		r := uint32(noRank)
		if tier <= s.tier && set < s.hi && int(set) < len(s.rankOf) && s.rankOf[set] != hole {
			r = s.rankOf[set] << 1
			if tier > s.short {
				r |= 1
			}
		}
		s.payloads[i] = r
	}
}

// addBucket keeps a bucket of two postings or more.
func (p *part) addBucket(bucket []uint32) {
	if len(bucket) <= fewSets {
		p.listPairs(bucket)
		return
	}
	// A set is in it twice when two of its shingles have the same token; it stays
	// once, with its better tier.
	slices.Sort(bucket)
	bucket = slices.CompactFunc(bucket, func(a, b uint32) bool { return a>>1 == b>>1 })
	p.stats.Pairs += pairsOf(len(bucket))
	listed := len(p.listed)
	for i, r := range bucket[:len(bucket)-1] {
		if r&1 == 0 && bucket[i+1] <= p.limit(r>>1) {
			p.listed = append(p.listed, uint64(r>>1)<<32|inBucket|uint64(len(p.buckets)+i))
		}
	}
	if len(p.listed) > listed {
		p.buckets = append(append(p.buckets, bucket...), bucketEnd)
	}
}

// listPairs lists the pairs of a bucket of few, in any order, by limits that the
// nearest cache has room for; partners looks at those of each rank. No branch depends on
// a rank. A set that is there twice makes no pair with itself, and with others it
// does not matter.
func (p *part) listPairs(bucket []uint32) {
	n := pairsOf(len(bucket))
	p.stats.Pairs += n
	p.listed = slices.Grow(p.listed, int(n))
	at := len(p.listed)
	listed := p.listed[:at+int(n)]
	for i, a := range bucket {
		for _, b := range bucket[:i] {
			low, high := min(a, b), max(a, b)
			listed[at] = uint64(low>>1)<<32 | uint64(high>>1)
			beyond := (uint64(p.coarse[low>>1/limitRanks]) - uint64(high)) >> 63
			same := (uint64(low>>1^high>>1) - 1) >> 63
			at += int(1 &^ (beyond | same | uint64(low)))
		}
	}
	p.listed = listed[:at]
}

func pairsOf(n int) int64 { return int64(n) * int64(n-1) / 2 }

// findPlaces puts what is listed in the order of ranks.
func (p *part) findPlaces() {
	clear(p.start)
	for _, x := range p.listed {
		p.start[x>>32]++
	}
	sum := uint32(0)
	for r, c := range p.start {
		sum += c
		p.start[r] = sum
	}
	for i := len(p.listed) - 1; i >= 0; i-- { // backwards turns ends into starts
		x := p.listed[i]
		at := &p.start[x>>32]
		*at--
		p.places[*at] = uint32(x)
	}
}

// meet joins the buckets of a round for ranks from from on, below to, until there
// are pairs enough. It returns sorted lists of pairs, one from each worker, which
// have no pair twice, none that was known, and all others of the ranks below
// reached, at least from + 1.
func (j *join) meet(ctx context.Context, from, to int, known []uint64) (found [][]uint64, reached int, err error) {
	const stretch = 64 // ranks that a worker takes at a time
	var next, pairs atomic.Int64
	next.Store(int64(from))
	g, ctx := errgroup.WithContext(ctx)
	for _, m := range j.meetings {
		g.Go(func() error {
			m.reset(to)
			for first := true; first || int(pairs.Load()) <= j.most; first = false {
				r := int(next.Add(stretch)) - stretch
				if r >= to {
					break
				}
				at, _ := slices.BinarySearch(known, uint64(r)<<32)
				for end := min(r+stretch, to); r < end; {
					if err := ctx.Err(); err != nil {
						return err
					}
					for ; at < len(known) && known[at]>>32 == uint64(r); at++ {
						m.stamps[uint32(known[at])] = uint32(r) + 1
					}
					n := len(m.found)
					m.partners(uint32(r))
					r++
					if int(pairs.Add(int64(len(m.found)-n))) > j.most {
						if r < end {
							m.reached = r
						}
						break
					}
				}
			}
			m.compare()
			slices.Sort(m.found)
			return nil
		})
	}
	err = g.Wait()
	reached = min(to, int(next.Load()))
	for _, m := range j.meetings {
		j.stats.Length += m.length
		reached = min(reached, m.reached)
		found = append(found, m.found)
	}
	return found, reached, err
}

// meeting is one worker of meet.
type meeting struct {
	*join
	stamps  []uint32 // of a partner's rank: one more than the last rank that met it, or was known to
	reached int      // the first rank that was taken but not gone through
	length  int64
	found   []uint64

	met []uint64 // pairs that are to be compared
}

func (m *meeting) reset(to int) {
	clear(m.stamps)
	m.reached, m.length, m.found = to, 0, nil
}

// partners finds the pairs of rank r with a higher rank, within reach.
func (m *meeting) partners(r uint32) {
	for _, p := range m.ranges {
		limit := p.limit(r)
		for _, other := range p.places[p.start[r]:p.start[r+1]] {
			if other < inBucket {
				if other<<1 < limit && m.stamps[other] != r+1 {
					m.stamps[other] = r + 1
					m.met = append(m.met, uint64(r)<<32|uint64(other))
				}
				continue
			}
			for _, x := range p.buckets[other-inBucket+1:] {
				if x > limit { // also bucketEnd
					break
				}
				if other := x >> 1; m.stamps[other] != r+1 {
					m.stamps[other] = r + 1
					m.met = append(m.met, uint64(r)<<32|uint64(other))
				}
			}
		}
	}
	const atOnce = 256
	if len(m.met) >= atOnce {
		m.compare()
	}
}

// compare finds those of the pairs met that the signatures allow. Nearly all its
// time is waiting for memory: the heads of many pairs are waited for at once.
func (m *meeting) compare() {
	m.length += int64(len(m.met))
	near := m.met[:0]
	for _, p := range m.met {
		low, high := uint32(p>>32), uint32(p)
		if m.head.apart(low, high) <= m.apart(m.size[low]) {
			near = append(near, p)
		}
	}
	for _, p := range near {
		low, high := p>>32, uint32(p)
		if mayResemble(m.t, uint64(m.size[low]), uint64(m.size[high]), m.view.Signature(m.set[low]), m.view.Signature(m.set[high])) {
			m.found = append(m.found, p)
		}
	}
	m.met = m.met[:0]
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
