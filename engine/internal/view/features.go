package view

// What is kept of the text of a set.

import (
	"context"

	"github.com/cockroachdb/pebble/v2"

	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/internal/keys"
	"github.com/simdb/simdb/internal/progress"
)

// ReadFeatures reads what is kept of the text of a set.
func ReadFeatures(r pebble.Reader, c *record.Schema, set uint32) (record.Features, error) {
	b, err := disk.Get(r, c.Key(keys.Features, set))
	if err != nil {
		return record.Features{}, err
	}
	if b == nil {
		return record.Features{}, missingFeatures(set)
	}
	f, err := c.Kept.DecodeFeatures(b)
	if err != nil {
		return f, fault.Corrupt("set %d: %w", set, err)
	}
	return f, nil
}

// EachFeatures calls yield with what is kept of the text of each set, ascending, until it
// returns false.
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
			return nil // no set has it any more
		}
		if set > left[0] {
			return missingFeatures(left[0])
		}
		left = left[1:]
		f, err := v.Kept.DecodeFeatures(value)
		if err != nil {
			return fault.Corrupt("set %d: %w", set, err)
		}
		if stage.Add(1); !yield(set, &f) {
			enough = true
			return disk.ErrEnough
		}
		return m.Interrupted(ctx)
	})
	if err == nil && len(left) > 0 && !enough {
		return missingFeatures(left[0])
	}
	return err
}

func missingFeatures(set uint32) error { return fault.Corrupt("features of set %d are missing", set) }
