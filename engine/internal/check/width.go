package check

// Width of a collection: the next set number, which joins use as the number of sets. Counters,
// facts in memory, segments and keys must agree on it.

import (
	"context"
	"encoding/binary"

	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/segment"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/internal/keys"
)

// width reports disagreement on the width. ok is false if the segments have a gap or a wrong end:
// then no other check is possible.
func (c *check) width(ctx context.Context, v *view.View) (ok bool, err error) {
	if err := c.reportError(ctx, v, at{kind: KindCounters}, c.counters(v)); err != nil {
		return false, err
	}
	end := uint32(0)
	for _, s := range v.Postings.Segments {
		if s.Lo != end {
			c.problem(v, at{kind: KindPostings}, "segment %d begins with set %d, the one before ends at %d", s.Number, s.Lo, end)
			return false, nil
		}
		end = s.Hi
	}
	if end != v.Postings.Built || end > v.Table.Len() {
		c.problem(v, at{kind: KindPostings}, "segments end at set %d, postings at %d, and the next number is %d", end, v.Postings.Built, v.Table.Len())
		return false, nil
	}
	ended, err := segment.ReadEnded(c.m.Pebble, v.Schema)
	for _, set := range ended {
		c.below(v, set)
	}
	return true, c.reportError(ctx, v, at{kind: KindSet}, err)
}

// counters compares the stored counters with those in use.
func (c *check) counters(v *view.View) error {
	var stored record.Counters
	b, err := disk.GetSealed(c.m.Pebble, v.Key(keys.Counters))
	if err == nil && b != nil {
		stored, err = record.DecodeCounters(b)
	}
	if use := (record.Counters{Next: v.Table.Len(), Counts: v.Counts}); err == nil && stored != use {
		err = fault.Corrupt("stored counters %+v differ from those in use %+v", stored, use)
	}
	return err
}

// below reports a set number at or above the width and returns whether it is below.
func (c *check) below(v *view.View, set uint32) bool {
	if set >= v.Table.Len() {
		c.problem(v, ofSet(set), "set %d is not below the next number %d", set, v.Table.Len())
	}
	return set < v.Table.Len()
}

// valueBelow is below for values that are set numbers. It ignores other values, because the
// checks of documents and sets report them.
func (c *check) valueBelow(v *view.View) func(key, value []byte) error {
	return func(_, value []byte) error {
		if len(value) == 4 {
			c.below(v, binary.BigEndian.Uint32(value))
		}
		return nil
	}
}
