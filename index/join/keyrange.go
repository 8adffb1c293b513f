package join

import (
	"math"
	"slices"
)

// This file keeps the buckets of a range of keys, so that everything that a
// rank meets in them is found together.

// keyRange is a range of keys, with the buckets that a round has read of it.
type keyRange struct {
	*limits
	first, next, end uint64 // keys: of the range, and of the round to come

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
	stats   Stats
}

const (
	bucketEnd = math.MaxUint32
	inBucket  = 1 << 31 // more than a rank
)

// full reports whether the range has used up its memory.
func (p *keyRange) full() bool {
	return len(p.listed) >= p.mostListed || len(p.buckets) >= p.mostInBuckets
}

// limits has the last partner of each rank, in the form that buckets have.
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
	// A set is in a bucket twice if two of its shingles have the same token. It
	// stays once, with its better tier.
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

// listPairs lists the pairs of a small bucket, in any order. It uses coarse
// limits, for which the nearest cache has room; partners looks at the limit of
// each rank. No branch depends on a rank. A set that is in the bucket twice
// makes no pair with itself, and it does no harm if a pair is listed twice.
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
