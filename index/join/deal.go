package join

// The stretches of ranks whose pairs are the cells of a join.

// deal is what all dealers have in common.
//
// What is dealt to a cell is slices of buckets: two words say how many low and how many
// high ranks follow, numbered within their stretches. Above a low rank is the tier of its
// token.
type deal struct {
	*running
	stretches []stretch
	first     []int                  // of a low stretch, the number of its first cell, with itself
	limits    [][lastTier + 1]uint32 // of so many low ranks: the last rank that a tier reaches; nil: all
	cells     int
}

const limitRanks = 256

func (j *running) deal() *deal {
	d, n := &deal{running: j}, uint32(len(j.number))
	for from := uint32(0); from < n; from += j.length {
		d.stretches = append(d.stretches, stretch{from, min(from+j.length, n)})
	}
	if j.ofSets {
		d.findLimits()
	}
	for i := range d.stretches {
		d.first = append(d.first, d.cells)
		d.cells += d.reached(i) - i + 1
	}
	return d
}

func (d *deal) findLimits() {
	d.limits = make([][lastTier + 1]uint32, len(d.number)/limitRanks+1)
	var of demand
	for rank := range uint32(len(d.number)) {
		of.of(d.ranks, rank)
		l := &d.limits[rank/limitRanks]
		for tier := range of.tier + 1 {
			l[tier] = max(l[tier], of.reach[tier])
		}
	}
}

// reached returns the last stretch with ranks that those of stretch i may be
// paired with. Where only members count, the last rank reaches farthest.
func (d *deal) reached(i int) int {
	if !d.ofSets {
		return len(d.stretches) - 1
	}
	last := d.stretches[i].to - 1
	return int(d.reachOf(last, d.sizeAt(last)) / d.length)
}
