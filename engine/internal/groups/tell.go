package groups

// The events of a commit about documents.

import (
	"github.com/simdb/simdb/api"
)

// tell tells which documents are in another group than before.
func (t *settling) tell() error {
	for i := range t.units {
		u := &t.units[i]
		if !u.isOld || t.heirs[u.old] == u.group {
			continue
		}
		for _, set := range u.sets {
			if err := t.tellSet(set, t.now[u.group].info.number); err != nil {
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
			t.told(api.GroupJoin, m.id(), is)
		default:
			t.told(api.GroupLeave, m.id(), was)
		}
	}
	return nil
}

func (t *settling) told(kind api.GroupEventKind, id string, number uint64) {
	t.out.Events = append(t.out.Events, api.GroupEvent{Grouping: t.Name, Event: kind, ID: id, Group: number})
}

// tellSet tells of the documents of a set that the commit itself does not move.
func (t *settling) tellSet(set uint32, number uint64) error {
	return t.eachDoc(set, func(suffix []byte) error {
		id, err := t.idOf(suffix)
		if err == nil && !t.moved[id] {
			t.told(api.GroupJoin, id, number)
		}
		return err
	})
}

// numberBefore is the number by which the group of a set before the commit goes on, or else
// the one that it had; 0 if there was none.
func (t *settling) numberBefore(set uint32) (uint64, error) {
	if set == noSet {
		return 0, nil
	}
	was, _, err := t.was(set)
	if err != nil {
		return 0, err
	}
	key := t.groupKey(was)
	if heir, ok := t.heirs[key]; ok {
		return t.now[heir].info.number, nil
	}
	g, err := t.groupBefore(key)
	return g.number, err
}

// numberAfter is the number of the group of a set after the commit; 0 if it has none.
func (t *settling) numberAfter(set uint32) (uint64, error) {
	if set == noSet {
		return 0, nil
	}
	if i, listed := t.goes[set]; listed {
		return t.now[i].info.number, nil
	}
	return t.numberBefore(set)
}
