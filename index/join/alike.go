package join

import (
	"context"
	"slices"

	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/sketch"
)

// Comparing low ranks with all ranks in reach by signatures, where their buckets are so long
// that counting would cost more. That happens if shingles have few characters: the rarest
// shingle of a set then occurs in thousands of others.

// preferSignatures reports whether comparing the signature of the current rank with those of ranks from to
// to costs less than scanning its buckets, and then returns the signature. A signed join has no
// buckets and always compares.
func (p *prober) preferSignatures(at, from, to uint32) (signature []uint64, ok bool) {
	if p.Signed {
		return p.signature(p.number[at]), true
	}
	met := 0.0
	for _, l := range p.lists {
		met += float64(len(l.highs))
	}
	met, with := met*nanosPerMeet, float64(to-from)
	if met <= with*nanosPerPair { // cheaper whatever the signatures are, so they are not fetched
		return nil, false
	}
	signature = p.signature(p.number[at])
	words := len(signature)
	nearness := max(p.nearness(p.size, p.size, p.side, words), p.nearness(p.size, p.sizeAt(to), p.side, words))
	return signature, nearness <= 1 && met > with*nanosOf(words, nearness)
}

// add adds the current rank to the block.
func (p *prober) add(ctx context.Context, rank uint32, signature []uint64) error {
	b := &p.block
	if n := len(b.ranks); n == mostInBlock || n > 0 && (b.words != len(signature) || len(b.rows)+b.words > mostRows) {
		if err := p.compare(ctx); err != nil {
			return err
		}
	}
	b.words = len(signature)
	b.ranks, b.reach = append(b.ranks, rank), append(b.reach, p.reach[0])
	b.rows = append(b.rows, signature...)
	if k := (kind{p.size, p.side}); len(b.kinds) == 0 || b.kinds[len(b.kinds)-1] != k {
		b.kinds = append(b.kinds, k)
	}
	return nil
}

// compare finds the pairs of the block and empties it.
func (p *prober) compare(ctx context.Context) error {
	b := &p.block
	if len(b.ranks) == 0 {
		return nil
	}
	limit, of := 0, kind{side: -1}
	work := 0         // words since the last check of ctx
	low, high := 0, 0 // from the first rank that reaches y to the last below it
	for y, end := max(b.ranks[0]+1, p.highs.from), min(slices.Max(b.reach)+1, p.highs.to); y < end; y++ {
		for high < len(b.ranks) && b.ranks[high] < y {
			high++
		}
		for low < high && b.reach[low] < y {
			low++
		}
		if work += (high - low) * b.words; work > 1<<20 {
			if work = 0; ctx.Err() != nil {
				return ctx.Err()
			}
		}
		number := p.number[y]
		size := measure.Size{Distinct: uint64(p.sizes[2*(y-p.high.from)]), Total: uint64(p.sizes[2*(y-p.high.from)+1])}
		if k := (kind{size, p.ranks.side(number)}); k != of {
			of, limit = k, p.limit(k)
		}
		if limit < 0 {
			continue
		}
		signature := p.signature(number)
		row := b.foldTo(signature)
		for i := low; i < high; i++ {
			if len(row) > 0 {
				if i += sketch.NextNear(b.rows[i*b.words:high*b.words], row, limit); i == high {
					break
				}
			}
			p.addIfAlike(b.ranks[i], y, size, signature)
		}
		if err := p.relieve(ctx); err != nil {
			return err
		}
	}
	b.ranks, b.reach, b.kinds, b.rows = b.ranks[:0], b.reach[:0], b.kinds[:0], b.rows[:0]
	return nil
}

// limit returns the number of bits in which ranks of the block may differ from a higher rank; -1
// if none can match it.
func (p *prober) limit(high kind) int {
	limit := -1
	for _, k := range p.block.kinds {
		if len(p.Sides) == 1 || k.side != high.side {
			if need, ok := p.ranks.needOf(k.size, high.size, k.side); ok {
				limit = max(limit, int(k.size.Distinct+high.size.Distinct)-2*int(need))
			}
		}
	}
	return limit
}

// addIfAlike adds the pair of a rank of the block and a higher rank if sizes and signatures
// allow a match.
func (p *prober) addIfAlike(rank, y uint32, size measure.Size, signature []uint64) {
	x, other := p.number[rank], p.number[y]
	side := p.ranks.side(x)
	if len(p.Sides) > 1 && side == p.ranks.side(other) {
		return
	}
	of := p.ranks.size(x)
	need, ok := p.ranks.needOf(of, size, side)
	if !ok {
		return
	}
	p.shared++
	if index.SharedBound(of.Distinct, size.Distinct, p.signature(x), signature) >= need {
		p.pairs = append(p.pairs, packed(x, other))
	}
}
