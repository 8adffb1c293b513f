package groups

// Group numbers. Each old group has one successor among the current groups. The oldest
// predecessor of a group gives it its number, and the numbers of the others become aliases. A
// group without predecessor gets a new number.

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/record"
)

// noSet marks a document that is in no set.
const noSet = record.NoSet

// groupsOf holds the groups that a commit touches.
type groupsOf struct {
	now        []group
	units      []unit
	before     map[uint32]info   // old groups read so far, by key
	olds       map[uint32]info   // old groups of units, and old groups that may end
	successors map[uint32]int    // index in now of the successor of an old group
	infos      map[uint32]*info  // to store; nil: delete
	ids        map[uint64][]byte // to store; nil: delete
	headers    map[uint32]uint64 // number of sets by label; 0: delete
	nowAt      map[uint32]int    // index in now, by key
	goes       map[uint32]int    // index in now, by set, for units that list their sets
}

// newGroupsOf returns empty groupsOf.
func newGroupsOf() groupsOf {
	return groupsOf{before: map[uint32]info{}, olds: map[uint32]info{}, successors: map[uint32]int{}, infos: map[uint32]*info{}, ids: map[uint64][]byte{}, headers: map[uint32]uint64{}, nowAt: map[uint32]int{}, goes: map[uint32]int{}}
}

// group is a group after the commit.
type group struct {
	key    uint32
	info   info
	claims []info // its predecessors
	from   uint64 // number of an old group that part of it came from
}

// unit holds sets with the same old group, if any, and the same new group.
type unit struct {
	group int
	old   uint32 // key of the old group, if isOld
	isOld bool
	sets  []uint32 // nil: all sets of an unbroken component
	rank  []byte   // of its first document; nil: the unit is all that remains of the old group
}

// groupsIn divides a component into groups. With stars it returns the kept set of each set.
func (t *update) groupsIn(of []int, label uint32) (kept map[uint32]uint32, err error) {
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

// addUnit adds a unit and indexes its sets.
func (t *update) addUnit(u unit) {
	t.units = append(t.units, u)
	for _, set := range u.sets {
		t.goes[set] = u.group
	}
}

// groupAt returns the index of the group with a key, adding it if necessary.
func (t *update) groupAt(key uint32) int {
	n, ok := t.nowAt[key]
	if !ok {
		n = len(t.now)
		t.now, t.nowAt[key] = append(t.now, group{key: key}), n
	}
	return n
}

// number finds the successors, and assigns each group its number.
func (t *update) number() error {
	best := map[uint32]int{} // unit, by old group
	for i := range t.units {
		u := &t.units[i]
		if !u.isOld {
			continue
		}
		j, ok := best[u.old]
		if !ok || t.continues(u, &t.units[j]) {
			best[u.old] = i
		}
	}
	for i := range t.units {
		if u := &t.units[i]; u.isOld {
			if err := t.claim(u, t.units[best[u.old]].group); err != nil {
				return err
			}
		}
	}
	for _, set := range t.Ended { // their groups may end
		was, _, err := t.was(set)
		if err != nil {
			return err
		}
		if err := t.readOld(t.groupKey(was)); err != nil {
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

// byKey returns the groups in the order of keys, which a replay repeats.
func (t *update) byKey() []int {
	order := make([]int, len(t.now))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(t.now[a].key, t.now[b].key) })
	return order
}

// continues reports whether u rather than other continues the old group of both: the unit with
// the kept set does, or else the unit with the first document.
func (t *update) continues(u, other *unit) bool {
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

// readOld reads an old group and schedules its deletion, which a successor with the same key or
// number overrides.
func (t *update) readOld(key uint32) error {
	if _, known := t.olds[key]; known {
		return nil
	}
	was, err := t.groupBefore(key)
	if err != nil {
		return err
	}
	t.olds[key] = was
	if _, goesOn := t.successors[key]; !goesOn {
		t.ids[was.number] = nil
	}
	t.infos[key] = nil
	return nil
}

// groupBefore reads a group as it was before the commit.
func (t *update) groupBefore(key uint32) (info, error) {
	if g, known := t.before[key]; known {
		return g, nil
	}
	g, err := t.infoOf(key)
	t.before[key] = g
	return g, err
}

// claim records successor as the successor of the old group of u. If u goes to another group,
// the old group becomes a candidate for the origin of that group.
func (t *update) claim(u *unit, successor int) error {
	_, known := t.successors[u.old]
	t.successors[u.old] = successor
	if err := t.readOld(u.old); err != nil {
		return err
	}
	number := t.olds[u.old].number
	if !known {
		t.now[successor].claims = append(t.now[successor].claims, t.olds[u.old])
	}
	if g := &t.now[u.group]; u.group != successor && (g.from == 0 || number < g.from) {
		g.from = number
	}
	return nil
}

// change is the effect of moved documents on a group that keeps its sets.
type change struct {
	docs  int
	first []byte // of the added documents
}

// minSuffix returns the lesser of two suffixes, or the other one if one is nil.
func minSuffix(a, b []byte) []byte {
	if a == nil || b != nil && bytes.Compare(b, a) < 0 {
		return b
	}
	return a
}

// changes sums up the moved documents of the sets that no unit lists, by key of the old group.
func (t *update) changes() (map[uint32]change, error) {
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
				c.first = minSuffix(c.first, t.suffix(m.Is))
			}
			all[key] = c
		}
	}
	return all, nil
}

// count computes the number of documents and the kept document of each group.
func (t *update) count() error {
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
				c.first = minSuffix(c.first, suffix)
			}
		}
		first := u.rank
		if first == nil {
			if first, err = t.firstNow(u, c.first); err != nil {
				return err
			}
		}
		g.first = minSuffix(g.first, first)
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

// firstNow returns the first document of a unit that is all that remains of a group: the kept
// document or an added one, unless the kept document was removed.
func (t *update) firstNow(u *unit, comes []byte) ([]byte, error) {
	if !u.isOld {
		return comes, nil
	}
	was, err := t.groupBefore(u.old)
	if err != nil || !t.removed[string(was.first)] {
		return minSuffix(was.first, comes), err
	}
	sets := u.sets
	if sets == nil {
		if sets, err = t.setsOf(u.old); err != nil {
			return nil, err
		}
	}
	return t.firstOf(sets)
}
