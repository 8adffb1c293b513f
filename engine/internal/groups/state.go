package groups

// Reading a grouping at one moment.

import (
	"encoding/binary"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/cockroachdb/pebble/v2"

	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/internal/keys"
)

// State is a grouping at one moment.
type State struct {
	*Grouping
	R pebble.Reader
}

// place is where a set is.
type place struct {
	label uint32 // of its component
	kept  uint32 // of its star; of connected documents it has no meaning
}

func (s State) placeOf(set uint32) (place, error) {
	b, err := disk.Get(s.R, s.Key(keys.GroupOf, set))
	if b == nil || err != nil {
		return place{set, set}, err
	}
	d := record.Decoder{B: b}
	p := place{uint32(d.Uvarint()), uint32(d.Uvarint())}
	if d.Err != nil {
		return p, fault.Corrupt("grouping %q: where set %d is: %w", s.Name, set, d.Err)
	}
	return p, nil
}

func (p place) encode() []byte {
	return binary.AppendUvarint(binary.AppendUvarint(nil, uint64(p.label)), uint64(p.kept))
}

// groupKey is what the group of a place is known by.
func (s State) groupKey(p place) uint32 {
	if s.Stars {
		return p.kept
	}
	return p.label
}

// sizeOf is how many sets the component of a label has.
func (s State) sizeOf(label uint32) (uint64, error) {
	b, err := disk.Get(s.R, s.Key(keys.GroupSet, label))
	if b == nil || err != nil {
		return 1, err
	}
	d := record.Decoder{B: b}
	n := d.Uvarint()
	return n, d.Err
}

// setKey says that a set is in a component of several.
func (s State) setKey(set uint32, p place) []byte {
	if s.Stars {
		return s.Key(keys.GroupSet, p.label, p.kept, set)
	}
	return s.Key(keys.GroupSet, p.label, set)
}

// setsOf lists the sets of a component, ascending; or of one star of it, by the set that is kept.
func (s State) setsOf(label uint32, kept ...uint32) (sets []uint32, err error) {
	prefix := s.Key(keys.GroupSet, append([]uint32{label}, kept...)...)
	err = disk.Scan(s.R, prefix, func(key, _ []byte) error {
		if rest := key[len(prefix):]; len(rest) >= 4 {
			sets = append(sets, binary.BigEndian.Uint32(rest[len(rest)-4:]))
		}
		return nil
	})
	slices.Sort(sets) // those of a star lie together
	if len(sets) == 0 {
		sets = []uint32{label}
	}
	return sets, err
}

// info is what is stored of a group.
type info struct {
	number uint64
	docs   uint64
	from   uint64
	first  []byte // what the key of the document that is kept has behind its set
}

// infoOf reads a group by its key. It is there.
func (s State) infoOf(key uint32) (g info, err error) {
	b, err := disk.GetSealed(s.R, s.Key(keys.Group, key))
	switch {
	case err != nil:
		return g, err
	case b == nil:
		return g, fault.Corrupt("grouping %q: there is no group at set %d", s.Name, key)
	}
	return decodeInfo(b)
}

// decodeInfo aliases what it reads.
func decodeInfo(b []byte) (info, error) {
	d := record.Decoder{B: b}
	g := info{d.Uvarint(), d.Uvarint(), d.Uvarint(), nil}
	g.first = d.B
	if d.Err != nil {
		return g, fault.Corrupt("a group: %w", d.Err)
	}
	return g, nil
}

func (g info) encode() []byte {
	b := binary.AppendUvarint(nil, g.number)
	b = binary.AppendUvarint(binary.AppendUvarint(b, g.docs), g.from)
	return append(b, g.first...)
}

// Alike reads which sets were similar to one when it began; empty if none were.
func (s State) Alike(set uint32) (*roaring.Bitmap, error) {
	b, err := disk.GetSealed(s.R, s.Key(keys.Alike, set))
	if err != nil {
		return nil, err
	}
	return decodeSets(b)
}

// EachAlike calls yield with the sets that Alike has some of.
func (s State) EachAlike(yield func(set uint32) error) error {
	return disk.Scan(s.R, s.Key(keys.Alike), func(key, _ []byte) error {
		n, _, err := keys.Numbers(key, 3)
		if err != nil {
			return fault.Corrupt("%w", err)
		}
		return yield(n[2])
	})
}

func decodeSets(b []byte) (*roaring.Bitmap, error) {
	m := roaring.New()
	if len(b) == 0 {
		return m, nil
	}
	if err := m.UnmarshalBinary(b); err != nil {
		return nil, fault.Corrupt("sets of a grouping: %w", err)
	}
	if err := m.Validate(); err != nil {
		return nil, fault.Corrupt("sets of a grouping: %w", err)
	}
	return m, nil
}

// eachDoc calls yield with what keys of documents of a set have behind its number, in the
// order of keep.
func (s State) eachDoc(set uint32, yield func(suffix []byte) error) error {
	prefix := s.Key(keys.GroupDoc, set)
	return disk.Scan(s.R, prefix, func(key, _ []byte) error { return yield(key[len(prefix):]) })
}

// idOf is the id of a document of such a suffix.
func (g *Grouping) idOf(suffix []byte) (string, error) {
	if n := RankBytes(g.Keep); len(suffix) > n {
		return string(suffix[n:]), nil
	}
	return "", fault.Corrupt("grouping %q: a document has the key %x", g.Name, suffix)
}
