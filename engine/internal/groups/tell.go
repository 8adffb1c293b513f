package groups

// The events of documents in a commit.

import (
	"github.com/simdb/simdb/api"
)

// emitMoves adds an event for each document that changed its group.
func (t *update) emitMoves() error {
	for i := range t.units {
		u := &t.units[i]
		if !u.isOld || t.successors[u.old] == u.group {
			continue
		}
		for _, set := range u.sets {
			if err := t.emitSet(set, t.now[u.group].info.number); err != nil {
				return err
			}
		}
	}
	for i := range t.Moved {
		m := &t.Moved[i]
		was, err := t.numberBefore(m.From)
		if err != nil {
			return err
		}
		is, err := t.numberAfter(m.To)
		switch {
		case err != nil:
			return err
		case is == was:
		case is > 0:
			t.emit(api.GroupJoin, m.id(), is)
		default:
			t.emit(api.GroupLeave, m.id(), was)
		}
	}
	return nil
}

// emit adds an event.
func (t *update) emit(kind api.GroupEventKind, id string, number uint64) {
	t.out.Events = append(t.out.Events, api.GroupEvent{Grouping: t.Name, Event: kind, ID: id, Group: number})
}

// emitSet adds an event for each document of a set, except the documents that the commit moves.
func (t *update) emitSet(set uint32, number uint64) error {
	return t.eachDoc(set, func(suffix []byte) error {
		id, err := t.idOf(suffix)
		if err == nil && !t.moved[id] {
			t.emit(api.GroupJoin, id, number)
		}
		return err
	})
}

// numberBefore returns the number under which the old group of a set continues, or else its old
// number; 0 for noSet.
func (t *update) numberBefore(set uint32) (uint64, error) {
	if set == noSet {
		return 0, nil
	}
	was, _, err := t.was(set)
	if err != nil {
		return 0, err
	}
	key := t.groupKey(was)
	if successor, ok := t.successors[key]; ok {
		return t.now[successor].info.number, nil
	}
	g, err := t.groupBefore(key)
	return g.number, err
}

// numberAfter returns the number of the group of a set after the commit; 0 for noSet.
func (t *update) numberAfter(set uint32) (uint64, error) {
	if set == noSet {
		return 0, nil
	}
	if i, listed := t.goes[set]; listed {
		return t.now[i].info.number, nil
	}
	return t.numberBefore(set)
}
