package join

import (
	"math"
	"slices"
)

// This file keeps the buckets of a range of keys, so that what each rank meets in
// them is found in one go.

// keyRange is a range of keys, and the buckets of those that a round has read.
type keyRange struct {
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
	stats   Stats
}

const (
	bucketEnd = math.MaxUint32
	inBucket  = 1 << 31 // more than a rank
)

// full says whether no more fits in the memory that the range may take.
func (p *keyRange) full() bool {
	return len(p.listed) >= p.mostListed || len(p.buckets) >= p.mostInBuckets
}

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

// addBucket keeps a bucket of two postings or more.
func (p *keyRange) addBucket(bucket []uint32) {
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
func (p *keyRange) listPairs(bucket []uint32) {
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
	for i := len(p.listed) - 1; i >= 0; i-- { // backwards turns ends into starts
		x := p.listed[i]
		at := &p.start[x>>32]
		*at--
		p.places[*at] = uint32(x)
	}
}
