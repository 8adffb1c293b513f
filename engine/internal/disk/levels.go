package disk

// Where Pebble ends its tables, and how large its levels are. A load writes most of its
// bytes here, so they decide how often each byte is written (docs/decisions/0039).

import (
	"bytes"

	"github.com/cockroachdb/pebble/v2"

	"github.com/simdb/simdb/internal/keys"
)

// setLevels sets the sizes of tables and levels, in memtables. The level that flushes are
// compacted into is small: ids and digests come in no order, so each compaction into it
// writes all of those it has.
func (s *Store) setLevels(o *pebble.Options) {
	memTable := s.opts.MemTableBytes
	o.L0CompactionThreshold = 12      // flushes count twice
	o.L0CompactionFileThreshold = 100 // each is looked at with every flush
	o.LBaseMaxBytes = 2 * memTable
	o.TargetFileSizes[0] = memTable / 4
	for i := range o.TargetFileSizes[1:] {
		o.TargetFileSizes[i+1] = memTable / 4 << i
	}
	o.Experimental.SpanPolicyFunc = endOfTables
}

// endOfTables lets a table end before the next key space, if keys ascend there. What one
// flush writes of such a space lies behind what those before it wrote. So its tables
// move from level to level as they are; with keys in no order in them, they would be
// written again for each level. The policy itself is the usual one.
func endOfTables(start []byte) (policy pebble.SpanPolicy, end []byte, err error) {
	if end = []byte{byte(keys.Ascending)}; bytes.Compare(start, end) >= 0 {
		end = keys.End(start[:1])
	}
	return policy, end, nil
}
