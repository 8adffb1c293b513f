package groups

// Applying a commit to a grouping: documents move, components change, then groups and their
// numbers follow. Every decision depends only on the state before and the commit, so that a
// replay of the log repeats it.

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

// Commit holds the changes of a commit to the sets and documents of a collection.
type Commit struct {
	Begun []Begun // ascending
	Ended []uint32
	Moved []Moved
	Docs  func(set uint32) uint32 // number of documents of a set after the commit
}

// Begun is a set that the commit creates.
type Begun struct {
	Set   uint32
	Alike *roaring.Bitmap // similar sets, including those of this commit; nil: none
}

// Moved is a document that the commit writes or deletes.
type Moved struct {
	From, To uint32 // sets; record.NoSet: none
	Was, Is  Doc
}

// id returns the id of the document.
func (m *Moved) id() string { return cmp.Or(m.Is.ID, m.Was.ID) }

// Outcome is the effect of a commit on a grouping.
type Outcome struct {
	Writes []Write
	Events []api.GroupEvent
}

// Write is a changed key. A nil value deletes the key, an empty value does not.
type Write struct {
	Key, Value []byte
	Sealed     bool
}

// update is the state of applying one commit.
type update struct {
	State
	Commit
	out     Outcome
	begun   map[uint32]*roaring.Bitmap
	ended   map[uint32]bool
	removed map[string]bool     // suffixes of removed documents
	added   map[uint32][][]byte // suffixes of added documents, by set
	places  map[uint32]place    // before the commit
	moved   map[string]bool     // ids of the moved documents

	pieces  []piece
	unions  join.UnionFind  // unites pieces into components
	pieceOf map[uint32]int  // piece by set, for pieces that list their sets
	wholes  map[uint32]int  // piece by label, for unbroken components
	broken  map[uint32]bool // labels of components with an ended set

	groupsOf
}

// Settle computes the effect of a commit on a grouping in state s. It advances
// Next, so the caller must hold the commit mutex. It writes nothing.
func (s State) Settle(c Commit) (Outcome, error) {
	t := &update{
		State: s, Commit: c, begun: map[uint32]*roaring.Bitmap{}, ended: map[uint32]bool{}, removed: map[string]bool{}, added: map[uint32][][]byte{},
		places: map[uint32]place{}, moved: map[string]bool{}, pieceOf: map[uint32]int{}, wholes: map[uint32]int{}, broken: map[uint32]bool{}, groupsOf: newGroupsOf(),
	}
	for _, step := range []func() error{t.documents, t.breakUp, t.unite, t.place, t.number, t.count, t.emitMoves, t.write} {
		if err := step(); err != nil {
			return Outcome{}, err
		}
	}
	return t.out, nil
}

// set adds a write.
func (t *update) set(key, value []byte) {
	t.out.Writes = append(t.out.Writes, Write{Key: key, Value: value})
}

// seal adds a write of a sealed value.
func (t *update) seal(key, value []byte) {
	t.out.Writes = append(t.out.Writes, Write{Key: key, Value: value, Sealed: true})
}

// remove adds a deletion.
func (t *update) remove(key []byte) { t.out.Writes = append(t.out.Writes, Write{Key: key}) }

// present is the value of keys whose existence is the information.
var present = []byte{}

// documents moves the documents between sets.
func (t *update) documents() error {
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
				delete(t.removed, string(suffix)) // its position in the order is unchanged
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

// first returns the suffix of the key of a set's first document, before or after the commit; nil
// if the set has none.
func (t *update) first(set uint32, after bool) (first []byte, err error) {
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

// was returns the place of a set before the commit; false if the commit creates the set.
func (t *update) was(set uint32) (place, bool, error) {
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

// alikeOf returns the sets similar to a set when it began.
func (t *update) alikeOf(set uint32) (*roaring.Bitmap, error) {
	if b := t.begun[set]; b != nil {
		return b, nil
	}
	return t.Alike(set)
}

// write adds the writes of groups and of similar sets.
func (t *update) write() error {
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

// encodeID encodes the key of a group, for GroupID. A value there has 4 bytes, the key, or 8,
// the number of the older group that the group merged into.
func encodeID(key uint32) []byte { return binary.BigEndian.AppendUint32(nil, key) }

// encodeAlias encodes the number of the group that another merged into.
func encodeAlias(number uint64) []byte { return binary.BigEndian.AppendUint64(nil, number) }

// decodeAlias decodes the alias of a merged group: the group that it merged into. Merged numbers
// only decrease, so chains of aliases end.
func decodeAlias(of uint64, b []byte) (number uint64, err error) {
	if len(b) == 8 {
		if number = binary.BigEndian.Uint64(b); number < of {
			return number, nil
		}
	}
	return 0, fault.Corrupt("the alias of group %d is %x", of, b)
}
