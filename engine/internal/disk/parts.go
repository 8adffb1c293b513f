package disk

// Compaction by parts, on a disk that has no room for a whole one: one range of keys after the
// other. A deletion of many documents would tie the ranges together, because each flush of it
// reaches from the first key to the last. So tables end where the ranges do while the disk is full.

import (
	"bytes"
	"context"
	"slices"
	"time"

	"github.com/cockroachdb/pebble/v2"
)

// partShare is the part of the reserve's base that the tables of one range take, approximately.
const partShare = 8

// Narrow divides the keys into ranges, at which tables end from now on until Reserve succeeds.
func (s *Store) Narrow() error {
	levels, err := s.pebble.SSTables()
	if err != nil {
		return PebbleError(err)
	}
	all := slices.Concat(levels...)
	slices.SortFunc(all, func(a, b pebble.SSTableInfo) int { return bytes.Compare(a.Smallest.UserKey, b.Smallest.UserKey) })
	last, size := []byte{0}, int64(0)
	ends := [][]byte{}
	for _, t := range all {
		if key := t.Smallest.UserKey; size >= s.reserve.base()/partShare && bytes.Compare(last, key) < 0 {
			ends, last, size = append(ends, key), key, 0
		}
		size += int64(t.Size)
	}
	s.reserve.ranges.Store(&ends)
	return nil
}

// endOfRange returns the end of the range of a key; nil if it has none.
func (s *Store) endOfRange(key []byte) []byte {
	if ends := s.reserve.ranges.Load(); ends != nil {
		i, at := slices.BinarySearchFunc(*ends, key, bytes.Compare)
		if at {
			i++
		}
		if i < len(*ends) {
			return (*ends)[i]
		}
	}
	return nil
}

// compactParts compacts each range for which there is room. It returns the noRoom of the last range
// without.
func (s *Store) compactParts(ctx context.Context) (short error) {
	if err := s.Narrow(); err != nil {
		return err
	}
	from := []byte{0}
	for _, end := range append(slices.Clone(*s.reserve.ranges.Load()), []byte{0xff}) {
		err := s.compactRange(ctx, from, before(end))
		switch {
		case NoRoom(err):
			short = err
		case err != nil:
			return err
		}
		for range 100 { // Pebble deletes tables in the background
			if s.Obsolete() == 0 {
				break
			}
			time.Sleep(time.Millisecond)
		}
		from = end
	}
	return short
}

// before returns a key below end and above all stored keys below end.
func before(end []byte) []byte {
	last := len(end) - 1
	if end[last] == 0 {
		return end[:last]
	}
	return append(slices.Clone(end[:last]), end[last]-1, 0xff, 0xff, 0xff, 0xff)
}
