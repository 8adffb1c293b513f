package join

import (
	"context"
	"math"
	"math/bits"

	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/measure"
)

// This file compares low ranks with all that they reach by signatures, where their buckets
// are so long that counting would take more. So they are where the shingles are of few characters: the
// rarest of a set is in thousands of others.

// block is low ranks whose signatures have one length. They are compared with one high
// rank after another, so that its signature is fetched once for all of them.
type block struct {
	ranks      []uint32
	reach      []uint32 // of each: the last rank that it may be paired with
	runs       []run
	words      int // of a signature
	signatures []uint64
	folded     []uint64
}

// run is ranks of a block of one size and side, up to a place.
type run struct {
	size measure.Size
	side int
	to   int
}

const (
	mostInBlock = 256
	// These are the costs of meeting a rank in a bucket, and of comparing a word of two
	// signatures, in nanoseconds. Only their ratio matters.
	nanosPerMeet = 2.5
	nanosPerWord = 0.6
)

// alike says whether it costs less to compare the signature of the rank at hand, which has
// so many words, with so many others, than to go through its buckets. Signatures must tell sets apart that share
// nothing: they differ in more bits than a match may.
func (p *prober) alike(words, window int) bool {
	if p.signed {
		return true
	}
	met := 0
	for _, l := range p.lists {
		met += len(l.highs)
	}
	n, w := float64(p.size.Distinct), float64(words)
	need, ok := p.ranks.needOf(p.size, p.size, p.side)
	differ := 32 * w * (1 - math.Exp(-4*n/(64*w))) // of sets of one size that share nothing
	limit := 2*n - 2*float64(need)
	if !ok || limit+12*math.Sqrt(w) > differ {
		return false
	}
	look := 4 + w*limit/differ
	return float64(met)*nanosPerMeet > float64(window)*look*nanosPerWord
}

// add adds the rank at hand to the block.
func (p *prober) add(ctx context.Context, rank uint32, signature []uint64) error {
	b := &p.block
	if len(b.ranks) == mostInBlock || len(b.ranks) > 0 && b.words != len(signature) {
		if err := p.compare(ctx); err != nil {
			return err
		}
	}
	b.words = len(signature)
	b.ranks, b.reach = append(b.ranks, rank), append(b.reach, p.reach[0])
	b.signatures = append(b.signatures, signature...)
	if n := len(b.runs); n == 0 || b.runs[n-1].size != p.size || b.runs[n-1].side != p.side {
		b.runs = append(b.runs, run{size: p.size, side: p.side})
	}
	b.runs[len(b.runs)-1].to = len(b.ranks)
	return nil
}

// compare finds the pairs of the block, and empties it.
func (p *prober) compare(ctx context.Context) error {
	b := &p.block
	if len(b.ranks) == 0 {
		return nil
	}
	last := uint32(0)
	for _, r := range b.reach {
		last = max(last, r)
	}
	for y := max(b.ranks[0]+1, p.highs.from); y < min(last+1, p.highs.to); y++ {
		if y%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		number := p.number[y]
		side := p.ranks.side(number)
		signature := p.signature(number)
		folded := b.fold(signature)
		size := measure.Size{Distinct: uint64(p.sizes[2*(y-p.high.from)]), Total: uint64(p.sizes[2*(y-p.high.from)+1])}
		from := 0
		for _, r := range b.runs {
			if len(p.Sides) == 1 || r.side != side {
				if need, ok := p.ranks.needOf(r.size, size, r.side); ok {
					p.compareRun(from, r.to, y, need, int(r.size.Distinct+size.Distinct)-2*int(need), folded, signature)
				}
			}
			from = r.to
		}
	}
	b.ranks, b.reach, b.runs, b.signatures = b.ranks[:0], b.reach[:0], b.runs[:0], b.signatures[:0]
	return nil
}

// compareRun finds the pairs of one high rank with some of a block, which differ in at most so
// many bits.
func (p *prober) compareRun(from, to int, y uint32, need uint64, limit int, folded, signature []uint64) {
	b := &p.block
	for i := from; i < to && b.ranks[i] < y; i++ {
		if b.reach[i] < y || !nearer(b.signatures[i*b.words:][:b.words], folded, limit) {
			continue
		}
		x, other := p.number[b.ranks[i]], p.number[y]
		p.shared++
		if index.SharedBound(p.sizeOf(x), p.sizeOf(other), p.signature(x), signature) >= need {
			p.pairs = append(p.pairs, packed(x, other))
		}
	}
}

func (p *prober) sizeOf(number uint32) uint64 { return p.ranks.size(number).Distinct }

// nearer says whether signatures differ in at most so many bits. One that is empty is
// near to all.
func nearer(a, b []uint64, limit int) bool {
	n := 0
	for len(a) >= 4 && len(b) >= 4 {
		n += bits.OnesCount64(a[0]^b[0]) + bits.OnesCount64(a[1]^b[1]) + bits.OnesCount64(a[2]^b[2]) + bits.OnesCount64(a[3]^b[3])
		if n > limit {
			return false
		}
		a, b = a[4:], b[4:]
	}
	for i := range min(len(a), len(b)) {
		n += bits.OnesCount64(a[i] ^ b[i])
	}
	return n <= limit
}

// fold folds a signature to the length of the block's; one that is shorter tells nothing.
func (b *block) fold(s []uint64) []uint64 {
	if len(s) == b.words {
		return s
	}
	b.folded = append(b.folded[:0], s[:min(b.words, len(s))]...)
	if len(s) < b.words {
		return nil
	}
	for i, x := range s[b.words:] {
		b.folded[i%b.words] ^= x
	}
	return b.folded
}
