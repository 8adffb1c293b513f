package view

// What is kept of the text of a set.

import (
	"github.com/cockroachdb/pebble/v2"

	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/internal/keys"
)

// ReadFeatures reads what is kept of the text of a set.
func ReadFeatures(r pebble.Reader, c *record.Schema, set uint32) (record.Features, error) {
	b, err := disk.Get(r, c.Key(keys.Features, set))
	if err != nil {
		return record.Features{}, err
	}
	if b == nil {
		return record.Features{}, fault.Corrupt("features of set %d are missing", set)
	}
	f, err := c.Kept.DecodeFeatures(b)
	if err != nil {
		return f, fault.Corrupt("set %d: %w", set, err)
	}
	return f, nil
}
