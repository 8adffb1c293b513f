package groups

// Preserving group numbers when the groups are rebuilt.

import (
	"cmp"
	"encoding/binary"
	"maps"
	"slices"

	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/internal/keys"
)

// Numbers holds the group numbers of a grouping before a rebuild.
type Numbers struct {
	of    map[uint32][]uint64 // numbers of the groups of its documents, by set
	other map[uint64]uint64   // aliases of merged groups
}

// Numbers reads the group numbers, skipping damaged entries, since damage may be the reason for
// the rebuild. setOf returns the current set of a document.
func (s State) Numbers(setOf func(id string) (uint32, error)) (n Numbers, err error) {
	if n.of, err = s.numbersOfSets(setOf); err != nil {
		return n, err
	}
	n.other = map[uint64]uint64{}
	prefix := s.Key(keys.GroupID)
	return n, disk.Scan(s.R, prefix, func(key, sealed []byte) error {
		value, wrong := disk.Unseal(key, sealed)
		if rest := key[len(prefix):]; wrong == nil && len(rest) == 8 {
			number := binary.BigEndian.Uint64(rest)
			if other, wrong := decodeAlias(number, value); wrong == nil {
				n.other[number] = other
			}
		}
		return nil
	})
}

// numbersOfSets returns the numbers of the groups that the current documents of each set were
// in.
func (s State) numbersOfSets(setOf func(id string) (uint32, error)) (map[uint32][]uint64, error) {
	of := map[uint32]uint64{} // by key of a group
	err := disk.Scan(s.R, s.Key(keys.Group), func(key, sealed []byte) error {
		n, _, err := keys.Numbers(key, 3)
		value, wrong := disk.Unseal(key, sealed)
		if err != nil || wrong != nil {
			return nil
		}
		if g, err := decodeInfo(value); err == nil {
			of[n[2]] = g.number
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	was := maps.Clone(of) // right for a set alone in its component; GroupOf corrects the others
	err = disk.Scan(s.R, s.Key(keys.GroupOf), func(key, _ []byte) error {
		n, _, err := keys.Numbers(key, 3)
		if err != nil {
			return nil
		}
		p, err := s.placeOf(n[2])
		if number, ok := of[s.groupKey(p)]; ok && err == nil {
			was[n[2]] = number
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	had := map[uint32][]uint64{}
	for set, number := range was {
		had[set] = []uint64{number}
	}
	err = disk.Scan(s.R, s.Key(keys.GroupDoc), func(key, _ []byte) error {
		n, suffix, err := keys.Numbers(key, 3)
		if err != nil {
			return nil
		}
		id, err := s.idOf(suffix)
		number, ok := was[n[2]]
		if err != nil || !ok {
			return nil
		}
		set, err := setOf(id)
		if err == nil && set != record.NoSet && !slices.Contains(had[set], number) {
			had[set] = append(had[set], number)
		}
		return err
	})
	return had, err
}

// Renumber returns the writes that give each rebuilt group the oldest free number of its sets. A
// number of these sets that no group takes becomes an alias. Renumber sets Next.
func (s State) Renumber(was Numbers, next uint64) (writes []Write, err error) {
	all, err := s.list(0)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(all, func(a, b groupEntry) int { return cmp.Compare(a.number, b.number) })
	taken, other := map[uint64]bool{}, map[uint64]uint64{} // other: aliases of the numbers of sets
	for _, g := range all {
		writes = append(writes, Write{Key: s.idKey(g.number)})
	}
	for _, g := range all {
		sets, err := s.setsAt(g.key)
		if err != nil {
			return nil, err
		}
		made, err := s.infoOf(g.key)
		if err != nil {
			return nil, err
		}
		var had []uint64
		for _, set := range sets {
			had = append(had, was.of[set]...)
		}
		slices.Sort(had)
		number := uint64(0)
		for _, n := range had {
			if !taken[n] {
				number = n
				break
			}
		}
		if number == 0 {
			number = next
			next++
		}
		taken[number] = true
		for _, n := range had {
			if other[n] == 0 {
				other[n] = number
			}
		}
		writes = append(writes,
			Write{Key: s.Key(keys.Group, g.key), Value: info{number, made.docs, 0, made.first}.encode(), Sealed: true},
			Write{Key: s.idKey(number), Value: encodeID(g.key), Sealed: true})
	}
	maps.Copy(was.other, other)
	for n, number := range was.other {
		if !taken[n] {
			writes = append(writes, Write{Key: s.idKey(n), Value: encodeAlias(number), Sealed: true})
		}
	}
	s.Next = next
	return writes, nil
}
