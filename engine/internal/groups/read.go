package groups

// Asking a grouping: its groups, the members of one, and the group of a set.

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

// listed is a group by its key.
type listed struct {
	info
	key uint32
}

// Each calls yield with the groups that are wanted, in their order. It holds 32 bytes for
// each of them.
func (s State) Each(q api.GroupsQuery, yield func(api.Group) error) error {
	all, err := s.list(uint64(max(q.MinSize, 1)))
	if err != nil {
		return err
	}
	slices.SortFunc(all, func(a, b listed) int {
		if q.BySize {
			return cmp.Or(cmp.Compare(b.docs, a.docs), cmp.Compare(a.number, b.number))
		}
		return cmp.Compare(a.number, b.number)
	})
	for i, g := range all {
		if q.Limit > 0 && i == q.Limit {
			break
		}
		keeper, err := s.keeperAt(g.key)
		if err == nil {
			err = yield(api.Group{Group: g.number, Size: int(g.docs), Keeper: keeper, From: g.from})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// list reads the groups of so many documents or more.
func (s State) list(docs uint64) (all []listed, err error) {
	err = disk.ScanSealed(s.R, s.Key(keys.Group), func(key, value []byte) error {
		n, _, err := keys.Numbers(key, 3)
		if err != nil {
			return fault.Corrupt("%w", err)
		}
		g, err := decodeInfo(value)
		if err == nil && g.docs >= docs {
			all = append(all, listed{g, n[2]})
		}
		return err
	})
	return all, err
}

// setsAt lists the sets of a group, that with the document that is kept first.
func (s State) setsAt(key uint32) ([]uint32, error) {
	label := key
	if s.Stars {
		p, err := s.placeOf(key)
		if err != nil {
			return nil, err
		}
		label = p.label
	}
	sets, err := s.setsOf(label)
	if err != nil || len(sets) == 1 {
		return sets, err
	}
	type ranked struct {
		set   uint32
		first []byte
	}
	var in []ranked
	for _, set := range sets {
		if s.Stars {
			if p, err := s.placeOf(set); err != nil {
				return nil, err
			} else if p.kept != key {
				continue
			}
		}
		first, err := s.firstDoc(set)
		if err != nil {
			return nil, err
		}
		in = append(in, ranked{set, first})
	}
	slices.SortFunc(in, func(a, b ranked) int { return bytes.Compare(a.first, b.first) })
	sets = sets[:0]
	for _, r := range in {
		sets = append(sets, r.set)
	}
	return sets, nil
}

func (s State) firstDoc(set uint32) (first []byte, err error) {
	err = s.eachDoc(set, func(suffix []byte) error {
		first = bytes.Clone(suffix)
		return disk.ErrEnough
	})
	return first, err
}

// keeperAt is the id of the document that is kept of a group.
func (s State) keeperAt(key uint32) (string, error) {
	sets := []uint32{key}
	if !s.Stars {
		var err error
		if sets, err = s.setsAt(key); err != nil {
			return "", err
		}
	}
	first, err := s.firstDoc(sets[0])
	if err != nil {
		return "", err
	}
	return s.idOf(first)
}

// OfSet is the group of a set. A document without shingles has no set, and no group.
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

func (s State) at(key uint32) (g api.Group, err error) {
	i, err := s.infoOf(key)
	if err != nil {
		return g, err
	}
	g = api.Group{Group: i.number, Size: int(i.docs), From: i.from}
	g.Keeper, err = s.keeperAt(key)
	return g, err
}

// Numbered is the group of a number, or the one that it went into; false if there is none.
func (s State) Numbered(number uint64) (g api.Group, ok bool, err error) {
	key, ok, err := s.keyOf(number)
	if ok && err == nil {
		g, err = s.at(key)
	}
	return g, ok && err == nil, err
}

// keyOf follows the other names of a group.
func (s State) keyOf(number uint64) (key uint32, ok bool, err error) {
	for range s.Next {
		b, err := disk.GetSealed(s.R, s.idKey(number))
		if err != nil || b == nil {
			return 0, false, err
		}
		if len(b) == 4 {
			return binary.BigEndian.Uint32(b), true, nil
		}
		d := record.Decoder{B: b[1:]}
		if number = d.Uvarint(); d.Err != nil {
			return 0, false, fault.Corrupt("grouping %q: a number of a group: %w", s.Name, d.Err)
		}
	}
	return 0, false, nil
}

// Members calls yield with the ids of the documents of a group: set by set, in the order of
// keep of their first documents, and within a set in that order; until it returns an error.
func (s State) Members(number uint64, yield func(set uint32, id string) error) error {
	key, ok, err := s.keyOf(number)
	if err != nil || !ok {
		return err
	}
	sets, err := s.setsAt(key)
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
