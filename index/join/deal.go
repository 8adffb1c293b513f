package join

// Dividing the ranks into stretches; pairs of stretches are the cells of a join.

// deal holds the shared state of dealers.
//
// Dealing appends slices of buckets to cells: two words with the numbers of low and high ranks,
// followed by these, numbered within their stretches. The high bits of a low rank hold the tier
// of its token.
type deal struct {
	*running
	stretches []stretch
	first     []int                  // by low stretch: the number of its first cell
	limits    [][lastTier + 1]uint32 // by group of low ranks: the last rank that a tier reaches; nil: all
	cells     int
}

// limitRanks is the number of low ranks that share limits.
const limitRanks = 256

// deal divides the ranks into stretches and numbers the cells.
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

// findLimits computes the limits of each group of low ranks.
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

// reached returns the last stretch that ranks of stretch i can match. With a measure of sets,
// the last rank reaches farthest.
func (d *deal) reached(i int) int {
	if !d.ofSets {
		return len(d.stretches) - 1
	}
	last := d.stretches[i].to - 1
	return int(d.reachOf(last, d.sizeAt(last)) / d.length)
}
