package groups

// Numbers of groups: each group that was there has one heir among those that are there now.
// Of several that have one heir the oldest goes on, and the others are other names for it.
// A group that is nobody's heir gets a new number.

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/record"
)

const noSet = record.NoSet

// groupsOf are the groups that a commit touches.
type groupsOf struct {
	now     []group
	units   []unit
	olds    map[uint32]info   // groups before, by key
	heirs   map[uint32]int    // their heirs, among now
	infos   map[uint32]*info  // to be stored; nil is removed
	ids     map[uint64][]byte // likewise
	headers map[uint32]uint64 // how many sets components have; 0 is removed
	nowAt   map[uint32]int    // among now, by key
	goes    map[uint32]int    // among now, of a set that a unit lists
}

func newGroupsOf() groupsOf {
	return groupsOf{olds: map[uint32]info{}, heirs: map[uint32]int{}, infos: map[uint32]*info{}, ids: map[uint64][]byte{}, headers: map[uint32]uint64{}, nowAt: map[uint32]int{}, goes: map[uint32]int{}}
}

// group is a group after the commit.
type group struct {
	key    uint32
	info   info
	claims []info // groups whose heir it is
	from   uint64 // number of a group that some of it was in
}

// unit is sets that were in one group, or in none, and are in one now.
type unit struct {
	group int
	old   uint32 // key of the group; of no account if it begins
	isOld bool
	sets  []uint32 // nil: all of a component that is not broken
	rank  []byte   // of its first document
}

// groupsIn divides a component into groups, and says which set each set of a star goes to.
func (t *settling) groupsIn(of []int, label uint32) (kept map[uint32]uint32, err error) {
	if !t.Stars {
		n := t.groupAt(label)
		for _, i := range of {
			p := &t.pieces[i]
			t.addUnit(unit{group: n, old: p.old, isOld: p.isOld, sets: p.sets, rank: p.rank})
		}
		return nil, nil
	}
	var sets []uint32
	for _, i := range of {
		more, err := t.setsIn(&t.pieces[i])
		if err != nil {
			return nil, err
		}
		sets = append(sets, more...)
	}
	slices.Sort(sets)
	if kept, err = t.starsOf(sets); err != nil {
		return nil, err
	}
	for _, set := range sets {
		was, old, err := t.was(set)
		if err != nil {
			return nil, err
		}
		u := unit{group: t.groupAt(kept[set]), old: was.kept, isOld: old, sets: []uint32{set}}
		if u.rank, err = t.first(set, true); err != nil {
			return nil, err
		}
		t.addUnit(u)
	}
	return kept, nil
}

func (t *settling) addUnit(u unit) {
	t.units = append(t.units, u)
	for _, set := range u.sets {
		t.goes[set] = u.group
	}
}

// groupAt is the group of a key.
func (t *settling) groupAt(key uint32) int {
	n, ok := t.nowAt[key]
	if !ok {
		n = len(t.now)
		t.now, t.nowAt[key] = append(t.now, group{key: key}), n
	}
	return n
}

// number finds the heirs, and gives each group its number.
func (t *settling) number() error {
	best := map[uint32]int{} // unit, by old group
	for i := range t.units {
		u := &t.units[i]
		if !u.isOld {
			continue
		}
		j, ok := best[u.old]
		if !ok || t.inherits(u, &t.units[j]) {
			best[u.old] = i
		}
	}
	for i := range t.units {
		if u := &t.units[i]; u.isOld {
			if err := t.inherit(u, t.units[best[u.old]].group); err != nil {
				return err
			}
		}
	}
	for _, set := range t.Ended { // a group may end with it
		was, _, err := t.was(set)
		if err != nil {
			return err
		}
		if err := t.knowOld(t.groupKey(was)); err != nil {
			return err
		}
	}
	for _, i := range t.byKey() {
		g := &t.now[i]
		slices.SortFunc(g.claims, func(a, b info) int { return cmp.Compare(a.number, b.number) })
		switch {
		case len(g.claims) > 0:
			g.info.number, g.info.from = g.claims[0].number, g.claims[0].from
			for _, other := range g.claims[1:] {
				t.ids[other.number] = encodeAlias(g.info.number)
				t.out.Events = append(t.out.Events, api.GroupEvent{Grouping: t.Name, Event: api.GroupMerge, Group: other.number, Other: g.info.number})
			}
		default:
			g.info.number, g.info.from = t.Next, g.from
			t.Next++
		}
	}
	for _, i := range t.byKey() {
		if g := &t.now[i]; len(g.claims) == 0 && g.from > 0 {
			t.out.Events = append(t.out.Events, api.GroupEvent{Grouping: t.Name, Event: api.GroupSplit, Group: g.from, Other: g.info.number})
		}
	}
	return nil
}

// byKey lists the groups in an order that a replay finds too.
func (t *settling) byKey() []int {
	order := make([]int, len(t.now))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(t.now[a].key, t.now[b].key) })
	return order
}

// inherits says whether a unit goes on with the group of both, rather than the other: it has
// the set that was kept, or else the first document.
func (t *settling) inherits(u, other *unit) bool {
	if t.Stars {
		switch u.old {
		case u.sets[0]:
			return true
		case other.sets[0]:
			return false
		}
	}
	return bytes.Compare(u.rank, other.rank) < 0
}

// knowOld reads a group that was there.
func (t *settling) knowOld(key uint32) error {
	if _, known := t.olds[key]; known {
		return nil
	}
	was, err := t.infoOf(key)
	if err != nil {
		return err
	}
	t.olds[key] = was
	if _, goesOn := t.heirs[key]; !goesOn {
		t.ids[was.number] = nil
	}
	t.infos[key] = nil
	return nil
}

// inherit notes the heir of the group that a unit was of, and where the unit comes from.
func (t *settling) inherit(u *unit, heir int) error {
	_, known := t.heirs[u.old]
	t.heirs[u.old] = heir
	if err := t.knowOld(u.old); err != nil {
		return err
	}
	number := t.olds[u.old].number
	if !known {
		t.now[heir].claims = append(t.now[heir].claims, t.olds[u.old])
	}
	if g := &t.now[u.group]; u.group != heir && (g.from == 0 || number < g.from) {
		g.from = number
	}
	return nil
}

// count counts the documents of the groups.
func (t *settling) count() error {
	come := map[uint32]int{} // by key of the group before; of sets that no unit lists
	for i := range t.Moved {
		m := &t.Moved[i]
		for set, n := range map[uint32]int{m.From: -1, m.To: 1} {
			if m.From == m.To || set == noSet || t.ended[set] {
				continue
			}
			if _, listed := t.goes[set]; listed {
				continue
			}
			was, _, err := t.was(set)
			if err != nil {
				return err
			}
			come[t.groupKey(was)] += n
		}
	}
	for i := range t.units {
		u := &t.units[i]
		g := &t.now[u.group].info
		if u.sets == nil {
			g.docs += uint64(int64(t.olds[u.old].docs) + int64(come[u.old]))
			delete(come, u.old)
			continue
		}
		for _, set := range u.sets {
			g.docs += uint64(t.Docs(set))
		}
	}
	for key, n := range come {
		if n == 0 {
			continue
		}
		g, err := t.infoOf(key)
		if err != nil {
			return err
		}
		g.docs = uint64(int64(g.docs) + int64(n))
		t.infos[key] = &g
	}
	for i := range t.now {
		g := &t.now[i]
		t.infos[g.key] = &g.info
		if was, ok := t.olds[g.key]; !ok || was.number != g.info.number {
			t.ids[g.info.number] = encodeID(g.key)
		} else {
			delete(t.ids, g.info.number)
		}
	}
	return nil
}
