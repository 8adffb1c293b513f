package index

// Counting the members of a probe in the sets of one segment.

import (
	"math"
	"sync"
)

// counters counts members of a probe by set. Pooled: takeCounters and giveBack.
type counters struct {
	seg         Stored
	of          []uint16 // by set − Lo; all 0 between searches
	touched     []uint32 // sets with counts
	marked      bool     // count only sets that already have a count; false between searches
	checkedSets []uint32 // marked sets, as numbers of the collection; nil: unknown
	fresh       *longest // count other sets only if they may still match
	rels        []uint32 // scratch space for a column
	read        int      // postings read
	columns     int      // columns tested rather than read
}

var countersPool = sync.Pool{New: func() any { return new(counters) }}

// takeCounters returns counters for a segment, all 0.
func takeCounters(seg Stored) *counters {
	c := countersPool.Get().(*counters)
	if span := int(seg.Hi - seg.Lo); len(c.of) < span {
		c.of = make([]uint16, span)
	}
	c.seg, c.read, c.columns = seg, 0, 0
	return c
}

// giveBack clears the counts and returns c to the pool, also after a panic of an unreadable
// page.
func (c *counters) giveBack() {
	for _, rel := range c.touched {
		c.of[rel] = 0
	}
	c.touched, c.marked, c.checkedSets, c.fresh, c.seg = c.touched[:0], false, nil, nil, Stored{}
	countersPool.Put(c)
}

// shared returns an upper bound on the members, or units, of a set.
func (c *counters) shared(rel uint32) uint64 {
	if n := c.of[rel]; n < math.MaxUint16 {
		return uint64(n)
	}
	return math.MaxUint32 // the counter is saturated
}

// count looks up members, the first at index at, in the first parts, down to a tier.
func (c *counters) count(s *Search, at int, members []uint64, parts int, tier uint8) error {
	ends := s.layout.ends(tier)
	err := lookUp(c.seg, members, parts, func(part, member int, payloads []uint32) {
		c.read += len(payloads)
		n, end := s.units(at+member), ends[part]
		for _, e := range payloads {
			if e >= end {
				break
			}
			if s.intervals == nil || s.layout.interval(e) == s.intervals[member] {
				c.add(e&setMask, n)
			}
		}
	})
	if err != nil || tier < lastTier {
		return err
	}
	return c.countColumns(s, at, members)
}

// add counts a member of a set.
func (c *counters) add(rel uint32, units uint16) {
	if rel >= c.seg.Hi-c.seg.Lo { // a damaged page may contain such a set
		return
	}
	switch n := c.of[rel]; n {
	case 0:
		if !c.marked {
			c.touched = append(c.touched, rel)
			c.of[rel] = units
		}
	default:
		c.of[rel] = n + min(units, math.MaxUint16-n)
	}
}

// costOfTest is the number of sets read from a column in the time of testing one set.
const costOfTest = 8

// countColumns counts the members that have columns. If few sets are marked, it tests them one
// by one.
func (c *counters) countColumns(s *Search, at int, members []uint64) error {
	columns := columnsOf(c.seg)
	for i, h := range members {
		col, ok, err := columns.of(PartKey(Parts-1, token(h)))
		if err != nil {
			return err
		}
		n := s.units(at + i)
		switch {
		case !ok:
		case c.checkedSets != nil && len(c.checkedSets)*costOfTest < col.sets:
			c.read += len(c.checkedSets)
			c.columns++
			for _, set := range c.checkedSets {
				if rel := set - c.seg.Lo; col.has(rel) {
					c.add(rel, n)
				}
			}
		default:
			c.read += col.sets
			c.rels = col.appendTo(c.rels[:0])
			left := s.from(at + i)
			some := !c.marked && c.fresh.excludes(c.seg.Lo, c.rels, left)
			for _, rel := range c.rels {
				if !some || int(rel) < len(c.of) && c.of[rel] > 0 || c.fresh.admits(c.seg.Lo+rel, left) {
					c.add(rel, n)
				}
			}
		}
	}
	return nil
}

// mark restricts counting to some sets. Their counts are kept or reset, and raised by one.
func (c *counters) mark(sets []uint32, keep bool) {
	counts := make([]uint16, len(sets))
	for i, set := range sets {
		if counts[i] = 1; keep {
			counts[i] += min(c.of[set-c.seg.Lo], math.MaxUint16-1)
		}
	}
	for _, rel := range c.touched {
		c.of[rel] = 0
	}
	for i, set := range sets {
		c.of[set-c.seg.Lo] = counts[i]
	}
	c.marked = true
}

// have returns an upper bound on the members of a marked set.
func (c *counters) have(set uint32) uint64 { return c.shared(set-c.seg.Lo) - 1 }

// Numbers of members to check before dropping sets: the first few exclude most sets.
const checkFirst, checkAtOnce = 4, 32

// each calls yield with the sets that have at least least members. yield returns the new
// minimum.
func (c *counters) each(least uint64, yield func(rel uint32, shared uint64) uint64) {
	span := int(c.seg.Hi - c.seg.Lo)
	if len(c.touched) < span/16 {
		for _, rel := range c.touched {
			if n := c.shared(rel); n >= least {
				least = yield(rel, n)
			}
		}
		return
	}
	least = min(least, math.MaxUint16) // a saturated counter may have any number
	for lo := 0; lo < span; lo += 8 {  // in order, which is faster for many sets
		b := c.of[lo:min(lo+8, span)]
		if len(b) == 8 && uint64(b[0]|b[1]|b[2]|b[3]|b[4]|b[5]|b[6]|b[7]) < least {
			continue
		}
		for i, n := range b {
			if uint64(n) >= least {
				least = min(yield(uint32(lo+i), c.shared(uint32(lo+i))), math.MaxUint16)
			}
		}
	}
}

// narrow checks marked sets for members, rarest first, and returns the sets that may still have
// enough. It stops when no set is in doubt: each has enough, or will if it has the same share of
// the remaining members. Such sets are compared anyway.
func (c *counters) narrow(s *Search, members []uint64, sets []uint32, v View) ([]uint32, error) {
	for step := checkFirst; ; step = min(2*step, checkAtOnce) {
		at := len(s.ranked) - len(members)
		all, left := s.from(0), s.from(at)
		doubt := false
		kept := sets[:0]
		for _, set := range sets {
			size, have := v.Size(set), c.have(set)
			if !s.admits(size, have+left) {
				c.of[set-c.seg.Lo] = 0
				continue
			}
			kept = append(kept, set)
			doubt = doubt || !s.admits(size, have*all/max(all-left, 1))
		}
		if sets = kept; len(members) == 0 || !doubt {
			return sets, nil
		}
		c.checkedSets = sets
		block := members[:min(step, len(members))]
		members = members[len(block):]
		if err := c.count(s, at, block, Parts, lastTier); err != nil {
			return nil, err
		}
	}
}
