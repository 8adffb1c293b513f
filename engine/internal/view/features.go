package view

// Stored features of sets.

import (
	"bytes"
	"cmp"
	"context"

	"github.com/cockroachdb/pebble/v2"

	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/internal/keys"
	"github.com/simdb/simdb/internal/progress"
)

// ReadFeatures reads the features record of a set: all stored features except grams. ErrCorrupt if
// the record is missing or does not decode.
func ReadFeatures(r pebble.Reader, c *record.Schema, set uint32) (f record.Features, err error) {
	b, err := disk.Get(r, c.Key(keys.Features, set))
	if err == nil && b == nil {
		err = missingError(record.InFeatures, set)
	}
	if err == nil {
		err = decode(c, record.InFeatures, set, b, &f)
	}
	return f, err
}

// decode decodes a record of a set into f, and adds the set number to errors.
func decode(c *record.Schema, in *record.KeySpace, set uint32, b []byte, f *record.Features) error {
	if err := c.Kept.Decode(in, b, f); err != nil {
		return fault.Corrupt("set %d: %w", set, err)
	}
	return nil
}

// missingError returns the error for a set without a required record.
func missingError(in *record.KeySpace, set uint32) error {
	return fault.Corrupt("%s of set %d are missing", in.What, set)
}

// Features reads the features record of a set. The result is valid until the next call.
func (r *Reader) Features(set uint32) (*record.Features, error) {
	r.features = record.Features{}
	return &r.features, r.feature(record.InFeatures, set, &r.features)
}

// feature reads and decodes the record of a set in a key space.
func (r *Reader) feature(in *record.KeySpace, set uint32, f *record.Features) error {
	b, err := r.Record(in, set)
	if err != nil {
		return err
	}
	return decode(r.View.Schema, in, set, b, f)
}

// Record returns the record of a set in a key space of features, valid until the next call.
func (r *Reader) Record(in *record.KeySpace, set uint32) (b []byte, err error) {
	it := r.records[in]
	if it == nil { // ascending sets lie in few blocks, and an iterator reads each block once
		prefix := r.View.Key(in.Space)
		if it, err = r.Snapshot.Pebble.NewIter(&pebble.IterOptions{LowerBound: prefix, UpperBound: keys.End(prefix)}); err != nil {
			return nil, disk.PebbleError(err)
		}
		if r.records == nil {
			r.records = map[*record.KeySpace]*pebble.Iterator{}
		}
		r.records[in] = it
	}
	r.key = keys.Append(r.key[:0], in.Space, r.View.Number, set)
	if !it.SeekGE(r.key) || !bytes.Equal(it.Key(), r.key) {
		return nil, cmp.Or(disk.PebbleError(it.Error()), missingError(in, set))
	}
	b, err = it.ValueAndErr()
	return b, disk.PebbleError(err)
}

// EachFeatures calls yield with the features record of each live set, in ascending order, until
// yield returns false.
func EachFeatures(ctx context.Context, m *Snapshot, v *View, yield func(set uint32, f *record.Features) bool) error {
	ctx, stage := progress.Begin(ctx, "sets read", v.Sets)
	left := v.Live(0, v.Table.Len())
	enough := false
	err := disk.Scan(m.Pebble, v.Key(keys.Features), func(key, value []byte) error {
		numbers, _, err := keys.Numbers(key, 2)
		if err != nil {
			return fault.Corrupt("%w", err)
		}
		set := numbers[1]
		if len(left) == 0 || set < left[0] {
			return nil // not live in this view
		}
		if set > left[0] {
			return missingError(record.InFeatures, left[0])
		}
		left = left[1:]
		var f record.Features
		if err := decode(v.Schema, record.InFeatures, set, value, &f); err != nil {
			return err
		}
		if stage.Add(1); !yield(set, &f) {
			enough = true
			return disk.ErrEnough
		}
		return m.Interrupted(ctx)
	})
	if err == nil && len(left) > 0 && !enough {
		return missingError(record.InFeatures, left[0])
	}
	return err
}
