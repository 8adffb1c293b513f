package groups

// What a commit does to a grouping: the documents that it moves, then the components that
// they change, then the groups and their numbers. All of it is decided from the moment
// before, so that a replay of the log decides the same.

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"maps"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/index/join"
	"github.com/simdb/simdb/internal/keys"
)

// Commit is what a commit does to the sets and documents of a collection.
type Commit struct {
	Begun []Begun // ascending
	Ended []uint32
	Moved []Moved
	Docs  func(set uint32) uint32 // how many documents a set has after it
}

// Begun is a set that was not there before.
type Begun struct {
	Set   uint32
	Alike *roaring.Bitmap // the sets that are similar to it, those of this commit too; nil: none
}

// Moved is a document that a commit writes or deletes.
type Moved struct {
	From, To uint32 // sets; record.NoSet is none
	Was, Is  Doc
}

func (m *Moved) id() string { return cmp.Or(m.Is.ID, m.Was.ID) }

// Outcome is what comes of it.
type Outcome struct {
	Writes []Write
	Events []api.GroupEvent
}

// Write is a key that changes; a nil value removes it, an empty one does not.
type Write struct {
	Key, Value []byte
	Sealed     bool
}

// settling is a commit on its way into a grouping.
type settling struct {
	State
	Commit
	out     Outcome
	begun   map[uint32]*roaring.Bitmap
	ended   map[uint32]bool
	removed map[string]bool     // suffixes of documents that go
	added   map[uint32][][]byte // suffixes of those that come, by set
	places  map[uint32]place    // before the commit
	moved   map[string]bool     // ids

	pieces  []piece
	tied    join.UnionFind // of pieces
	pieceOf map[uint32]int // of a set that a piece lists
	wholes  map[uint32]int // piece by label
	broken  map[uint32]bool

	groupsOf
}

// Settle says what a commit does to a grouping of which this is the moment before. It gives
// out numbers of groups.
func (s State) Settle(c Commit) (Outcome, error) {
	t := &settling{
		State: s, Commit: c, begun: map[uint32]*roaring.Bitmap{}, ended: map[uint32]bool{}, removed: map[string]bool{}, added: map[uint32][][]byte{},
		places: map[uint32]place{}, moved: map[string]bool{}, pieceOf: map[uint32]int{}, wholes: map[uint32]int{}, broken: map[uint32]bool{}, groupsOf: newGroupsOf(),
	}
	for _, step := range []func() error{t.documents, t.breakUp, t.tie, t.place, t.number, t.count, t.tell, t.write} {
		if err := step(); err != nil {
			return Outcome{}, err
		}
	}
	return t.out, nil
}

func (t *settling) set(key, value []byte) {
	t.out.Writes = append(t.out.Writes, Write{Key: key, Value: value})
}
func (t *settling) seal(key, value []byte) {
	t.out.Writes = append(t.out.Writes, Write{Key: key, Value: value, Sealed: true})
}
func (t *settling) remove(key []byte) { t.out.Writes = append(t.out.Writes, Write{Key: key}) }

// present is the value of a key that says all.
var present = []byte{}

// documents moves the documents.
func (t *settling) documents() error {
	for i := range t.Moved {
		m := &t.Moved[i]
		t.moved[m.id()] = true
		if m.From != record.NoSet {
			suffix := t.suffix(m.Was)
			t.removed[string(suffix)] = true
			t.remove(t.docKey(m.From, suffix))
		}
		if m.To != record.NoSet {
			suffix := t.suffix(m.Is)
			t.added[m.To] = append(t.added[m.To], suffix)
			if m.From == m.To {
				delete(t.removed, string(suffix)) // its place in the order is the same
			}
			t.set(t.docKey(m.To, suffix), present)
		}
	}
	for _, set := range t.Ended {
		t.ended[set] = true
		t.remove(t.Key(keys.Alike, set))
	}
	for i := range t.Begun {
		b := &t.Begun[i]
		if b.Alike == nil {
			b.Alike = roaring.New()
		}
		t.begun[b.Set] = b.Alike
	}
	return nil
}

// first is what the key of the first document of a set has behind its number, before the
// commit or after it; nil if it has none.
func (t *settling) first(set uint32, after bool) (first []byte, err error) {
	if after {
		for _, suffix := range t.added[set] {
			if first == nil || bytes.Compare(suffix, first) < 0 {
				first = suffix
			}
		}
	}
	if t.begun[set] != nil {
		return first, nil
	}
	err = t.eachDoc(set, func(suffix []byte) error {
		if after && t.removed[string(suffix)] {
			return nil
		}
		if first == nil || bytes.Compare(suffix, first) < 0 {
			first = bytes.Clone(suffix)
		}
		return disk.ErrEnough
	})
	return first, err
}

// was is where a set was before the commit; false of one that begins.
func (t *settling) was(set uint32) (place, bool, error) {
	if t.begun[set] != nil {
		return place{}, false, nil
	}
	p, known := t.places[set]
	var err error
	if !known {
		p, err = t.placeOf(set)
		t.places[set] = p
	}
	return p, true, err
}

// alikeOf are the sets that were similar to one when it began.
func (t *settling) alikeOf(set uint32) (*roaring.Bitmap, error) {
	if b := t.begun[set]; b != nil {
		return b, nil
	}
	return t.Alike(set)
}

// write lists the keys of groups and of similar sets.
func (t *settling) write() error {
	for _, b := range t.Begun {
		if b.Alike.IsEmpty() {
			continue
		}
		b.Alike.RunOptimize()
		value, err := b.Alike.ToBytes()
		if err != nil {
			return err
		}
		t.seal(t.Key(keys.Alike, b.Set), value)
	}
	for _, key := range slices.Sorted(maps.Keys(t.infos)) {
		if g := t.infos[key]; g != nil {
			t.seal(t.Key(keys.Group, key), g.encode())
		} else {
			t.remove(t.Key(keys.Group, key))
		}
	}
	for _, number := range slices.Sorted(maps.Keys(t.ids)) {
		if id := t.ids[number]; id != nil {
			t.seal(t.idKey(number), id)
		} else {
			t.remove(t.idKey(number))
		}
	}
	return nil
}

// What GroupID has: 4 bytes are the key of the group, 8 the number of the group that it went
// into, which is older.
func encodeID(key uint32) []byte { return binary.BigEndian.AppendUint32(nil, key) }

func encodeAlias(number uint64) []byte { return binary.BigEndian.AppendUint64(nil, number) }

func decodeAlias(of uint64, b []byte) (number uint64, err error) {
	if len(b) == 8 {
		if number = binary.BigEndian.Uint64(b); number < of {
			return number, nil
		}
	}
	return 0, fault.Corrupt("what group %d went into is %x", of, b)
}
