package join

import (
	"context"
	"math"

	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/shingle"
	"github.com/simdb/simdb/internal/sketch"
)

// This file says what a join by signatures costs, and makes wider ones for it where those of the
// sets tell too little: a short one says next to nothing of a set that is much larger.

// Bags reads the members of the sets of a side, and calls yield with each, maybe on several
// goroutines.
type Bags func(ctx context.Context, side int, yield func(set uint32, members shingle.Set)) error

// widen makes the wide signatures.
func (r *ranks) widen(ctx context.Context, sets uint32) error {
	if r.Wide == 0 {
		return nil
	}
	r.places = r.Memory.Halves(int(sets) + 1)
	for i := range sets {
		r.places[i+1] = r.places[i] + uint32(wordsOf(r.size(i), r.Wide))
	}
	r.wide = r.Memory.Words(int(r.places[sets]))
	first := uint32(0)
	for side := range r.Sides {
		err := r.Bags(ctx, side, func(set uint32, members shingle.Set) {
			sketch.FillSignature(r.wideOf(first+set), members)
		})
		if err != nil {
			return err
		}
		first = r.second
	}
	return nil
}

func (r *ranks) wideOf(number uint32) sketch.Signature {
	return r.wide[r.places[number]:r.places[number+1]]
}

// wordsOf returns the words of a wide signature: so many times those of the set's own, without
// their bound.
func wordsOf(s measure.Size, times int) int {
	if s.Distinct == 0 {
		return 0
	}
	return times * sketch.UnboundedWords(int(s.Distinct))
}

// mostWide bounds how many times wider than the sets' own signatures are made. At a threshold
// of one half twice is enough for all sizes: of sets that share nothing half as many bits
// again differ as of a match.
const mostWide = 8

// These are the costs of a join, in nanoseconds of one core.
const (
	nanosPerToken     = 60.0 // read it, and put it in its bucket
	nanosPerCount     = 3.0  // meet a set in a bucket
	nanosPerMember    = 25.0 // of a set that is read again
	nanosPerCandidate = 40e3 // compare the texts of two sets

	// SlowNanos: a join by tokens that is quicker asks for no other way.
	SlowNanos = 200e6
)

// TokenNanos predicts the time of a join by so many tokens on one core, in whose buckets sets
// meet so often.
func TokenNanos(tokens, meets float64) float64 { return tokens*nanosPerToken + meets*nanosPerCount }

// SignedNanos predicts the time of a join by signatures on one core, of sets with so many
// members in all. wide is the width that costs least and has room in the memory; 0: the sets'
// own.
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

// sampled is some sets of each side.
type sampled struct {
	size   measure.Size
	words  int // of its signature
	side   int
	stands float64 // how many sets it stands for
}

type sample []sampled

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

// nanos predicts a join by signatures so many times as wide as those of the sets, or by
// these.
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
