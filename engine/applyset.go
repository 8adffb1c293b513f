package engine

// How a set begins and ends in a batch: its records, its features, and what says that
// its postings are dead.

import (
	"encoding/binary"

	"github.com/cockroachdb/pebble/v2"

	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/internal/keys"
)

// end removes a set that no document has. Its postings stay until a merge; what
// they lead to is no longer there, so no answer holds it.
func (a *applier) end(c *collection, set uint32) error {
	digest, err := a.digestOf(c, set)
	if err != nil {
		return err
	}
	c.Sets--
	if err := c.table.End(set); err != nil {
		return err
	}
	if set >= c.postings.Built {
		c.tail--
	} else {
		c.postings.SegmentOf(set).Dead.Add(1) // the builder rewrites it some day
		if err := a.Store(c.Key(keys.Ended, set), nil); err != nil {
			return err
		}
	}
	a.sets[digestKey{c.Number, digest}] = set
	if err := removeFeatures(a.Batch, a.db.disk.Pebble(), c.Schema, set); err != nil {
		return err
	}
	for _, k := range [][]byte{c.Key(keys.Set, set), c.Key(keys.Shares, set), keys.OfDigest(c.Number, digest)} {
		if err := a.Remove(k); err != nil {
			return err
		}
	}
	return nil
}

func (a *applier) digestOf(c *collection, set uint32) ([16]byte, error) {
	v, err := disk.GetSealed(a.db.disk.Pebble(), c.Key(keys.Set, set))
	if err != nil {
		return [16]byte{}, err
	}
	if v != nil {
		r, err := record.DecodeSet(v)
		return r.Digest, err
	}
	for dk, s := range a.sets { // made in this batch
		if s == set && dk.collection == c.Number {
			return dk.digest, nil
		}
	}
	return [16]byte{}, fault.Corrupt("set %d is not there", set)
}

func (a *applier) writeShares(c *collection, set uint32) error {
	k := c.Key(keys.Shares, set)
	if c.shares[set] < 2 {
		return a.Remove(k)
	}
	return a.Store(k, binary.BigEndian.AppendUint32(nil, c.shares[set]))
}

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
