package view

// Documents written after a mark: new sets, and documents that joined older sets
// (docs/decisions/0036).

import (
	"cmp"
	"context"
	"encoding/binary"
	"slices"

	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/internal/keys"
)

// Mark returns the mark of the snapshot.
func (m *Snapshot) Mark() string {
	mark := record.Mark{Record: m.Applied, Next: map[uint32]uint32{}}
	for _, v := range m.Views {
		mark.Next[v.Number] = v.Table.Len()
	}
	return mark.Encode(m.Store)
}

// Since is the result of comparing a collection with a mark.
type Since struct {
	Next   uint32   // all documents of sets ≥ Next are new
	joined []joined // new documents of sets below Next, by set and id
}

type joined struct {
	set uint32
	id  string
}

// Since returns the documents written after a mark. ErrMark if the mark is of another store or
// lies in the snapshot's future.
func (m *Snapshot) Since(ctx context.Context, v *View, mark string) (*Since, error) {
	at, err := m.mark(mark)
	if err != nil {
		return nil, err
	}
	s := &Since{}
	if v.Began <= at.Record { // otherwise the entry in the mark, if any, is that of a dropped collection
		s.Next = at.Next[v.Number]
	}
	err = disk.ScanFrom(m.Pebble, v.Key(keys.Joined), keys.OfJoined(v.Number, at.Record+1), func(key, value []byte) error {
		id, err := keys.JoinedID(key)
		if err != nil || len(value) != 4 {
			return fault.Corrupt("joined key %x", key)
		}
		if set := binary.BigEndian.Uint32(value); set < s.Next {
			s.joined = append(s.joined, joined{set, id})
		}
		return m.Interrupted(ctx)
	})
	slices.SortFunc(s.joined, compareJoined)
	return s, err
}

// compareJoined orders by set, then id.
func compareJoined(a, b joined) int {
	return cmp.Or(cmp.Compare(a.set, b.set), cmp.Compare(a.id, b.id))
}

// Has reports whether the set has a new document.
func (s *Since) Has(set uint32) bool {
	i, _ := slices.BinarySearchFunc(s.joined, joined{set, ""}, compareJoined)
	return set >= s.Next || i < len(s.joined) && s.joined[i].set == set
}

// Document reports whether a document with the given set is new.
func (s *Since) Document(set uint32, id string) bool {
	if set >= s.Next {
		return true
	}
	_, found := slices.BinarySearchFunc(s.joined, joined{set, id}, compareJoined)
	return found
}

// Joined returns the number of new documents in an older set.
func (s *Since) Joined(set uint32) (n uint32) {
	i, _ := slices.BinarySearchFunc(s.joined, joined{set, ""}, compareJoined)
	for ; i < len(s.joined) && s.joined[i].set == set; i++ {
		n++
	}
	return n
}

// Older returns the older sets with new documents, ascending.
func (s *Since) Older() (sets []uint32) {
	for _, j := range s.joined {
		if len(sets) == 0 || sets[len(sets)-1] != j.set {
			sets = append(sets, j.set)
		}
	}
	return sets
}

// Sets returns all sets with new documents, ascending.
func (s *Since) Sets(v *View) []uint32 {
	return append(s.Older(), v.Live(s.Next, v.Table.Len())...)
}
