package join

import (
	"math"
	"sort"

	"github.com/simdb/simdb/internal/measure"
)

// This file says how much of its tokens a set probes with, and for whom.

// A demand says with which prefix a set of some size probes the higher ranks. If a set of
// n members shares s, any n−s+1 of them have one that is shared. The rarest are cheapest.
// Higher ranks need more of a set, so fewer of its tokens will do for them: each tier
// reaches up to a rank.
type demand struct {
	size  measure.Size
	side  int
	tier  uint8                // with whose prefix it probes
	reach [lastTier + 1]uint32 // of a tier: the last rank that tokens of it are counted for
	least [lastTier + 1]uint64 // of a tier: as often is met at least which match is reached by this tier, and not by the next

	needs [512]sizeNeed // of sizes of higher ranks
}

// sizeNeed is what a size of higher ranks asks for.
type sizeNeed struct {
	size   measure.Size
	shared uint64 // members
	met    uint64 // tokens of the prefixes
}

const (
	surplus = 16
	noMatch = math.MaxUint32
)

// serves says whether the prefix of a tier will do for a set that shares need members with
// another, of which a prefix leaves out left. It is longer by a sixteenth of the set than it
// must be: then one that shares less by chance is met, and no candidate. But it need not be longer where
// the other's prefix tells less anyway.
func (r *ranks) serves(tier uint8, x measure.Size, need, left uint64) bool {
	rest := r.beyond(x, tier)
	return tier == lastTier || need > rest+x.Distinct/surplus || need > rest && rest <= left
}

// probing returns the tier that a set probes with.
func (r *ranks) probing(x measure.Size) (tier uint8) {
	need, left := r.least(x), r.beyond(x, r.met)
	for !r.serves(tier, x, need, left) {
		tier++
	}
	return tier
}

// least returns what a set needs of the higher ranks.
func (r *ranks) least(s measure.Size) uint64 {
	n, _ := r.Formula.Need(s, s, r.Min)
	if r.Formula.ByMass() && n > 1 {
		n--
	}
	return n
}

// of makes it the demand of a rank, and keeps it if it is that already. The ranks of one
// size follow each other.
func (d *demand) of(r *ranks, rank uint32) {
	size, side := r.sizeAt(rank), r.side(r.number[rank])
	if d.side == side && d.size == size && rank <= d.reach[0] {
		return
	}
	*d = demand{size: size, side: side, tier: r.probing(size)}
	d.reach[0] = r.reachOf(rank, size)
	if !r.ofSets { // what they need does not grow with every rank
		for tier := range d.tier + 1 {
			d.reach[tier] = d.reach[0]
		}
		d.least[d.tier] = d.asks(r, r.least(size), size)
		return
	}
	for tier := uint8(1); tier <= d.tier; tier++ {
		higher := int(d.reach[tier-1] - rank)
		d.reach[tier] = rank + uint32(sort.Search(higher, func(i int) bool {
			y := r.sizeAt(rank + 1 + uint32(i))
			need, ok := r.needOf(size, y, side)
			return ok && r.serves(tier-1, size, need, r.beyond(y, r.met))
		}))
	}
	from := size
	for tier := d.tier; ; tier-- { // what is met is least for the first or the last of a tier
		to := r.sizeAt(d.reach[tier])
		d.least[tier] = max(min(d.metAt(r, tier, from), d.metAt(r, tier, to)), 3) - 2 // as it is rounded
		if from = to; tier == 0 {
			return
		}
	}
}

// metAt returns how often a higher rank of that size is met if it matches.
func (d *demand) metAt(r *ranks, tier uint8, y measure.Size) uint64 {
	shared, ok := r.needOf(d.size, y, d.side)
	if rest := max(r.beyond(d.size, tier), r.beyond(y, r.met)); ok && shared > rest {
		return shared - rest
	}
	return 1
}

// asks is metAt for a set of that size that shares so many members.
func (d *demand) asks(r *ranks, shared uint64, y measure.Size) uint64 {
	rest := max(r.beyond(d.size, d.tier), r.beyond(y, r.met))
	return max(shared, rest+1) - rest
}

// needOf returns what a higher rank of that size asks for, that a tier reaches.
func (d *demand) needOf(r *ranks, tier uint8, y measure.Size) *sizeNeed {
	n := &d.needs[(y.Distinct+y.Total*37)%uint64(len(d.needs))]
	if n.size != y || n.met == 0 {
		n.size = y
		if shared, ok := r.needOf(d.size, y, d.side); ok {
			n.shared, n.met = shared, d.metAt(r, tier, y)
		} else {
			n.shared, n.met = noMatch, noMatch
		}
	}
	return n
}
