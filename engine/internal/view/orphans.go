package view

// Keys of collections without a record. They cannot be decoded, because the settings are missing,
// and are never deleted: a drop removes the record and all keys in one batch, so a crash leaves
// no such keys. They are evidence of damage (docs/decisions/0028).

import (
	"maps"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/internal/keys"
)

// Orphan is a collection with keys but no record.
type Orphan struct {
	Number    uint32
	Documents int64
}

// Error returns an ErrCorrupt that describes the orphan.
func (o Orphan) Error() error {
	return fault.Corrupt("the record of collection %d is missing, with its name and settings; its %d documents are still there", o.Number, o.Documents)
}

// Orphans returns, in ascending order, the collections that have keys in the spaces and are not
// known.
func Orphans(r pebble.Reader, known map[uint32]bool, spaces ...keys.Space) ([]Orphan, error) {
	found := map[uint32]*Orphan{}
	for _, space := range spaces {
		err := disk.EachNumber(r, keys.Of(space), func(n uint32) error {
			if !known[n] && found[n] == nil {
				found[n] = &Orphan{Number: n}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	var out []Orphan
	for _, n := range slices.Sorted(maps.Keys(found)) {
		o := found[n]
		err := disk.Scan(r, keys.Of(keys.Document, n), func(_, _ []byte) error { o.Documents++; return nil })
		if err != nil {
			return nil, err
		}
		out = append(out, *o)
	}
	return out, nil
}
