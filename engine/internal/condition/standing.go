package condition

// Conflicts within a batch. A put stands if it took effect and no later operation has
// overwritten it. A put is compared only with the earlier puts that stand at its turn: of a
// thousand equal puts one stands, so the work stays linear.

import (
	"slices"

	"github.com/simdb/simdb/engine/internal/search"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/shingle"
)

// standing holds the puts of a batch into one collection that stand so far, by place.
type standing struct {
	table  index.Table
	places []uint32 // ascending
}

// stands records that a put took effect.
func (d *decision) stands(place int) {
	o := &d.ops[place]
	if !o.compared() || place+1 == len(d.ops) {
		return
	}
	s := d.standing[o.Schema.Number]
	if s == nil {
		s = &standing{}
		d.standing[o.Schema.Number] = s
	}
	s.table.Put(uint32(place), o.Derived.Set.Facts)
	s.places = append(s.places, uint32(place))
}

// falls records that another operation has overwritten or evicted a put.
func (d *decision) falls(place int) {
	s := d.standing[d.ops[place].Schema.Number]
	if s == nil {
		return
	}
	if i, found := slices.BinarySearch(s.places, uint32(place)); found {
		_ = s.table.End(uint32(place)) // cannot fail: its facts are in memory
		s.places = slices.Delete(s.places, i, i+1)
	}
}

// meetEarlier compares a put with the standing puts that it has not met yet; few remain when
// a batch is decided again. A put stands from its own turn on, so the place of the last put
// that met it suffices.
func (d *decision) meetEarlier(place int) {
	o := &d.ops[place]
	s := d.standing[o.Schema.Number]
	if s == nil || len(o.conditions) == 0 || !o.compared() {
		return
	}
	lo, hi := uint32(place), uint32(0)
	for _, p := range s.places {
		if d.ops[p].met < place {
			lo, hi = min(lo, p), p+1
		}
	}
	if lo >= hi {
		return
	}
	for i := range o.conditions {
		c := &o.conditions[i]
		hits, _ := search.Among(s.table.View(), lo, hi, o.probe(), c.Search, func(p uint32) (shingle.Bag, bool) {
			return d.ops[p].Derived.Bag, true
		})
		c.earlier = append(c.earlier, slices.DeleteFunc(hits, func(h search.Hit) bool { return d.ops[h.Set].met >= place })...)
		bestFirst(c.earlier)
	}
	for _, p := range s.places {
		d.ops[p].met = max(d.ops[p].met, place)
	}
}

// stillStands returns the earlier put of a hit if it stands when the turn of o comes and has
// another id; else nil.
func (d *decision) stillStands(o *operation, hit search.Hit) *operation {
	p := &d.ops[hit.Set]
	if last, touched := d.last[p.ref()]; touched && last == int(hit.Set) && p.Name != o.Name {
		return p
	}
	return nil
}
