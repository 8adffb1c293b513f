package join

// This file keeps buckets in memory, so that everything that a rank meets is found
// together.

// overlapTable is buckets of a cell. One worker fills it.
type overlapTable struct {
	room    int
	members []uint32 // members[ends[b]:ends[b+1]] are the high ranks of bucket b
	ends    []uint32
	lows    []uint32 // lows[lowEnds[b]:lowEnds[b+1]] probe it
	lowEnds []uint32
	start   []uint32 // places[start[x]:start[x+1]] are the buckets that low rank x probes
	places  []uint32
}

func (t *overlapTable) clear() {
	t.members, t.lows = t.members[:0], t.lows[:0]
	t.ends, t.lowEnds = append(t.ends[:0], 0), append(t.lowEnds[:0], 0)
}

func (t *overlapTable) full() bool { return len(t.members)+len(t.lows) >= t.room }

func (t *overlapTable) bucket(lows, highs []uint32) error {
	t.members, t.lows = append(t.members, highs...), append(t.lows, lows...)
	t.ends, t.lowEnds = append(t.ends, uint32(len(t.members))), append(t.lowEnds, uint32(len(t.lows)))
	return nil
}

// findPlaces lists the buckets of each low rank.
func (t *overlapTable) findPlaces() {
	clear(t.start)
	for _, x := range t.lows {
		t.start[x]++
	}
	sum := uint32(0)
	for x, c := range t.start {
		sum += c
		t.start[x] = sum
	}
	t.places = grown(t.places, uint32(len(t.lows)))
	for b := len(t.ends) - 2; b >= 0; b-- { // going backwards turns ends into starts
		for _, x := range t.lows[t.lowEnds[b]:t.lowEnds[b+1]] {
			t.start[x]--
			t.places[t.start[x]] = uint32(b)
		}
	}
}

// overlapCell is the pairs of a lower rank of one stretch with a higher one of another,
// or of the same. Low ranks are numbered from 0, and so are high ones.
type overlapCell struct {
	*overlapJoin
	low, high stretch
	probes    []uint32 // of a low rank: members that it probes with
	need      []uint32 // of them it shares as many with a high rank at least, if they match
	reach     []uint32 // the last rank that it can match

	tables  []*overlapTable
	probers []*overlapProbe

	// part tells how much of its members a low rank probes with in this round; nil: all.
	part func(x uint32) (of, all uint64)
}

// newCell makes the tables of cells with at most so many low ranks, and as many high
// ones, with room for so many members of buckets for each worker.
func (j *overlapJoin) newCell(n, room int) *overlapCell {
	m := j.Memory
	c := &overlapCell{overlapJoin: j, probes: m.Halves(n), need: m.Halves(n), reach: m.Halves(n)}
	for range j.overlapPlan.workers {
		c.tables = append(c.tables, &overlapTable{room: j.room, members: m.Halves(room)[:0], start: m.Halves(n + 1)})
		c.probers = append(c.probers, &overlapProbe{overlapCell: c, counts: m.Halves(n)})
	}
	return c
}

// reset prepares the cell of two stretches. Its tables are to be filled.
func (c *overlapCell) reset(low, high stretch) {
	if c.low != low {
		c.low = low
		c.demand()
		for _, t := range c.tables {
			t.start = t.start[:low.len()+1]
		}
	}
	c.high, c.part = high, nil
}

// demand finds what the low ranks need.
func (c *overlapCell) demand() {
	n := c.low.len()
	c.probes, c.need, c.reach = c.probes[:n], c.need[:n], c.reach[:n]
	for i := range c.need {
		rank := c.low.from + uint32(i)
		number := c.number[rank]
		s := c.size(number)
		if i > 0 && s == c.size(c.number[rank-1]) && c.side(number) == c.side(c.number[rank-1]) {
			c.probes[i], c.need[i], c.reach[i] = c.probes[i-1], c.need[i-1], max(c.reach[i-1], rank)
			continue
		}
		d := c.demandOf(number)
		c.probes[i], c.need[i], c.reach[i] = d.probes, d.need, c.reachOf(rank, s)
	}
}

// within returns the high ranks that a low one may be paired with: [from,to).
func (c *overlapCell) within(x uint32) (from, to uint32) {
	from, to = max(c.low.from+x+1, c.high.from), min(c.reach[x]+1, c.high.to)
	return from - c.high.from, max(from, to) - c.high.from
}
