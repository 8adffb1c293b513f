package join

import (
	"context"

	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/shingle"
	"github.com/simdb/simdb/internal/sketch"
)

// Wide signatures, for joins in which the sets' own signatures are not selective: a short
// signature is nearly useless for a much larger set.

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

// wordsOf returns the length of a wide signature in words: a multiple of the set's own, without
// its upper bound.
func wordsOf(s measure.Size, times int) int {
	if s.Distinct == 0 {
		return 0
	}
	return times * sketch.UnboundedWords(int(s.Distinct))
}
