package check

// The index of metadata fields, held against the metadata: every value must have its key,
// and there must be no other keys.

import (
	"context"

	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/internal/keys"
)

// fields checks the metadata of a document, and that the index leads to it.
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
			c.problem(v, at{kind: KindMetadata, id: j.id}, "the index of metadata fields does not lead to its value %x", value)
		}
	}
	return nil
}

// countFields counts the keys of the index. As every value has one, more keys lead to what
// no document has.
func (c *check) countFields(ctx context.Context, v *view.View) error {
	err := c.count(ctx, v, keys.Field, KindMetadata, func(key, _ []byte) error {
		_, _, err := record.FieldEntry(key)
		return err
	}, KindMetadata, c.values, "%d values in the index of metadata fields, the documents have %d")
	c.values = 0
	return err
}
