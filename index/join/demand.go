package join

import (
	"math"
	"sort"

	"github.com/simdb/simdb/internal/measure"
)

// The prefix that a set probes with, depending on the size of its match.

// demand is the prefix with which a set of some size probes higher ranks. If a set of n members
// shares s of them, any n−s+1 members include a shared one; the rarest are cheapest. Higher
// ranks require more shared members, so fewer tokens suffice for them: each tier reaches up to a
// rank.
type demand struct {
	size  measure.Size
	side  int
	tier  uint8                // the last tier of its prefix
	reach [lastTier + 1]uint32 // by tier: the last rank for which its tokens are counted
	least [lastTier + 1]uint64 // by tier: the least number of meetings of a match that this tier reaches and the next does not

	needs [512]sizeNeed // cache, by size of higher ranks
}

// sizeNeed is the requirement of a size of higher ranks.
type sizeNeed struct {
	size   measure.Size
	shared uint64 // shared members
	met    uint64 // shared tokens of the prefixes
}

// surplus: prefixes are longer than necessary by 1/surplus of the set. noMatch: the sizes cannot
// match.
const (
	surplus = 16
	noMatch = math.MaxUint32
)

// serves reports whether the prefix of a tier suffices for a set that must share need members
// with another set whose prefix omits left. The prefix is a sixteenth of the set longer than
// necessary, because then sets that share fewer members by chance are met but become no
// candidates. It need not be longer where the other prefix is less selective anyway.
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

// least returns the number of members a set must share with higher ranks at least.
func (r *ranks) least(s measure.Size) uint64 {
	n, _ := r.Formula.Need(s, s, r.Min)
	if r.Formula.ByMass() && n > 1 {
		n--
	}
	return n
}

// of sets d to the demand of a rank, unless it already is. Ranks of equal size are adjacent.
func (d *demand) of(r *ranks, rank uint32) {
	size, side := r.sizeAt(rank), r.side(r.number[rank])
	if d.side == side && d.size == size && rank <= d.reach[0] {
		return
	}
	*d = demand{size: size, side: side, tier: r.probing(size)}
	d.reach[0] = r.reachOf(rank, size)
	if !r.ofSets { // the requirement does not grow with every rank
		for tier := range d.tier + 1 {
			d.reach[tier] = d.reach[0]
		}
		d.least[d.tier] = d.meetings(r, r.least(size), size)
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
	for tier := d.tier; ; tier-- { // the fewest meetings occur at the first or the last rank of a tier
		to := r.sizeAt(d.reach[tier])
		d.least[tier] = max(min(d.metAt(r, tier, from), d.metAt(r, tier, to)), 3) - 2 // minus 2 for rounding
		if from = to; tier == 0 {
			return
		}
	}
}

// metAt returns the number of meetings of a matching higher rank of size y.
func (d *demand) metAt(r *ranks, tier uint8, y measure.Size) uint64 {
	shared, ok := r.needOf(d.size, y, d.side)
	if rest := max(r.beyond(d.size, tier), r.beyond(y, r.met)); ok && shared > rest {
		return shared - rest
	}
	return 1
}

// meetings is metAt for a set of size y that shares so many members.
func (d *demand) meetings(r *ranks, shared uint64, y measure.Size) uint64 {
	rest := max(r.beyond(d.size, d.tier), r.beyond(y, r.met))
	return max(shared, rest+1) - rest
}

// needOf returns the requirement of a higher rank of size y in the reach of a tier.
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
