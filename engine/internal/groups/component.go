package groups

// Components: which sets chains of similar sets connect. Sets that end break a component up,
// sets that begin tie some together. A component that only grows is not read.

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

// piece is sets that stay together: a whole component, or what is left of one, or a set that
// begins.
type piece struct {
	label   uint32   // that it may go on with: no other piece has it
	old     uint32   // label of the component that it was of
	isOld   bool     // it was of one
	several bool     // that had other sets too
	sets    []uint32 // nil: all of the component
	size    uint64   // sets
	rank    []byte   // of its first document, where the component broke
}

func (t *settling) addPiece(p piece) int {
	i := len(t.pieces)
	t.pieces = append(t.pieces, p)
	t.tied.Grow()
	for _, set := range p.sets {
		t.pieceOf[set] = i
	}
	return i
}

// breakUp makes pieces of the components that sets end in, and of the sets that begin.
func (t *settling) breakUp() error {
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

// parts makes pieces of what is left of a component.
func (t *settling) parts(label uint32) error {
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
	parts, err := t.connected(sets)
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

// firstOf is the rank of the first document of some sets.
func (t *settling) firstOf(sets []uint32) (first []byte, err error) {
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

// connected divides sets, ascending, into those that are connected among themselves. The
// last ones come first: of many that are similar to each other the last knows all others.
func (t *settling) connected(sets []uint32) (parts [][]uint32, err error) {
	among := roaring.BitmapOf(sets...)
	tied := join.NewUnionFind(uint32(len(sets)))
	left := len(sets)
	for i := len(sets) - 1; i >= 0 && left > 1; i-- {
		alike, err := t.alikeOf(sets[i])
		if err != nil {
			return nil, err
		}
		for it := roaring.And(alike, among).Iterator(); it.HasNext() && left > 1; {
			j, _ := slices.BinarySearch(sets, it.Next())
			if tied.Union(uint32(i), uint32(j)) {
				left--
			}
		}
	}
	place := map[uint32]int{}
	for i, set := range sets {
		root := tied.Find(uint32(i))
		at, ok := place[root]
		if !ok {
			at = len(parts)
			place[root], parts = at, append(parts, nil)
		}
		parts[at] = append(parts[at], set)
	}
	return parts, nil
}

// whole is the piece of a component that is not broken.
func (t *settling) whole(label uint32) (int, error) {
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

// tie ties the pieces together that sets which begin are similar to.
func (t *settling) tie() error {
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
					i, err = t.whole(p.label)
				}
				if err != nil {
					return err
				}
			}
			t.tied.Union(uint32(own), uint32(i))
		}
	}
	if !t.Stars {
		return nil
	}
	return t.reordered()
}

// reordered makes pieces of components whose stars may change because the first document of
// a set is another.
func (t *settling) reordered() error {
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
				_, err = t.whole(p.label)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// components lists the pieces that are tied together.
func (t *settling) components() (all [][]int) {
	at := map[uint32]int{}
	for i := range t.pieces {
		root := t.tied.Find(uint32(i))
		n, ok := at[root]
		if !ok {
			n = len(all)
			at[root], all = n, append(all, nil)
		}
		all[n] = append(all[n], i)
	}
	return all
}

// place gives each component its label, and each set its place and its group.
func (t *settling) place() error {
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
				continue // it grows, and its sets stay where they are
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

// setsIn lists the sets of a piece.
func (t *settling) setsIn(p *piece) ([]uint32, error) {
	if p.sets != nil {
		return p.sets, nil
	}
	return t.setsOf(p.old)
}

// labelOf is the label of a component: that of its largest piece which goes on, so that few
// sets move.
func (t *settling) labelOf(of []int) (label uint32, size uint64) {
	best := &t.pieces[of[0]]
	for _, i := range of {
		p := &t.pieces[i]
		size += p.size
		if cmp.Or(cmp.Compare(best.size, p.size), cmp.Compare(p.label, best.label)) < 0 {
			best = p
		}
	}
	if size == 1 { // what is alone is known by its own number
		return best.sets[0], size
	}
	return best.label, size
}

// put writes where a set is. It was in a component of several, and is in one.
func (t *settling) put(set uint32, is place, several, inSeveral bool) error {
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
