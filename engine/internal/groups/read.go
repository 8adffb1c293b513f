package groups

// Queries of a grouping: its groups, the members of a group, the group of a set.

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/internal/keys"
)

// groupEntry is an entry of the list of groups.
type groupEntry struct {
	number, docs uint64
	key          uint32
}

// Each calls yield with the groups that q selects, in its order, until yield returns an error.
// It uses 24 bytes of memory per group.
func (s State) Each(q api.GroupsQuery, yield func(api.Group) error) error {
	all, err := s.list(uint64(max(q.MinSize, 1)))
	if err != nil {
		return err
	}
	slices.SortFunc(all, func(a, b groupEntry) int {
		if q.BySize {
			return cmp.Or(cmp.Compare(b.docs, a.docs), cmp.Compare(a.number, b.number))
		}
		return cmp.Compare(a.number, b.number)
	})
	for i, g := range all {
		if q.Limit > 0 && i == q.Limit {
			break
		}
		group, err := s.at(g.key)
		if err == nil {
			err = yield(group)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// list returns the groups with at least docs documents, unordered.
func (s State) list(docs uint64) (all []groupEntry, err error) {
	err = disk.ScanSealed(s.R, s.Key(keys.Group), func(key, value []byte) error {
		n, _, err := keys.Numbers(key, 3)
		if err != nil {
			return fault.Corrupt("%w", err)
		}
		g, err := decodeInfo(value)
		if err == nil && g.docs >= docs {
			all = append(all, groupEntry{g.number, g.docs, n[2]})
		}
		return err
	})
	return all, err
}

// setsAt returns the sets of a group, ascending.
func (s State) setsAt(key uint32) ([]uint32, error) {
	if !s.Stars {
		return s.setsOf(key)
	}
	p, err := s.placeOf(key)
	if err != nil {
		return nil, err
	}
	return s.setsOf(p.label, key)
}

// sortByFirst sorts the sets of a group by their first documents.
func (s State) sortByFirst(sets []uint32) error {
	firsts := make(map[uint32][]byte, len(sets))
	for _, set := range sets {
		first, err := s.firstDoc(set)
		if err != nil {
			return err
		}
		firsts[set] = first
	}
	slices.SortFunc(sets, func(a, b uint32) int { return bytes.Compare(firsts[a], firsts[b]) })
	return nil
}

// firstDoc returns the suffix of the first document of a set.
func (s State) firstDoc(set uint32) (first []byte, err error) {
	err = s.eachDoc(set, func(suffix []byte) error {
		first = bytes.Clone(suffix)
		return disk.ErrEnough
	})
	return first, err
}

// OfSet returns the group of a set; false for record.NoSet.
func (s State) OfSet(set uint32) (g api.Group, ok bool, err error) {
	if set == record.NoSet {
		return g, false, nil
	}
	p, err := s.placeOf(set)
	if err != nil {
		return g, false, err
	}
	g, err = s.at(s.groupKey(p))
	return g, err == nil, err
}

// at returns the group with a key.
func (s State) at(key uint32) (g api.Group, err error) {
	i, err := s.infoOf(key)
	if err != nil {
		return g, err
	}
	g = api.Group{Group: i.number, Size: int(i.docs), From: i.from}
	g.Keeper, err = s.idOf(i.first)
	return g, err
}

// Numbered returns the group with a number, following aliases of merged groups; false if there
// is none.
func (s State) Numbered(number uint64) (g api.Group, ok bool, err error) {
	key, ok, err := s.keyOf(number)
	if ok && err == nil {
		g, err = s.at(key)
	}
	return g, ok && err == nil, err
}

// keyOf returns the key of the group with a number, following aliases.
func (s State) keyOf(number uint64) (key uint32, ok bool, err error) {
	for {
		b, err := disk.GetSealed(s.R, s.idKey(number))
		if err != nil || b == nil {
			return 0, false, err
		}
		if len(b) == 4 {
			return binary.BigEndian.Uint32(b), true, nil
		}
		other, err := decodeAlias(number, b)
		if err != nil {
			return 0, false, fault.Corrupt("grouping %q: %w", s.Name, err)
		}
		number = other
	}
}

// Members calls yield with the documents of a group until yield returns an error: sets in the
// order of their first documents, and the documents of a set in the order of keep.
func (s State) Members(number uint64, yield func(set uint32, id string) error) error {
	key, ok, err := s.keyOf(number)
	if err != nil || !ok {
		return err
	}
	sets, err := s.setsAt(key)
	if err == nil && len(sets) > 1 {
		err = s.sortByFirst(sets)
	}
	if err != nil {
		return err
	}
	for _, set := range sets {
		var ended error
		err := s.eachDoc(set, func(suffix []byte) error {
			id, err := s.idOf(suffix)
			if err == nil {
				ended = yield(set, id)
			}
			return cmp.Or(err, ended)
		})
		if err = cmp.Or(err, ended); err != nil {
			return err
		}
	}
	return nil
}
