package segment

// The facts of sets in a segment's file: sizes, which are read when the store opens, and the other
// facts, which are mapped and used in place (docs/decisions/0022).

import (
	"fmt"
	"hash/crc32"
	"slices"
	"sync"

	"github.com/cockroachdb/pebble/v2"

	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/durable"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/internal/keys"
)

// Pebble stores the facts of all sets, one value each. A segment's file has a copy as of its
// writing, in pieces: a piece covers one slab of the table in memory. Facts never change and
// numbers are never reused, so a copy can only differ by sets that have ended since. keys.Ended
// lists these sets, written in the batch that ended them or, if that happened while the segment
// was being written, in the batch that publishes the segment. An unreadable piece is read from
// Pebble instead.

// WriteFacts writes the facts of the sets in [lo, hi) for which alive[set-lo] is true.
func (w *Writer) WriteFacts(lo, hi uint32, view index.View, alive []bool) (err error) {
	defer CatchUnreadable(&err)()
	pad := aligned(w.written) - w.written
	if _, err := w.w.Write(make([]byte, pad)); err != nil {
		return err
	}
	w.written += pad
	keep := func(set uint32) bool { return alive[set-lo] }
	var b []byte
	for from, to := range pieces(lo, hi) {
		b = view.AppendPiece(b[:0], from, to, keep)
		w.facts = append(w.facts, len(b))
		if err := w.writePiece(b); err != nil {
			return err
		}
	}
	for from, to := range pieces(lo, hi) {
		b = view.AppendSizes(b[:0], from, to, keep)
		if err := w.writePiece(b); err != nil {
			return err
		}
	}
	return nil
}

// writePiece writes a piece with its checksum, unless the store is poisoned.
func (w *Writer) writePiece(b []byte) error {
	if err := w.store.Poisoned(); err != nil {
		return err
	}
	return w.write(b)
}

// aligned rounds at up to a multiple of 8.
func aligned(at uint64) uint64 { return (at + 7) &^ 7 }

// pieces yields the bounds of the pieces in [lo, hi).
func pieces(lo, hi uint32) func(yield func(from, to uint32) bool) {
	return func(yield func(from, to uint32) bool) {
		for from := lo; from < hi; {
			to := PieceEnd(from, hi)
			if !yield(from, to) {
				return
			}
			from = to
		}
	}
}

// PieceEnd returns the end of the piece that begins at from. A piece does not cross the boundary
// of a slab of the table in memory.
func PieceEnd(from, hi uint32) uint32 {
	return uint32(min(uint64(hi), (uint64(from)/index.SlabSets+1)*index.SlabSets))
}

// PieceCount returns the number of pieces for the sets in [lo, hi).
func PieceCount(lo, hi uint32) uint64 {
	if lo >= hi {
		return 0
	}
	return uint64(hi-1)/index.SlabSets - uint64(lo)/index.SlabSets + 1
}

// sizesBytes returns the length in a file of the sizes of [lo, hi), with checksums.
func sizesBytes(lo, hi uint32) uint64 {
	return uint64(index.SizesBytes(1))*uint64(max(hi, lo)-lo) + checksumBytes*PieceCount(lo, hi)
}

// Slabs returns the range of slabs [first, end) that lie entirely in the segment.
func (s *Segment) Slabs() (first, end uint32) {
	first = uint32((uint64(s.Lo) + index.SlabSets - 1) / index.SlabSets)
	return first, max(first, s.Hi/index.SlabSets)
}

// HasSlab reports whether slab k lies entirely in the segment.
func (s *Segment) HasSlab(k uint32) bool {
	first, end := s.Slabs()
	return first <= k && k < end
}

// PutFacts loads the facts of the piece [lo, hi) into a slab. It uses buf as scratch space, and
// returns it, grown if necessary.
func (s *Segment) PutFacts(p *index.SlabWriter, lo, hi uint32, buf []byte, ended func(uint32) bool) ([]byte, error) {
	buf, err := s.file.readSizes(lo, hi, buf)
	if err != nil {
		return buf, err
	}
	sizes := slices.Clone(buf)
	from, to := s.file.piece(lo)
	if buf, err = s.file.readChecked(buf, from, to); err == nil {
		err = p.PutPiece(lo, hi, sizes, buf, ended)
	}
	return buf, wrapFactsError(lo, hi, err)
}

// PutSizes loads the sizes of slab k, which the segment must contain entirely. load later loads
// the other facts, usually with FetchFacts. buf is as for PutFacts.
func (s *Segment) PutSizes(p *index.SlabWriter, k uint32, buf []byte, ended func(uint32) bool, load func(*index.SlabWriter) error) ([]byte, error) {
	lo := k * index.SlabSets
	buf, err := s.file.readSizes(lo, lo+index.SlabSets, buf)
	if err == nil {
		err = p.PutSizes(buf, ended, load)
	}
	return buf, wrapFactsError(lo, lo+index.SlabSets, err)
}

// pieceBuffers pools buffers for pieces read to verify their checksums.
var pieceBuffers = sync.Pool{New: func() any { return new([]byte) }}

// FetchFacts makes the facts of slab k, which the segment must contain entirely, readable in the
// mapped file. It verifies the checksum with a read call: unlike a page fault, a call does not
// block other goroutines, and it can return an error. Without a mapping the bytes read stay in
// memory.
func (s *Segment) FetchFacts(p *index.SlabWriter, k uint32) error {
	lo := k * index.SlabSets
	from, to := s.file.piece(lo)
	if s.file.mapped == nil {
		room, owner := p.Room(int(to - from))
		piece, err := s.file.readChecked(room, from, to)
		if err == nil {
			err = p.Map(piece, owner)
		}
		return wrapFactsError(lo, lo+index.SlabSets, err)
	}
	buf := pieceBuffers.Get().(*[]byte)
	defer pieceBuffers.Put(buf)
	var err error
	if *buf, err = s.file.readChecked(*buf, from, to); err == nil {
		err = p.Map(s.file.mapped[from:to-checksumBytes], s)
	}
	return wrapFactsError(lo, lo+index.SlabSets, err)
}

// Complained returns false at the first call only, so that damaged facts cause one warning.
func (s *Segment) Complained() bool { return s.file.warned.Swap(true) }

// wrapFactsError adds the range of sets to err, and marks damage as corruption.
func wrapFactsError(lo, hi uint32, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("facts of the sets in [%d,%d): %w", lo, hi, PageError(err))
}

// piece returns the bounds of the piece that begins with set lo, including its checksum.
func (f *segmentFile) piece(lo uint32) (from, to uint64) {
	return f.facts.bounds(int(lo/index.SlabSets - f.is.Lo/index.SlabSets))
}

// readSizes reads the sizes of the sets in [lo, hi).
func (f *segmentFile) readSizes(lo, hi uint32, buf []byte) ([]byte, error) {
	from := f.sizes + sizesBytes(f.is.Lo, lo)
	return f.readChecked(buf, from, from+sizesBytes(lo, hi))
}

// readChecked reads bytes that end with their checksum, verifies it, and returns them without
// it. It reads into buf, or a longer buffer.
func (f *segmentFile) readChecked(buf []byte, from, to uint64) ([]byte, error) {
	buf = slices.Grow(buf[:0], int(to-from))[:to-from]
	if err := f.readAt(buf, from); err != nil {
		return buf, err
	}
	b := buf[:len(buf)-checksumBytes]
	if crc32.Checksum(b, durable.Castagnoli) != le.Uint32(buf[len(b):]) {
		return buf, fault.Corrupt("checksum does not match")
	}
	return b, nil
}

// Ended lists the sets under keys.Ended, ascending.
type Ended []uint32

// ReadEnded reads the ended sets of a collection.
func ReadEnded(r pebble.Reader, c *record.Schema) (ended Ended, err error) {
	err = disk.Scan(r, c.Key(keys.Ended), func(key, _ []byte) error {
		n, rest, err := keys.Numbers(key, 2)
		if err != nil || len(rest) > 0 {
			return fault.Corrupt("key of an ended set %x", key)
		}
		ended = append(ended, n[1])
		return nil
	})
	return ended, err
}

// In returns a function that reports whether a set in [lo, hi) has ended; nil if none has.
func (e Ended) In(lo, hi uint32) func(set uint32) bool {
	from, _ := slices.BinarySearch(e, lo)
	to, _ := slices.BinarySearch(e, hi)
	if e = e[from:to]; len(e) == 0 {
		return nil
	}
	return func(set uint32) bool {
		_, found := slices.BinarySearch(e, set)
		return found
	}
}
