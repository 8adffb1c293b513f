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
	nanosPerDealt   = 10 // a pair that is written to scratch and read again
	nanosPerHead    = 10 // a head that is read from scratch
)

// SignaturesCost predicts how many nanoseconds Signatures takes. For each pair
// it counts the words after which unlike sets differ in more bits than a match
// may.
func SignaturesCost(r *Ranks) float64 {
	const step = 32 // ranks that are taken to be alike
	sum := 0.0
	for i := 0; i < len(r.set); i += step {
		words, n := float64(len(r.signature(i))), float64(r.sizeOf(i))
		if words == 0 {
			continue
		}
		perWord := 32 * (1 - math.Exp(-4*n/(64*words)))
		look := 8 * math.Ceil(2*float64(marginOf(r.t, r.sizeOf(i)))/perWord/8)
		pairs := float64(int(r.reachOf(i))-i) * float64(min(step, len(r.set)-i))
		sum += pairs * (1 + min(words, look)) * tileNanos()
	}
	return sum
}

// PostingsCost predicts how many nanoseconds Postings takes with so many workers
// and so much memory. It reads one in 256 of the postings, or all of them if they
// are few. A MemoryError says that memory is too little.
func PostingsCost(ctx context.Context, r *Ranks, segments []index.Stored, l index.Layout, k index.Kind, workers int, memory int64) (float64, error) {
	j, err := newPostingJoin(r, segments, l, k)
	if err != nil {
		return 0, err
	}
	p, err := j.plan(ctx, max(workers, 1), memory)
	if err != nil {
		return 0, err
	}
	j.short = j.tier // as if the pairs of every bucket were listed
	seen, share, err := j.sample(ctx)
	if err != nil {
		return 0, err
	}
	n := float64(len(r.set))
	inReach := float64(r.Window()) / max(1, n*(n-1)/2)
	meets := float64(seen.span.stats.Pairs) * inReach
	nanos := share * (float64(seen.span.stats.Postings)*nanosPerPosting + meets*nanosPerMeet)
	if p.stretches != nil {
		nanos += share*meets*nanosPerDealt + float64(p.cells)*float64(p.stretches[0].len())*nanosPerHead
	}
	return nanos, nil
}

// sample looks at one in 256 of the keys, or at all if they are few. What it saw
// is to be multiplied by share.
func (j *postingJoin) sample(ctx context.Context) (seen *tally, share float64, err error) {
	const sample = 256
	seen, share = &tally{limits: j.coarseLimits(), list: make([]uint64, 0, pairsOf(fewSets))}, 1.0
	seen.span.end = 1 << index.TokenBits
	if tokens := j.tokens(); len(tokens) >= sample {
		from := len(tokens) / 2
		seen.span.next, seen.span.end = tokens[from], tokens[from+len(tokens)/sample]
		share = float64(len(tokens)) / float64(len(tokens)/sample)
	}
	return seen, share, j.readBuckets(ctx, &seen.span, seen)
}

// tally counts what buckets would list.
type tally struct {
	*limits
	span   keySpan
	list   []uint64
	listed int64
}

func (t *tally) full() bool { return false }

func (t *tally) addBucket(bucket []uint32) error {
	if len(bucket) <= fewSets {
		t.listed += int64(len(t.appendPairs(t.list, bucket)))
	} else {
		t.listed += int64(len(bucket))
	}
	t.span.stats.Pairs += pairsOf(len(bucket))
	return nil
}

// SignaturePasses predicts how many pairs pass the length filter and the
// signatures without being matches. It looks at a sample of pairs at even
// distances.
func (r *Ranks) SignaturePasses() float64 {
	const ranks, partners = 512, 32
	tried, passed := 0.0, 0.0
	for i := 0; i < len(r.set); i += 1 + len(r.set)/ranks {
		last, size, sig := int(r.reachOf(i)), r.sizeOf(i), r.signature(i)
		for o := i + 1; o <= last; o += 1 + (last-i)/partners {
			tried++
			if index.MayResemble(r.t, size, r.sizeOf(o), sig, r.signature(o)) {
				passed++
			}
		}
	}
	return passed / max(tried, 1) * float64(r.Window())
}

// AllWideWords is the length of the wide signatures of all sets together.
func (r *Ranks) AllWideWords() (words uint64) {
	for i, s := range r.steps {
		words += uint64(r.WideWords(uint64(s.size))) * uint64(r.end(i)-s.from)
	}
	return words
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
