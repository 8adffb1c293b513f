package engine

// The peers of a put with a condition: earlier puts of its batch that are similar and
// stand when its turn comes. It is compared with those that stand, no others: of a thousand
// like puts one stands.

import (
	"slices"

	"github.com/simdb/simdb/engine/internal/search"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/shingle"
)

// standing are the puts of a batch into one collection that stand so far, by place.
type standing struct {
	table  index.Table
	places []uint32 // ascending
}

// stands notes that a put took effect.
func (j *judging) stands(place int) {
	o := &j.ops[place]
	if o.Derived == nil || len(o.Bag.Set) == 0 || place+1 == len(j.ops) {
		return
	}
	s := j.standing[o.Number]
	if s == nil {
		s = &standing{}
		j.standing[o.Number] = s
	}
	s.table.Put(uint32(place), o.Set.Facts)
	s.places = append(s.places, uint32(place))
}

// falls notes that another operation has written over a put.
func (j *judging) falls(place int) {
	s := j.standing[j.ops[place].Number]
	if s == nil {
		return
	}
	if i, found := slices.BinarySearch(s.places, uint32(place)); found {
		_ = s.table.End(uint32(place)) // its facts are in memory
		s.places = slices.Delete(s.places, i, i+1)
	}
}

// meetPeers compares a put with the puts that stand and that it has not met yet: when a
// batch is judged again, hardly any are left. A put stands from its own turn on, so that
// the last one that it has met says it all.
func (j *judging) meetPeers(place int) {
	o := &j.ops[place]
	s := j.standing[o.Number]
	if s == nil || len(o.conditions) == 0 || len(o.Bag.Set) == 0 {
		return
	}
	lo, hi := uint32(place), uint32(0)
	for _, p := range s.places {
		if j.ops[p].met < place {
			lo, hi = min(lo, p), p+1
		}
	}
	if lo >= hi {
		return
	}
	for i := range o.conditions {
		g := &o.conditions[i]
		hits, _ := search.Among(s.table.View(), lo, hi, o.probe(), g.Search, func(p uint32) (shingle.Bag, bool) {
			return j.ops[p].Bag, true
		})
		g.peers = append(g.peers, slices.DeleteFunc(hits, func(h search.Hit) bool { return j.ops[h.Set].met >= place })...)
		bestFirst(g.peers)
	}
	for _, p := range s.places {
		j.ops[p].met = max(j.ops[p].met, place)
	}
}
