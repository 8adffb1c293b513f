package engine

import (
	"encoding/binary"

	"github.com/cockroachdb/pebble/v2"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/internal/keys"
)

// The records of a set in the store, beside how many documents share it.

// writeSet stores what a new set has, beside how many documents share it. Its features go
// to the batch, other keys to the batch that of says.
func writeSet(b *pebble.Batch, of func(key []byte) *pebble.Batch, c *record.Schema, set uint32, d *record.Derived) error {
	key := c.Key(keys.Set, set)
	if err := disk.SetSealed(of(key), key, d.Set.Encode()); err != nil {
		return err
	}
	if err := eachFeature(c, set, &d.Features, func(key, value []byte) error { return b.Set(key, value, nil) }); err != nil {
		return err
	}
	key = keys.OfDigest(c.Number, d.Set.Digest)
	return of(key).Set(key, binary.BigEndian.AppendUint32(nil, set), nil)
}

// eachFeature calls do with the keys of the features of a set, and their values.
func eachFeature(c *record.Schema, set uint32, f *record.Features, do func(key, value []byte) error) error {
	if c.Kept.Patricia {
		if err := do(c.Key(keys.Grams, set), f.Grams); err != nil {
			return err
		}
	}
	if !c.Kept.Record() {
		return nil
	}
	for i, v := range f.SI {
		if v.Valid {
			if err := do(c.SIKey(i, v.Value, set), nil); err != nil {
				return err
			}
		}
	}
	return do(c.Key(keys.Features, set), c.Kept.EncodeFeatures(*f))
}

// removeFeatures deletes those of a set that has ended.
func removeFeatures(b *pebble.Batch, r pebble.Reader, c *record.Schema, set uint32) (err error) {
	var f record.Features
	if c.Kept.Record() {
		if f, err = view.ReadFeatures(r, c, set); err != nil {
			return err
		}
	}
	return eachFeature(c, set, &f, func(key, _ []byte) error { return b.Delete(key, nil) })
}
