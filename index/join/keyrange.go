package join

import (
	"math"
	"slices"
)

// This file keeps the buckets of a range of keys, so that everything that a
// rank meets in them is found together.

// keySpan is what a worker reads: keys of postings, or places in what is dealt
// to a cell.
type keySpan struct {
	first, next, end uint64
	stats            Stats
}

// keyRange is a span, with the buckets that a round has read of it.
type keyRange struct {
	keySpan
	*limits

	mostListed, mostInBuckets int // in a round, approximately

	// rank<<32 | what the rank meets in a bucket, as the shorter set of a pair.
	// That is another rank, or inBucket | its own place in buckets; the ranks
	// it meets follow there.
	listed []uint64
	start  []uint32 // places[start[r]:start[r+1]] are what is listed of rank r
	places []uint32 // long enough for all that is listed

	// rank<<1 | long for each posting. A bucket ascends and ends with
	// bucketEnd. long marks postings that only the longer of two sets needs.
	buckets []uint32

	dealt []uint32 // what was read last of what is dealt to a cell
}

const (
	bucketEnd = math.MaxUint32
	inBucket  = 1 << 31 // more than a rank
)

// fewSets is the most postings of a bucket whose pairs are listed. Going to a
// bucket means waiting for memory, and most buckets have two or three sets. But
// the number of pairs grows with the square of the sets.
const fewSets = 8

// full reports whether the range has used up its memory.
func (p *keyRange) full() bool {
	return len(p.listed) >= p.mostListed || len(p.buckets) >= p.mostInBuckets
}

// limits has the last partner of each low rank, in the form that buckets have.
type limits struct {
	reach  []uint32
	coarse []uint32 // of each limitRanks, that of the last
}

const limitRanks = 256

func (c *cell) limits() *limits {
	l := &limits{reach: c.reach}
	for i := 0; i < len(c.reach); i += limitRanks {
		l.coarse = append(l.coarse, l.limit(uint32(min(i+limitRanks, len(c.reach))-1)))
	}
	return l
}

// coarseLimits has none of the limits of single ranks.
func (r *Ranks) coarseLimits() *limits {
	l := &limits{}
	for i := 0; i < len(r.set); i += limitRanks {
		l.coarse = append(l.coarse, r.reachOf(min(i+limitRanks, len(r.set))-1)<<1|1)
	}
	return l
}

func (l *limits) limit(rank uint32) uint32 { return l.reach[rank]<<1 | 1 }

// addBucket keeps a bucket of two postings or more.
func (p *keyRange) addBucket(bucket []uint32) error {
	if len(bucket) <= fewSets {
		n := pairsOf(len(bucket))
		p.stats.Pairs += n
		p.listed = p.appendPairs(slices.Grow(p.listed, int(n)), bucket)
		return nil
	}
	bucket = sorted(bucket)
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
	return nil
}

// sorted sorts a bucket. A set is there twice if two of its shingles have the
// same token. It stays once, with its better tier.
func sorted(bucket []uint32) []uint32 {
	slices.Sort(bucket)
	return slices.CompactFunc(bucket, func(a, b uint32) bool { return a>>1 == b>>1 })
}

// appendPairs appends the pairs of a small bucket, in any order. The list must
// have room for all of them. It uses coarse
// limits, for which the nearest cache has room; partners looks at the limit of
// each rank. No branch depends on a rank. A set that is in the bucket twice
// makes no pair with itself, and it does no harm if a pair is listed twice.
func (l *limits) appendPairs(list []uint64, bucket []uint32) []uint64 {
	at := len(list)
	list = list[:at+int(pairsOf(len(bucket)))]
	for i, a := range bucket {
		for _, b := range bucket[:i] {
			low, high := min(a, b), max(a, b)
			list[at] = uint64(low>>1)<<32 | uint64(high>>1)
			beyond := (uint64(l.coarse[low>>1/limitRanks]) - uint64(high)) >> 63
			same := (uint64(low>>1^high>>1) - 1) >> 63
			at += int(1 &^ (beyond | same | uint64(low)))
		}
	}
	return list[:at]
}

func pairsOf(n int) int64 { return int64(n) * int64(n-1) / 2 }

// findPlaces sorts what is listed by rank.
func (p *keyRange) findPlaces() {
	clear(p.start)
	for _, x := range p.listed {
		p.start[x>>32]++
	}
	sum := uint32(0)
	for r, c := range p.start {
		sum += c
		p.start[r] = sum
	}
	for i := len(p.listed) - 1; i >= 0; i-- { // going backwards turns ends into starts
		x := p.listed[i]
		at := &p.start[x>>32]
		*at--
		p.places[*at] = uint32(x)
	}
}
