package check

// Index of metadata fields: each value must have its key, and no other keys may exist.

import (
	"context"

	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/internal/keys"
)

// fields checks that the metadata of a document decodes and that the index contains its values.
func (c *check) fields(v *view.View, j checkJob) error {
	if _, err := record.DecodeMeta(j.Meta); err != nil {
		return err
	}
	values, err := v.FieldValues(j.Meta)
	if err != nil {
		return err
	}
	c.mu.Lock()
	c.values += int64(len(values))
	c.mu.Unlock()
	for _, value := range values {
		if ok, err := disk.Has(c.m.Pebble, v.FieldKey(value, j.Set, j.id)); err != nil {
			return err
		} else if !ok {
			c.problem(v, at{kind: KindMetadata, id: j.id}, "the index of metadata fields lacks its value %x", value)
		}
	}
	return nil
}

// countFields counts the keys of the index. Since every value has its key, a surplus means keys
// without a document.
func (c *check) countFields(ctx context.Context, v *view.View) error {
	err := c.count(ctx, v, keys.Field, KindMetadata, func(key, _ []byte) error {
		_, _, err := record.FieldEntry(key)
		return err
	}, KindMetadata, c.values, "%d values in the index of metadata fields, the documents have %d")
	c.values = 0
	return err
}
