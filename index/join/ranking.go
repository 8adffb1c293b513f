package join

// Ranking the sets of a join.

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/simdb/simdb/internal/measure"
)

// rank ranks all sets.
func (s *Sets) rank() (*ranks, error) {
	r := &ranks{Sets: s, ofSets: s.Formula.OfSets(), second: s.Sides[0].Sets.Len(), apart: s.Memory.Apart()}
	all := r.second
	if len(s.Sides) > 1 {
		all += s.Sides[1].Sets.Len()
	}
	if all >= mostSets {
		return nil, fmt.Errorf("join: %d sets; a join takes fewer than %d", all, mostSets)
	}
	r.rankOf = r.apart.Halves(int(all))
	r.sort(all)
	r.met = r.metTier()
	for i := range r.rankOf {
		r.rankOf[i] = hole
	}
	var d demand
	for rank, number := range r.number {
		size, side := r.size(number), r.side(number)
		if r.ofSets && (rank == 0 || size != d.size) {
			r.steps = append(r.steps, step{uint32(rank), size})
		}
		if rank == 0 || size != d.size || side != d.side {
			d = demand{size: size, side: side, tier: r.probing(size)}
		}
		r.rankOf[number] = uint32(d.tier)<<rankBits | uint32(rank)
		r.probed[side] = max(r.probed[side], d.tier+1)
		if s.Signed {
			continue
		}
		r.members += int64(size.Distinct-r.beyond(size, r.met)) + int64(size.Distinct-r.beyond(size, d.tier))
	}
	return r, nil
}

// sort sorts the numbers of all sets by (key, number): first into ranges of keys, then each
// range with more than one key.
func (r *ranks) sort(all uint32) {
	least, most, n := uint32(math.MaxUint32), uint32(0), 0
	for i := range all {
		if s := r.size(i); s.Distinct > 0 {
			k := r.keyOf(s)
			least, most, n = min(least, k), max(most, k), n+1
		}
	}
	const ranges = 1 << 16
	shift := 0
	for n > 0 && (most-least)>>shift >= ranges {
		shift++
	}
	ends := make([]int, ranges)
	each := func(yield func(number uint32, of int)) {
		for i := range all {
			if s := r.size(i); s.Distinct > 0 {
				yield(i, int((r.keyOf(s)-least)>>shift))
			}
		}
	}
	each(func(_ uint32, of int) { ends[of]++ })
	sum := 0
	for i, count := range ends {
		ends[i], sum = sum, sum+count
	}
	r.number = r.Memory.Halves(n)
	each(func(number uint32, of int) {
		r.number[ends[of]] = number
		ends[of]++
	})
	for from, i := 0, 0; shift > 0 && i < ranges; i++ {
		slices.SortFunc(r.number[from:ends[i]], func(a, b uint32) int {
			return cmp.Or(cmp.Compare(r.keyOf(r.size(a)), r.keyOf(r.size(b))), cmp.Compare(a, b))
		})
		from = ends[i]
	}
}

// metTier returns the first tier whose prefix shares a member with every match. For two collections,
// and for measures that count repetitions, it returns the last tier, which is the whole set.
func (r *ranks) metTier() (tier uint8) {
	if r.separate() || !r.ofSets {
		return lastTier
	}
	before := uint64(0)
	for _, number := range r.number {
		size := r.size(number)
		if size.Distinct == before {
			continue
		}
		before = size.Distinct
		for _, f := range []measure.Formula{r.Formula, r.Formula.Swapped()} {
			w, _ := f.Window(size, r.Min, 0)
			for tier < lastTier && r.beyond(size, tier) >= w.Need {
				tier++
			}
		}
	}
	return tier
}
