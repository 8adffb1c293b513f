package disk

// Tables end with key spaces, and move from level to level where keys ascend.

import (
	"context"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/internal/keys"
)

// What comes in ascending order is written by its flush and once more at most, whatever
// comes in no order beside it. No table has keys of two spaces that ascend.
func TestAscendingTablesMove(t *testing.T) {
	s := begun(t, "db", vfs.NewMem())
	defer s.Close()
	rng, set, value := rand.New(rand.NewPCG(1, 1)), uint32(0), make([]byte, 400)
	for range 30 {
		c := s.NewChanges(1000, 0)
		for range 1000 {
			for i := range value {
				value[i] = byte(rng.Uint32())
			}
			var digest [16]byte
			binary.LittleEndian.PutUint64(digest[:], rng.Uint64())
			err := errors.Join(c.Store(keys.Of(keys.Text, 1, set), value), c.Store(keys.Of(keys.Set, 1, set), value[:40]),
				c.Store(keys.OfDigest(1, digest), value[:4]))
			if err != nil {
				t.Fatal(err)
			}
			set++
		}
		b, err := c.Gathered()
		if err := errors.Join(err, s.Apply(b), s.Flush(context.Background())); err != nil {
			t.Fatal(err)
		}
		c.Close()
	}
	written, flushed := bytesWritten(s.pebble.Metrics())
	if written > flushed {
		t.Errorf("%d bytes were flushed and %d written by compactions", flushed, written)
	}
	levels, err := s.pebble.SSTables()
	if err != nil {
		t.Fatal(err)
	}
	spaces := map[byte]bool{}
	for _, tables := range levels {
		for _, table := range tables {
			first, last := table.Smallest.UserKey[0], table.Largest.UserKey[0]
			if last >= byte(keys.Ascending) && first != last {
				t.Errorf("table %s has keys from %x to %x", table.FileNum, table.Smallest.UserKey, table.Largest.UserKey)
			}
			spaces[last] = true
		}
	}
	if len(spaces) < 3 {
		t.Errorf("tables end in the spaces %v", spaces)
	}
}

func bytesWritten(m *pebble.Metrics) (compacted, flushed uint64) {
	for i := range m.Levels {
		compacted += m.Levels[i].TableBytesCompacted
		flushed += m.Levels[i].TableBytesFlushed
	}
	return compacted, flushed
}
