package groups

// Components: sets connected by chains of similar sets. An ended set may split its component,
// and a new set may join several. With connected grouping, the sets of a component that only
// grows are not read.

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"maps"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/simdb/simdb/index/join"
	"github.com/simdb/simdb/internal/keys"
)

// piece is a group of sets that remain connected: an unchanged component, a fragment of a split
// one, or a new set.
type piece struct {
	label   uint32   // candidate label of the new component; unique among pieces
	old     uint32   // label of the component before
	isOld   bool     // false for a new set
	several bool     // the old component had more than one set
	sets    []uint32 // nil: all sets of the component
	size    uint64   // number of sets
	rank    []byte   // of its first document, if the component split
}

// addPiece adds a piece and indexes its sets.
func (t *update) addPiece(p piece) int {
	i := len(t.pieces)
	t.pieces = append(t.pieces, p)
	t.unions.Grow()
	for _, set := range p.sets {
		t.pieceOf[set] = i
	}
	return i
}

// breakUp adds pieces: the fragments of components with ended sets, and each new set.
func (t *update) breakUp() error {
	for _, set := range t.Ended {
		p, _, err := t.was(set)
		if err != nil {
			return err
		}
		t.broken[p.label] = true
	}
	for _, label := range slices.Sorted(maps.Keys(t.broken)) {
		if err := t.parts(label); err != nil {
			return err
		}
	}
	for _, b := range t.Begun {
		t.addPiece(piece{label: b.Set, sets: []uint32{b.Set}, size: 1})
	}
	return nil
}

// parts adds the remaining fragments of a component as pieces.
func (t *update) parts(label uint32) error {
	all, err := t.setsOf(label)
	if err != nil {
		return err
	}
	var sets []uint32
	for _, set := range all {
		if !t.ended[set] {
			sets = append(sets, set)
		} else if len(all) > 1 {
			t.remove(t.setKey(set, t.places[set]))
			t.remove(t.Key(keys.GroupOf, set))
		}
	}
	if len(all) > 1 {
		t.headers[label] = 0
	}
	parts, err := t.partition(sets)
	if err != nil {
		return err
	}
	holder := 0
	for i, part := range parts {
		if slices.Contains(part, label) {
			holder = i
			break
		} else if len(part) > len(parts[holder]) {
			holder = i
		}
	}
	for i, part := range parts {
		p := piece{label: part[0], old: label, isOld: true, several: len(all) > 1, sets: part, size: uint64(len(part))}
		if i == holder {
			p.label = label
		}
		if len(parts) > 1 {
			if p.rank, err = t.firstOf(part); err != nil {
				return err
			}
		}
		t.addPiece(p)
	}
	return nil
}

// firstOf returns the rank of the first document of some sets.
func (t *update) firstOf(sets []uint32) (first []byte, err error) {
	for _, set := range sets {
		f, err := t.first(set, true)
		if err != nil {
			return nil, err
		}
		if first == nil || bytes.Compare(f, first) < 0 {
			first = f
		}
	}
	return first, nil
}

// partition divides ascending sets into connected parts. It starts with the latest sets: among
// many similar sets the last lists all others, since a set records the similar sets present when
// it began.
func (t *update) partition(sets []uint32) (parts [][]uint32, err error) {
	among := roaring.BitmapOf(sets...)
	united := join.NewUnionFind(uint32(len(sets)))
	left := len(sets)
	for i := len(sets) - 1; i >= 0 && left > 1; i-- {
		alike, err := t.alikeOf(sets[i])
		if err != nil {
			return nil, err
		}
		for it := roaring.And(alike, among).Iterator(); it.HasNext() && left > 1; {
			j, _ := slices.BinarySearch(sets, it.Next())
			if united.Union(uint32(i), uint32(j)) {
				left--
			}
		}
	}
	place := map[uint32]int{}
	for i, set := range sets {
		root := united.Find(uint32(i))
		at, ok := place[root]
		if !ok {
			at = len(parts)
			place[root], parts = at, append(parts, nil)
		}
		parts[at] = append(parts[at], set)
	}
	return parts, nil
}

// wholePiece returns the piece of an unbroken component.
func (t *update) wholePiece(label uint32) (int, error) {
	if i, ok := t.wholes[label]; ok {
		return i, nil
	}
	size, err := t.sizeOf(label)
	if err != nil {
		return 0, err
	}
	p := piece{label: label, old: label, isOld: true, several: size > 1, size: size}
	if size == 1 {
		p.sets = []uint32{label}
	}
	t.wholes[label] = t.addPiece(p)
	return t.wholes[label], nil
}

// unite joins each new set with the pieces of its similar sets.
func (t *update) unite() error {
	for _, b := range t.Begun {
		own := t.pieceOf[b.Set]
		b.Alike.Remove(b.Set)
		for _, set := range b.Alike.ToArray() {
			if t.ended[set] {
				b.Alike.Remove(set)
				continue
			}
			i, listed := t.pieceOf[set]
			if !listed {
				p, _, err := t.was(set)
				if err == nil {
					i, err = t.wholePiece(p.label)
				}
				if err != nil {
					return err
				}
			}
			t.unions.Union(uint32(own), uint32(i))
		}
	}
	if !t.Stars {
		return nil
	}
	return t.addReordered()
}

// addReordered adds the components with stars that may change because a set has a new first document.
func (t *update) addReordered() error {
	seen := map[uint32]bool{}
	for _, m := range t.Moved {
		for _, set := range []uint32{m.From, m.To} {
			if _, listed := t.pieceOf[set]; listed || seen[set] || t.ended[set] || set == noSet {
				continue
			}
			seen[set] = true
			before, err := t.first(set, false)
			if err != nil {
				return err
			}
			after, err := t.first(set, true)
			if err != nil {
				return err
			}
			if bytes.Equal(before, after) {
				continue
			}
			p, _, err := t.was(set)
			if err == nil {
				_, err = t.wholePiece(p.label)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// components returns the united pieces, as indexes.
func (t *update) components() (all [][]int) {
	at := map[uint32]int{}
	for i := range t.pieces {
		root := t.unions.Find(uint32(i))
		n, ok := at[root]
		if !ok {
			n = len(all)
			at[root], all = n, append(all, nil)
		}
		all[n] = append(all[n], i)
	}
	return all
}

// place assigns labels to components, and a place and group to each set.
func (t *update) place() error {
	for _, of := range t.components() {
		label, size := t.labelOf(of)
		kept, err := t.groupsIn(of, label)
		if err != nil {
			return err
		}
		for _, i := range of {
			p := &t.pieces[i]
			if p.sets == nil && p.old != label {
				t.headers[p.old] = 0
			}
			if !t.Stars && p.sets == nil && p.label == label {
				continue // the component only grows, and its sets stay
			}
			sets, err := t.setsIn(p)
			if err != nil {
				return err
			}
			for _, set := range sets {
				if err := t.put(set, place{label, kept[set]}, p.several, size > 1); err != nil {
					return err
				}
			}
		}
		if size > 1 {
			t.headers[label] = size
		}
	}
	for _, label := range slices.Sorted(maps.Keys(t.headers)) {
		key := t.Key(keys.GroupSet, label)
		if size := t.headers[label]; size > 1 {
			t.set(key, binary.AppendUvarint(nil, size))
		} else {
			t.remove(key)
		}
	}
	return nil
}

// setsIn returns the sets of a piece.
func (t *update) setsIn(p *piece) ([]uint32, error) {
	if p.sets != nil {
		return p.sets, nil
	}
	return t.setsOf(p.old)
}

// labelOf returns the label and size of a component. It takes the label of the largest piece, so
// that few sets move.
func (t *update) labelOf(of []int) (label uint32, size uint64) {
	best := &t.pieces[of[0]]
	for _, i := range of {
		p := &t.pieces[i]
		size += p.size
		if cmp.Or(cmp.Compare(best.size, p.size), cmp.Compare(p.label, best.label)) < 0 {
			best = p
		}
	}
	if size == 1 { // the label of a single set is its own number
		return best.sets[0], size
	}
	return best.label, size
}

// put writes the place of a set. several reports whether the set was in a component of more than
// one set, inSeveral whether it is now.
func (t *update) put(set uint32, is place, several, inSeveral bool) error {
	was, _, err := t.was(set)
	if err != nil {
		return err
	}
	moved := was.label != is.label || t.Stars && was.kept != is.kept
	if several && (moved || !inSeveral) {
		t.remove(t.setKey(set, was))
	}
	if inSeveral && (moved || !several) {
		t.set(t.setKey(set, is), present)
	}
	switch {
	case several && !inSeveral:
		t.remove(t.Key(keys.GroupOf, set))
	case inSeveral && (was != is || !several):
		t.set(t.Key(keys.GroupOf, set), is.encode())
	}
	return nil
}
