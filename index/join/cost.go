package join

import (
	"context"
	"math"

	"github.com/simdb/simdb/index"
)

// This file predicts how long the joins of sets take, so that the fastest is
// chosen.

// These are the costs of joins, in nanoseconds of one core. Only their ratios
// matter.
const (
	nanosPerPosting = 40 // read a posting and put it in its bucket, or drop it
	nanosPerMeet    = 25 // two sets in a bucket: mostly waiting for memory
)

// SignaturesCost predicts how many nanoseconds Signatures takes. For each pair
// it counts the words after which unlike sets differ in more bits than a match
// may.
func SignaturesCost(r *Ranks) float64 {
	const step = 32 // ranks that are taken to be alike
	sum := 0.0
	for i := 0; i < len(r.set); i += step {
		words, n := float64(len(r.signature(i))), float64(r.size[i])
		if words == 0 {
			continue
		}
		perWord := 32 * (1 - math.Exp(-4*n/(64*words)))
		look := 8 * math.Ceil(2*float64(r.margin(i))/perWord/8)
		pairs := float64(int(r.reach[i])-i) * float64(min(step, len(r.set)-i))
		sum += pairs * (1 + min(words, look)) * tileNanos()
	}
	return sum
}

// PostingsCost predicts how many nanoseconds Postings takes. It reads one in
// 256 of the postings, or all of them if they are few.
func PostingsCost(ctx context.Context, r *Ranks, segments []index.Stored, l index.Layout, k index.Kind) (float64, error) {
	j, err := newPostingJoin(r, segments, l, k)
	if err != nil {
		return 0, err
	}
	j.short = j.tier // as if the pairs of every bucket were listed
	const sample = 256
	p, share := keyRange{limits: r.limits(), end: 1 << index.TokenBits, mostListed: math.MaxInt, mostInBuckets: math.MaxInt}, 1.0
	if tokens := j.tokens(); len(tokens) >= sample {
		from := len(tokens) / 2
		p.next, p.end = tokens[from], tokens[from+len(tokens)/sample]
		share = float64(len(tokens)) / float64(len(tokens)/sample)
	}
	if err := j.readBuckets(ctx, &p); err != nil {
		return 0, err
	}
	n := float64(len(r.set))
	inReach := float64(r.Window()) / max(1, n*(n-1)/2)
	return share * (float64(p.stats.Postings)*nanosPerPosting + float64(p.stats.Pairs)*inReach*nanosPerMeet), nil
}

// SignaturePasses predicts how many pairs pass the length filter and the
// signatures without being matches. It looks at a sample of pairs at even
// distances.
func (r *Ranks) SignaturePasses() float64 {
	const ranks, partners = 512, 32
	tried, passed := 0.0, 0.0
	for i := 0; i < len(r.set); i += 1 + len(r.set)/ranks {
		last := int(r.reach[i])
		for o := i + 1; o <= last; o += 1 + (last-i)/partners {
			tried++
			if index.MayResemble(r.t, uint64(r.size[i]), uint64(r.size[o]), r.signature(i), r.signature(o)) {
				passed++
			}
		}
	}
	return passed / max(tried, 1) * float64(r.Window())
}

// WideWords returns the length of a wide signature for a set with n members and
// the threshold of the ranks. It has so many bits for each member that unlike
// sets of fitting sizes differ in more bits than a match may.
func (r *Ranks) WideWords(n uint64) int {
	t := r.t.Float64()
	bits := float64(n) * max(2, 12*(1-t)/(1+t))
	words := 1
	for float64(64*words) < bits && words < 1<<20 {
		words *= 2
	}
	return words
}
