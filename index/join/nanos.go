package join

// Cost model of joins by tokens and by signatures.

import (
	"math"

	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/sketch"
)

// mostWide bounds the width of wide signatures, as a multiple of the sets' own. At a threshold
// of one half a factor of two suffices for all sizes: unrelated sets differ in half as many bits
// again as a match.
const mostWide = 8

// Costs of a join, in nanoseconds of one core.
const (
	nanosPerToken     = 60.0 // read a token and put it in its bucket
	nanosPerCount     = 3.0  // meet a set in a bucket
	nanosPerMember    = 25.0 // read a member of a set again
	nanosPerCandidate = 40e3 // compare the texts of two sets

	// SlowNanos: below this cost of a join by tokens, no alternative is considered.
	SlowNanos = 200e6
)

// TokenNanos predicts the time on one core of a join with so many tokens and meetings in
// buckets.
func TokenNanos(tokens, meets float64) float64 { return tokens*nanosPerToken + meets*nanosPerCount }

// SignedNanos predicts the time on one core of a join by signatures of sets with so many members
// in total. wide is the cheapest width that fits the memory in bytes; 0: the sets' own
// signatures.
func (s *Sets) SignedNanos(memory int64, members float64) (nanos float64, wide int) {
	sets, words := s.sample(), int64(0)
	for _, of := range s.Sides {
		for i := range of.Sets.Len() {
			words += int64(wordsOf(of.Sets.Size(i), 1))
		}
	}
	nanos = sets.nanos(s, 0)
	for w := 2; w <= mostWide && 8*words*int64(w) <= min(memory/8*7, math.MaxUint32); w *= 2 {
		if n := members*nanosPerMember + sets.nanos(s, w); n < nanos {
			nanos, wide = n, w
		}
	}
	return nanos, wide
}

// sampled is a set of a sample.
type sampled struct {
	size   measure.Size
	words  int // words of its signature
	side   int
	stands float64 // number of sets that it represents
}

// sample is some sets of each side.
type sample []sampled

// sample takes about 256 sets per side, evenly spaced by number.
func (s *Sets) sample() (out sample) {
	const most = 256
	for side, of := range s.Sides {
		n, from := of.Sets.Len(), len(out)
		for i := uint32(0); i < n; i += 1 + n/most {
			if size := of.Sets.Size(i); size.Distinct > 0 {
				out = append(out, sampled{size, sketch.SignatureWords(int(size.Distinct)), side, 0})
			}
		}
		for i := range out[from:] {
			out[from+i].stands = float64(n) / float64(len(out)-from)
		}
	}
	return out
}

// nanos predicts a join by signatures of width wide; 0: the sets' own.
func (all sample) nanos(s *Sets, wide int) (nanos float64) {
	for i, x := range all {
		for _, y := range all[i+1:] {
			if len(s.Sides) > 1 && x.side == y.side {
				continue
			}
			words := min(x.words, y.words)
			if wide > 0 {
				words = wordsOf(measure.Size{Distinct: min(x.size.Distinct, y.size.Distinct)}, wide)
			}
			pair := 0.0
			switch near := s.nearness(x.size, y.size, x.side, words); {
			case near > 1:
				pair = nanosOf(words, 1) + nanosPerCandidate
			case near > 0:
				pair = nanosOf(words, near)
			}
			nanos += pair * x.stands * y.stands
		}
	}
	return nanos
}

// Costs of meeting a rank in a bucket, of comparing two signatures, and of each 16 words of
// them, in nanoseconds with AVX2. Only their ratios matter.
const (
	nanosPerMeet  = 2.5
	nanosPerPair  = 2.0
	nanosPerWords = 2.5
)

// nanosOf returns the cost of comparing two signatures of so many words.
func nanosOf(words int, nearness float64) float64 {
	return nanosPerPair + nanosPerWords*math.Ceil(float64(words)*min(nearness, 1)/16)
}

// nearness returns the bits in which a match may differ, divided by those in which unrelated
// sets differ; more than 1 if unrelated sets may by chance differ in no more bits.
func (s *Sets) nearness(x, y measure.Size, side, words int) float64 {
	both, w := float64(x.Distinct+y.Distinct), float64(words)
	need, ok := s.needOf(x, y, side)
	if !ok {
		return 0 // never compared
	}
	differ := 32*w*(1-math.Exp(-both/(32*w))) - 24*math.Sqrt(w) // minus six standard deviations
	if differ <= 0 {
		return 2
	}
	return (both - 2*float64(need)) / differ
}
