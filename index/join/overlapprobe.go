package join

import (
	"math/bits"
	"slices"

	"github.com/simdb/simdb/index"
)

// This file probes the buckets of a round with one rank after another.

// overlapProbe is one worker.
type overlapProbe struct {
	*overlapJoin
	counts []uint32 // of a partner: how often it was met; 0 between probes
	met    int64    // counted in all
	shared int64    // partners that shared enough
	pairs  []uint64

	lists       [][]uint32 // the buckets of the rank at hand, short ones first
	partnersMet []uint32
}

// partners finds the pairs of rank x with higher ones.
func (p *overlapProbe) partners(x uint32) {
	have, total := 0, uint64(p.distinct[x])
	for _, part := range p.parts {
		have += int(part.start[x+1] - part.start[x])
	}
	if have == 0 {
		return
	}
	if !p.whole {
		total = 0
		for _, part := range p.parts {
			total += uint64(part.total[x])
		}
	}
	size := uint64(p.distinct[x])
	need := int((total*uint64(p.need[x]) + size - 1) / size) // total ≤ size
	if have < need {
		return
	}
	p.list(x, have)
	partners := p.count(x, have-need+1)
	partners = p.sift(partners, have-need+1, need)
	for _, y := range partners {
		p.weigh(x, y, total)
		p.counts[y] = 0
	}
}

// list finds the buckets of a rank, in the order of their lengths' magnitude.
func (p *overlapProbe) list(x uint32, have int) {
	var at [33]int // where the next bucket of a magnitude goes
	side := p.side(p.number[x])
	each := func(yield func(magnitude int, bucket []uint32)) {
		for _, part := range p.parts {
			for _, place := range part.places[part.start[x]:part.start[x+1]] {
				b := part.bucket(place, side)
				yield(bits.Len32(uint32(len(b))), b)
			}
		}
	}
	each(func(m int, _ []uint32) { at[m]++ })
	sum := 0
	for m, n := range at {
		at[m], sum = sum, sum+n
	}
	p.lists = slices.Grow(p.lists[:0], have)[:have]
	each(func(m int, b []uint32) {
		p.lists[at[m]] = b
		at[m]++
	})
}

// count goes through the first n buckets, and returns who was met.
func (p *overlapProbe) count(x uint32, n int) []uint32 {
	met := p.partnersMet[:0]
	reach := p.reach[x]
	for _, bucket := range p.lists[:n] {
		if len(bucket) > 32 {
			from, _ := slices.BinarySearch(bucket, x+1)
			bucket = bucket[from:]
		}
		for _, y := range bucket {
			if y <= x {
				continue
			}
			if y > reach {
				break
			}
			p.met++
			if p.counts[y]++; p.counts[y] == 1 {
				met = append(met, y)
			}
		}
	}
	p.partnersMet = met
	return met
}

// sift asks the other buckets for those that were met. It returns those that are met
// need times.
func (p *overlapProbe) sift(met []uint32, n, need int) []uint32 {
	for ; n < len(p.lists) && len(met) > 0; n++ {
		left := len(p.lists) - n
		alive := met[:0]
		for _, y := range met {
			if int(p.counts[y])+left < need {
				p.counts[y] = 0
				continue
			}
			alive = append(alive, y)
		}
		met = alive
		bucket := p.lists[n]
		if len(met)*bits.Len(uint(len(bucket))) < len(bucket) {
			p.met += int64(len(met))
			for _, y := range met {
				if _, ok := slices.BinarySearch(bucket, y); ok {
					p.counts[y]++
				}
			}
			continue
		}
		p.met += int64(len(bucket))
		for _, y := range bucket {
			if p.counts[y] > 0 {
				p.counts[y]++
			}
		}
	}
	alive := met[:0]
	for _, y := range met {
		if int(p.counts[y]) >= need {
			alive = append(alive, y)
		} else {
			p.counts[y] = 0
		}
	}
	return alive
}

// weigh takes a pair if the partner was met as often as the sizes of both ask for, and
// if their signatures may share as much.
func (p *overlapProbe) weigh(x, y uint32, total uint64) {
	a, b := p.number[x], p.number[y]
	m, n := p.size(a), p.size(b)
	need, ok := p.needOf(m, n, p.side(a))
	if !ok || uint64(p.counts[y])*m.Distinct < total*need {
		return
	}
	p.shared++
	if index.SharedBound(m.Distinct, n.Distinct, p.signature(a), p.signature(b)) >= need {
		p.pairs = append(p.pairs, packed(a, b))
	}
}
