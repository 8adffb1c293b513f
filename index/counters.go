package index

// This file counts what the sets of one segment have of a probe.

import (
	"math"
	"sync"
)

// counters count what the sets of one segment have of a probe.
type counters struct {
	seg     Stored
	of      []uint16 // by set − Lo; all 0 between searches
	touched []uint32 // the sets that are counted
	marked  bool     // only those are counted that have a count already; false between searches
	asked   []uint32 // sets that are marked, as numbers of the collection; nil: not known
	rels    []uint32 // of a column
	read    int      // postings
	columns int      // that sets were asked of, rather than read
}

var countersPool = sync.Pool{New: func() any { return new(counters) }}

func takeCounters(seg Stored) *counters {
	c := countersPool.Get().(*counters)
	if span := int(seg.Hi - seg.Lo); len(c.of) < span {
		c.of = make([]uint16, span)
	}
	c.seg, c.read, c.columns = seg, 0, 0
	return c
}

// giveBack clears what was counted, also where a page that cannot be read has panicked.
func (c *counters) giveBack() {
	for _, rel := range c.touched {
		c.of[rel] = 0
	}
	c.touched, c.marked, c.asked, c.seg = c.touched[:0], false, nil, Stored{}
	countersPool.Put(c)
}

// shared returns how many members, or units, a set has, at most.
func (c *counters) shared(rel uint32) uint64 {
	if n := c.of[rel]; n < math.MaxUint16 {
		return uint64(n)
	}
	return math.MaxUint32 // nobody knows
}

// count looks members up in the first parts, down to a tier. at is the place of the first.
func (c *counters) count(s *Search, at int, members []uint64, parts int, tier uint8) error {
	end := s.layout.entry(tier+1, 0, 0) // where the entries of the next tier begin
	if tier == lastTier {
		end = math.MaxUint32
	}
	err := lookUp(c.seg, members, parts, func(member int, payloads []uint32) {
		c.read += len(payloads)
		n := s.units(at + member)
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
	if rel >= c.seg.Hi-c.seg.Lo { // a damaged page can have such a set
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

// costOfAsking is how many sets of a column are read while one set is asked for.
const costOfAsking = 8

// countColumns counts the members that have columns. Few sets are asked one by one.
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
		case c.asked != nil && len(c.asked)*costOfAsking < col.sets:
			c.read += len(c.asked)
			c.columns++
			for _, set := range c.asked {
				if rel := set - c.seg.Lo; col.has(rel) {
					c.add(rel, n)
				}
			}
		default:
			c.read += col.sets
			c.rels = col.appendTo(c.rels[:0])
			for _, rel := range c.rels {
				c.add(rel, n)
			}
		}
	}
	return nil
}

// mark lets only some of the sets be counted from now on. Their counts are kept, or begin
// anew, and are one more than they were.
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

// have returns how many members a marked set has, at most.
func (c *counters) have(set uint32) uint64 { return c.shared(set-c.seg.Lo) - 1 }

// Sets are asked for some members before it is seen who is left. The first few tell most off.
const askedFirst, askedAtOnce = 4, 32

// each calls yield with the sets that have at least so many members, which yield may change.
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
	for rel, n := range c.of[:span] { // in order, which is quicker for many
		if uint64(n) >= least {
			least = yield(uint32(rel), c.shared(uint32(rel)))
		}
	}
}

// narrow asks marked sets for members, the rarest first, and returns those that may still
// have enough. It stops as soon as no set is in doubt: each that is left has enough, or will
// have if it has as large a share of the other members. Such a set is compared anyway.
func (c *counters) narrow(s *Search, members []uint64, sets []uint32, v View) ([]uint32, error) {
	for step := askedFirst; ; step = min(2*step, askedAtOnce) {
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
		c.asked = sets
		block := members[:min(step, len(members))]
		members = members[len(block):]
		if err := c.count(s, at, block, Parts, lastTier); err != nil {
			return nil, err
		}
	}
}
