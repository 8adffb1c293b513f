package groups

// Reading a grouping in a snapshot.

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

// State is a grouping in a snapshot of the store. Reading is safe for concurrent use.
type State struct {
	*Grouping
	R pebble.Reader
}

// place is the position of a set in a grouping.
type place struct {
	label uint32 // of its component
	kept  uint32 // kept set of its star; meaningless for connected grouping
}

// placeOf reads the place of a set. A set without a stored place is a component by itself.
func (s State) placeOf(set uint32) (place, error) {
	b, err := disk.Get(s.R, s.Key(keys.GroupOf, set))
	if b == nil || err != nil {
		return place{set, set}, err
	}
	d := record.Decoder{B: b}
	p := place{uint32(d.Uvarint()), uint32(d.Uvarint())}
	if d.Err != nil {
		return p, fault.Corrupt("grouping %q: place of set %d: %w", s.Name, set, d.Err)
	}
	return p, nil
}

// encode returns the value under GroupOf.
func (p place) encode() []byte {
	return binary.AppendUvarint(binary.AppendUvarint(nil, uint64(p.label)), uint64(p.kept))
}

// groupKey returns the key of the group at a place.
func (s State) groupKey(p place) uint32 {
	if s.Stars {
		return p.kept
	}
	return p.label
}

// sizeOf returns the number of sets in the component of a label.
func (s State) sizeOf(label uint32) (uint64, error) {
	b, err := disk.Get(s.R, s.Key(keys.GroupSet, label))
	if b == nil || err != nil {
		return 1, err
	}
	d := record.Decoder{B: b}
	n := d.Uvarint()
	return n, d.Err
}

// setKey returns the key that lists a set in a component of several sets.
func (s State) setKey(set uint32, p place) []byte {
	if s.Stars {
		return s.Key(keys.GroupSet, p.label, p.kept, set)
	}
	return s.Key(keys.GroupSet, p.label, set)
}

// setsOf returns the sets of a component, ascending; given a kept set, only the sets of its star.
func (s State) setsOf(label uint32, kept ...uint32) (sets []uint32, err error) {
	prefix := s.Key(keys.GroupSet, append([]uint32{label}, kept...)...)
	err = disk.Scan(s.R, prefix, func(key, _ []byte) error {
		if rest := key[len(prefix):]; len(rest) >= 4 {
			sets = append(sets, binary.BigEndian.Uint32(rest[len(rest)-4:]))
		}
		return nil
	})
	slices.Sort(sets) // the keys are grouped by star
	if len(sets) == 0 {
		sets = []uint32{label}
	}
	return sets, err
}

// info is the stored value of a group.
type info struct {
	number uint64
	docs   uint64
	from   uint64
	first  []byte // suffix of the kept document
}

// infoOf reads a group, which must exist: ErrCorrupt otherwise.
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

// decodeInfo decodes a group. The result aliases b.
func decodeInfo(b []byte) (info, error) {
	d := record.Decoder{B: b}
	g := info{d.Uvarint(), d.Uvarint(), d.Uvarint(), nil}
	g.first = d.B
	if d.Err != nil {
		return g, fault.Corrupt("a group: %w", d.Err)
	}
	return g, nil
}

// encode returns the value under Group.
func (g info) encode() []byte {
	b := binary.AppendUvarint(nil, g.number)
	b = binary.AppendUvarint(binary.AppendUvarint(b, g.docs), g.from)
	return append(b, g.first...)
}

// Alike returns the sets that were similar to a set when it began; empty if none.
func (s State) Alike(set uint32) (*roaring.Bitmap, error) {
	b, err := disk.GetSealed(s.R, s.Key(keys.Alike, set))
	if err != nil {
		return nil, err
	}
	return decodeSets(b)
}

// EachAlike calls yield with each set that has an Alike entry.
func (s State) EachAlike(yield func(set uint32) error) error {
	return disk.Scan(s.R, s.Key(keys.Alike), func(key, _ []byte) error {
		n, _, err := keys.Numbers(key, 3)
		if err != nil {
			return fault.Corrupt("%w", err)
		}
		return yield(n[2])
	})
}

// decodeSets decodes a bitmap of sets. ErrCorrupt if it does not decode.
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

// eachDoc calls yield with the key suffix of each document of a set, in the order of keep.
func (s State) eachDoc(set uint32, yield func(suffix []byte) error) error {
	prefix := s.Key(keys.GroupDoc, set)
	return disk.Scan(s.R, prefix, func(key, _ []byte) error { return yield(key[len(prefix):]) })
}

// idOf extracts the id from a suffix.
func (g *Grouping) idOf(suffix []byte) (string, error) {
	if n := RankBytes(g.Keep); len(suffix) > n {
		return string(suffix[n:]), nil
	}
	return "", fault.Corrupt("grouping %q: a document has the key %x", g.Name, suffix)
}
