package segment

// The copy of facts that a segment's file has, so that opening a store reads few large
// pieces rather than a value for each set (docs/decisions/0024).

import (
	"fmt"
	"hash/crc32"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/keys"
)

// The facts of all sets are in memory. Pebble has them, a value for each set; a
// segment's file has a copy of those that its sets had when it was written, in
// pieces that are read some hundred kilobytes at a time. Facts never change, and
// no number is given to another set, so a copy can differ from the original in one
// way only: sets have ended since. These are under keys.Ended: in the batch that
// ended them or, if that was while the segment was written, in the one that
// publishes it. A piece that cannot be read is read from Pebble.

// WriteFacts writes the pieces of a segment: its sets in view for which alive,
// which begins at the segment's first number, says so.
func (w *Writer) WriteFacts(lo, hi uint32, view index.View, alive []bool) error {
	var piece []byte
	for from := lo; from < hi; {
		to := PieceEnd(from, hi)
		piece = view.AppendPiece(piece[:0], from, to, func(set uint32) bool { return alive[set-lo] })
		w.facts = append(w.facts, len(piece))
		if err := w.store.Poisoned(); err != nil {
			return err
		}
		if _, err := w.w.Write(le.AppendUint32(piece, crc32.Checksum(piece, disk.Castagnoli))); err != nil {
			return err
		}
		from = to
	}
	return nil
}

// PieceEnd returns the end of the piece that begins at a number: pieces do not
// cross from one slab of the table in memory into the next.
func PieceEnd(from, hi uint32) uint32 {
	return uint32(min(uint64(hi), (uint64(from)/index.SlabSets+1)*index.SlabSets))
}

// PieceCount returns of how many pieces the facts of the sets in [lo, hi) are.
func PieceCount(lo, hi uint32) uint64 {
	if lo >= hi {
		return 0
	}
	return uint64(hi-1)/index.SlabSets - uint64(lo)/index.SlabSets + 1
}

// putFacts puts the facts of the sets in [lo, hi), which are those of one piece,
// into a slab. It reads into buf, or a longer one.
func (f *segmentFile) putFacts(p *index.SlabWriter, lo, hi uint32, buf []byte, ended func(uint32) bool) ([]byte, error) {
	n := int(lo/index.SlabSets - f.is.Lo/index.SlabSets)
	from, to := f.facts.bounds(n)
	buf = slices.Grow(buf[:0], int(to-from))[:to-from]
	err := f.readAt(buf, from)
	if err == nil {
		piece := buf[:len(buf)-checksumBytes]
		if crc32.Checksum(piece, disk.Castagnoli) != le.Uint32(buf[len(piece):]) {
			err = fault.Corrupt("checksum does not match")
		} else if err = p.PutPiece(lo, hi, piece, ended); err != nil {
			err = fault.Corrupt("%w", err)
		}
	}
	if err != nil {
		err = fmt.Errorf("facts of the sets in [%d,%d): %w", lo, hi, err)
	}
	return buf, err
}

// ReadEnded returns the sets under keys.Ended.
func ReadEnded(r pebble.Reader, c *record.Schema) (map[uint32]bool, error) {
	ended := map[uint32]bool{}
	return ended, disk.Scan(r, c.Key(keys.Ended), func(key, _ []byte) error {
		n, rest, err := keys.Numbers(key, 2)
		if err != nil || len(rest) > 0 {
			return fault.Corrupt("key of an ended set %x", key)
		}
		ended[n[1]] = true
		return nil
	})
}
