package index

// This file finds the sets that score enough by any measure of bags, by counting how many
// members of a probe each set has.

import (
	"math"
	"slices"
	"sync"

	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/shingle"
)

// Overlap looks a bag up in the postings down to one tier, and counts what each set has of
// it. It must be used from one goroutine at a time.
//
// Two sets share at least w.Need members. In the order of the postings the first of these
// is among the rarest |Q| − Need + 1 of the query, which are looked up. And it is among
// the rarest |D| − ⌈T·|D|⌉ + 1 of the other set, which are posted down to the tier of T,
// if each match shares ⌈T·|D|⌉ members (Window.NeedsShare). Tier 0 has all members.
//
// A set of which c members are counted shares at most c + max(|Q| − looked up, |D| −
// posted) with the query: of the shared members that are not counted, all are beyond the
// one prefix or all beyond the other, whichever ends first. Two members with one token are
// counted too often, never too seldom.
type Overlap struct {
	Window measure.Window

	probe   Probe
	formula measure.Formula
	t       measure.Threshold
	tier    uint8
	share   measure.Threshold // T
	parts   int
	left    uint64 // members of the bag that are not looked up
	needs   needs
}

// For returns the highest tier whose prefixes have a shared member of every match.
func (ts Tiers) For(w *measure.Window) (tier uint8, ok bool) {
	for i, share := range ts {
		if w.NeedsShare(share) {
			return uint8(i), true
		}
	}
	return 0, false
}

// Overlap prepares a search for the sets that score ≥ t against the bag and whose repeats
// are bounded. ok is false if no tier has them all.
func (l Layout) Overlap(bag shingle.Bag, f Facts, formula measure.Formula, t measure.Threshold, repeats measure.Repeats) (o *Overlap, ok bool) {
	w, ok := formula.Window(f.Size, t, repeats)
	if !ok {
		return nil, false
	}
	tier, ok := l.Tiers.For(&w)
	if !ok {
		return nil, false
	}
	n := len(bag.Set)
	looked := n - int(w.Need) + 1
	o = &Overlap{
		Window: w, formula: formula, t: t, tier: tier, share: l.Tiers[tier], parts: l.Tiers.Part(tier) + 1,
		probe: Probe{Bag: bag, Facts: f, prefix: l.Order.First(nil, bag.Set, looked)},
		left:  uint64(n - looked),
	}
	return o, true
}

// All reports whether the postings of the tier 0 are read.
func (o *Overlap) All() bool { return o.share == measure.Threshold{} }

// LookUps is how many keys are looked up in each segment.
func (o *Overlap) LookUps() int { return len(o.probe.prefix) * o.parts }

// EstimatePostings predicts how many postings are read in an index of n sets.
func (o *Overlap) EstimatePostings(l Layout, n int) float64 { return o.probe.EstimatePostings(l, n) }

// Passed counts the sets that each filter let through: met in a posting, with enough
// members in common, with signatures that are near enough.
// Where there were many, Recounted of them were counted in all postings, and Exact had
// enough members then.
type Passed struct{ Met, Counted, Signature, Recounted, Exact int }

// fewCandidates are compared by their texts sooner than by all of their postings.
const fewCandidates = 8

// Candidates appends the sets of a segment that may match, ascending, and counts them.
func (o *Overlap) Candidates(l Layout, s Stored, v View, dst []uint32, passed *Passed) ([]uint32, error) {
	c := takeCounters(s)
	defer c.giveBack()
	if err := c.count(&o.probe, l, s, o.parts, o.tier); err != nil {
		return dst, err
	}
	start := len(dst)
	passed.Met += len(c.touched)
	for _, rel := range c.touched {
		set := s.Lo + rel
		size := v.Size(set)
		shared := c.shared(rel) + max(o.left, max(o.share.Ceil(size.Distinct), 1)-1)
		if !o.admits(size, shared) {
			continue
		}
		passed.Counted++
		if o.admits(size, min(shared, SharedBound(o.probe.Facts.Distinct, size.Distinct, o.probe.Facts.Signature, v.Signature(set)))) {
			dst = append(dst, set)
		}
	}
	passed.Signature += len(dst) - start
	if exact := o.All() && o.left == 0; l.Tiers.All() && !exact && len(dst)-start > fewCandidates {
		met := len(dst) - start
		var err error
		if dst, err = o.recount(c, l, s, v, dst, start); err != nil {
			return dst, err
		}
		passed.Recounted += met
		passed.Exact += len(dst) - start
	}
	slices.Sort(dst[start:])
	return dst, nil
}

// recount keeps those of the candidates from start on that share enough members, by all
// postings of all members. It opens no further candidates.
func (o *Overlap) recount(c *counters, l Layout, s Stored, v View, dst []uint32, start int) ([]uint32, error) {
	c.clear()
	for _, set := range dst[start:] {
		c.touched = append(c.touched, set-s.Lo)
		c.of[set-s.Lo] = 1 // as a mark
	}
	last := uint8(len(l.Tiers) - 1)
	all := Probe{Bag: o.probe.Bag, prefix: o.probe.Bag.Set}
	c.marked = true
	if err := c.count(&all, l, s, l.Tiers.Part(last)+1, last); err != nil {
		return dst, err
	}
	kept := dst[:start]
	for _, set := range dst[start:] {
		if o.admits(v.Size(set), c.shared(set-s.Lo)-1) {
			kept = append(kept, set)
		}
	}
	return kept, nil
}

// admits says whether a set with at most so many shared members may match.
func (o *Overlap) admits(size measure.Size, shared uint64) bool {
	return size.Distinct > 0 && shared >= o.needs.of(o.formula, o.probe.Facts.Size, size, o.t)
}

// needs remembers, by size, how many shared members a match has.
type needs [256]struct {
	size measure.Size
	need uint64
}

// of returns the need, more than there can be where no such set matches.
func (n *needs) of(f measure.Formula, query, size measure.Size, t measure.Threshold) uint64 {
	if f.OfSets() {
		size.Total = size.Distinct // which does not matter
	}
	at := &n[(size.Distinct+size.Total*37)%uint64(len(n))]
	if at.size != size {
		need, ok := f.Need(query, size, t)
		if !ok {
			need = math.MaxUint64
		}
		at.size, at.need = size, need
	}
	return at.need
}

// counters count what the sets of one segment have of a probe.
type counters struct {
	of      []uint16 // by set − Lo; all 0 between searches
	touched []uint32 // the sets that are counted
	marked  bool     // only those are counted that are touched already; false between searches
	payload []uint32
}

var countersPool = sync.Pool{New: func() any { return new(counters) }}

func takeCounters(s Stored) *counters {
	c := countersPool.Get().(*counters)
	if span := int(s.Hi - s.Lo); len(c.of) < span {
		c.of = make([]uint16, span)
	}
	return c
}

// giveBack clears what was counted, also where a page that cannot be read has panicked.
func (c *counters) giveBack() {
	c.clear()
	countersPool.Put(c)
}

func (c *counters) clear() {
	for _, rel := range c.touched {
		c.of[rel] = 0
	}
	c.touched, c.marked = c.touched[:0], false
}

// shared returns how many members a set has, at most.
func (c *counters) shared(rel uint32) uint64 {
	if n := c.of[rel]; n < math.MaxUint16 {
		return uint64(n)
	}
	return math.MaxUint32 // nobody knows
}

// count looks the prefix of a probe up in the first parts, down to a tier.
func (c *counters) count(p *Probe, l Layout, s Stored, parts int, tier uint8) error {
	return p.lookUp(l, s, Prefix, parts, func(w *wantedKey, run *Run, pages Pages) (err error) {
		c.payload, err = w.payloads(run, pages, c.payload[:0])
		for _, e := range c.payload {
			if EntryTier(e) > tier {
				break
			}
			rel := PayloadSet(Prefix, e)
			if rel >= s.Hi-s.Lo { // a damaged page can have such a set
				continue
			}
			switch n := c.of[rel]; n {
			case 0:
				if !c.marked {
					c.touched = append(c.touched, rel)
					c.of[rel] = 1
				}
			case math.MaxUint16:
			default:
				c.of[rel] = n + 1
			}
		}
		return err
	})
}
