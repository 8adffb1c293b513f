package join

// Probing the buckets of a cell, one low rank at a time.

import (
	"context"
	"math/bits"
	"slices"

	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/measure"
)

// partners finds the pairs of low rank x.
func (p *prober) partners(ctx context.Context, x uint32) error {
	have := 0
	for _, t := range p.tables {
		have += int(t.start[x+1] - t.start[x])
	}
	if have == 0 && !p.Signed {
		return nil
	}
	rank := p.low.from + x
	p.demand.of(p.ranks, rank)
	p.list(x, have)
	from := max(rank+1, p.highs.from)
	if to := min(p.reach[0]+1, p.highs.to); from < to {
		if s, ok := p.preferSignatures(rank, from, to-1); ok {
			return p.add(ctx, rank, s)
		}
	}
	for tier := p.tier; ; tier-- {
		if to := min(p.reach[tier]+1, p.highs.to); from < to {
			p.window(rank, tier, from-p.high.from, to-p.high.from)
			from = to
		}
		if tier == 0 {
			return nil
		}
	}
}

// window finds the pairs of a rank with the high ranks [from,to), which the tier reaches but the
// next does not.
func (p *prober) window(rank uint32, tier uint8, from, to uint32) {
	have, need := 0, int(p.least[tier])
	for _, l := range p.lists {
		if l.tier <= tier {
			have++
		}
	}
	if have < need {
		return
	}
	n := p.count(from, to, tier, have-need+1)
	p.sift(tier, n, need)
	a := p.number[rank]
	var signature []uint64
	for _, y := range p.partnersMet {
		met := p.counts[y]
		p.counts[y] = 0
		size := measure.Size{Distinct: uint64(p.sizes[2*y]), Total: uint64(p.sizes[2*y+1])}
		need := p.demand.needOf(p.ranks, tier, size)
		if uint64(met) < need.met {
			continue
		}
		p.shared++
		if signature == nil {
			signature = p.signature(a)
		}
		b := p.number[p.high.from+y]
		if index.SharedBound(p.size.Distinct, size.Distinct, signature, p.signature(b)) >= need.shared {
			p.pairs = append(p.pairs, packed(a, b))
		}
	}
}

// list collects the buckets of a rank, ordered by magnitude of length.
func (p *prober) list(x uint32, have int) {
	var at [33]int // next index for a magnitude
	each := func(yield func(magnitude int, l probedBucket)) {
		for _, t := range p.tables {
			for _, place := range t.places[t.start[x]:t.start[x+1]] {
				_, highs := p.bucket(place & placeMask)
				yield(bits.Len32(uint32(len(highs))), probedBucket{highs, uint8(place >> placeBits)})
			}
		}
	}
	each(func(m int, _ probedBucket) { at[m]++ })
	sum := 0
	for m, n := range at {
		at[m], sum = sum, sum+n
	}
	p.lists = slices.Grow(p.lists[:0], have)[:have]
	each(func(m int, l probedBucket) {
		p.lists[at[m]] = l
		at[m]++
	})
}

// count scans the first n buckets of tiers up to tier and counts the meetings with ranks
// [from,to). It returns the index of the next bucket.
func (p *prober) count(from, to uint32, tier uint8, n int) (next int) {
	met := p.partnersMet[:0]
	for ; n > 0; next++ {
		l := p.lists[next]
		if l.tier > tier {
			continue
		}
		n--
		highs := l.highs
		if len(highs) > 32 {
			highs = highs[before(highs, from):]
		}
		for _, y := range highs {
			if y < from {
				continue
			}
			if y >= to {
				break
			}
			p.met++
			if p.counts[y]++; p.counts[y] == 1 {
				met = append(met, y)
			}
		}
	}
	p.partnersMet = met
	return next
}

// sift counts the remaining buckets for the ranks already met, and keeps the ranks met need
// times.
func (p *prober) sift(tier uint8, n, need int) {
	met, left := p.partnersMet, need-1
	for ; left >= 0; n++ {
		alive := met[:0]
		for _, y := range met {
			if int(p.counts[y])+left < need {
				p.counts[y] = 0
				continue
			}
			alive = append(alive, y)
		}
		met = alive
		for n < len(p.lists) && p.lists[n].tier > tier {
			n++
		}
		if left--; left < 0 || len(met) == 0 {
			break
		}
		highs := p.lists[n].highs
		if len(met)*bits.Len(uint(len(highs))) < len(highs) {
			p.met += int64(len(met))
			for _, y := range met {
				if _, ok := slices.BinarySearch(highs, y); ok {
					p.counts[y]++
				}
			}
			continue
		}
		p.met += int64(len(highs))
		for _, y := range highs {
			if p.counts[y] > 0 {
				p.counts[y]++
			}
		}
	}
	p.partnersMet = met
}
