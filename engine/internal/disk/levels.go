package disk

// Sizes of Pebble's levels and boundaries of its tables. A load writes most of its bytes here,
// so they determine the write amplification (docs/decisions/0039).

import (
	"bytes"
	"context"

	"github.com/cockroachdb/pebble/v2"

	"github.com/simdb/simdb/internal/keys"
)

// setLevels sets the sizes of tables and levels as multiples of the memtable size. The level
// below L0 is small: ids and digests arrive in random order, so each compaction into that level
// rewrites all of them.
func (s *Store) setLevels(o *pebble.Options) {
	memTable := s.opts.MemTableBytes
	o.L0CompactionThreshold = 12      // Pebble counts each sublevel twice
	o.L0CompactionFileThreshold = 100 // Pebble checks the count at each flush
	o.LBaseMaxBytes = 2 * memTable
	o.TargetFileSizes[0] = memTable / 4
	for i := range o.TargetFileSizes[1:] {
		o.TargetFileSizes[i+1] = memTable / 4 << i
	}
	// Pebble extends a compaction into the level below L0 up to 25 tables of that level. Small tables
	// there keep texts out of the compactions of ids, so that texts move unchanged.
	o.TargetFileSizes[1] = memTable / 16
	o.Experimental.SpanPolicyFunc = s.splitTables
}

// smallBytes is the size up to which a store is small, and keeps few files, unless a sixteenth of a
// memtable is less.
const smallBytes = 256 << 10

// small reports whether the store is small.
func (s *Store) small() bool {
	return s.pressure.stored.Load() <= min(smallBytes, s.opts.MemTableBytes/16)
}

// gather compacts a small store into one table. The caller has flushed everything.
func (s *Store) gather(ctx context.Context) error {
	if !s.small() || s.opts.ReadOnly || s.pebble.Metrics().Total().TablesCount <= 1 {
		return nil
	}
	return s.Compact(ctx)
}

// splitTables ends a table before the next key space, for spaces with ascending keys. There each
// flush writes keys greater than all before, so its tables move down the levels unchanged. A
// table shared with randomly ordered keys would be rewritten at each level. The returned policy
// is the default. In a small store all spaces share a table.
func (s *Store) splitTables(start []byte) (policy pebble.SpanPolicy, end []byte, err error) {
	end = s.endOfRange(start)
	if s.small() {
		return policy, end, nil
	}
	space := []byte{byte(keys.Ascending)}
	if bytes.Compare(start, space) >= 0 {
		space = keys.End(start[:1])
	}
	if end == nil || space != nil && bytes.Compare(space, end) < 0 {
		end = space
	}
	return policy, end, nil
}
