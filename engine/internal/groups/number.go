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
	before  map[uint32]info   // groups before the commit that were read, by key
	olds    map[uint32]info   // those of them that some units were of, or that end
	heirs   map[uint32]int    // their heirs, among now
	infos   map[uint32]*info  // to be stored; nil is removed
	ids     map[uint64][]byte // likewise
	headers map[uint32]uint64 // how many sets components have; 0 is removed
	nowAt   map[uint32]int    // among now, by key
	goes    map[uint32]int    // among now, of a set that a unit lists
}

func newGroupsOf() groupsOf {
	return groupsOf{before: map[uint32]info{}, olds: map[uint32]info{}, heirs: map[uint32]int{}, infos: map[uint32]*info{}, ids: map[uint64][]byte{}, headers: map[uint32]uint64{}, nowAt: map[uint32]int{}, goes: map[uint32]int{}}
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
	rank  []byte   // of its first document; nil: it is all that is left of the old group
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
	was, err := t.groupBefore(key)
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

// groupBefore reads a group as it was before the commit.
func (t *settling) groupBefore(key uint32) (info, error) {
	if g, known := t.before[key]; known {
		return g, nil
	}
	g, err := t.infoOf(key)
	t.before[key] = g
	return g, err
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

// change is what moved documents change of a group whose sets stay as they are.
type change struct {
	docs  int
	first []byte // of those that come
}

func earlier(a, b []byte) []byte {
	if a == nil || b != nil && bytes.Compare(b, a) < 0 {
		return b
	}
	return a
}

// changes sums up what moves in sets that no unit lists, by key of the group before.
func (t *settling) changes() (map[uint32]change, error) {
	all := map[uint32]change{}
	for i := range t.Moved {
		m := &t.Moved[i]
		for n, set := range []uint32{m.From, m.To} {
			if _, listed := t.goes[set]; listed || set == noSet || t.ended[set] {
				continue
			}
			was, _, err := t.was(set)
			if err != nil {
				return nil, err
			}
			key := t.groupKey(was)
			c := all[key]
			if n == 0 {
				c.docs--
			} else {
				c.docs++
				c.first = earlier(c.first, t.suffix(m.Is))
			}
			all[key] = c
		}
	}
	return all, nil
}

// count counts the documents of the groups, and finds which of them are kept.
func (t *settling) count() error {
	changes, err := t.changes()
	if err != nil {
		return err
	}
	for i := range t.units {
		u := &t.units[i]
		g := &t.now[u.group].info
		c := changes[u.old]
		if u.sets == nil {
			g.docs += uint64(int64(t.olds[u.old].docs) + int64(c.docs))
			delete(changes, u.old)
		} else {
			c = change{}
		}
		for _, set := range u.sets {
			g.docs += uint64(t.Docs(set))
			for _, suffix := range t.added[set] {
				c.first = earlier(c.first, suffix)
			}
		}
		first := u.rank
		if first == nil {
			if first, err = t.firstNow(u, c.first); err != nil {
				return err
			}
		}
		g.first = earlier(g.first, first)
	}
	for key, c := range changes {
		g, err := t.groupBefore(key)
		if err != nil {
			return err
		}
		was := g
		g.docs = uint64(int64(g.docs) + int64(c.docs))
		if g.first, err = t.firstNow(&unit{old: key, isOld: true}, c.first); err != nil {
			return err
		}
		if g.docs != was.docs || !bytes.Equal(g.first, was.first) {
			t.infos[key] = &g
		}
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

// firstNow is the first document of a unit that is all that is left of a group: the one that
// was kept or one that comes, unless the one that was kept goes.
func (t *settling) firstNow(u *unit, comes []byte) ([]byte, error) {
	if !u.isOld {
		return comes, nil
	}
	was, err := t.groupBefore(u.old)
	if err != nil || !t.removed[string(was.first)] {
		return earlier(was.first, comes), err
	}
	sets := u.sets
	if sets == nil {
		if sets, err = t.setsOf(u.old); err != nil {
			return nil, err
		}
	}
	return t.firstOf(sets)
}
