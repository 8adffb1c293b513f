package segment

// The copy of facts that a segment's file has: sizes, which opening a store reads, and
// the other facts, which stay in the file and are used where they lie
// (docs/decisions/0022).

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

// Pebble has the facts of all sets, a value for each. A segment's file has a copy of
// those that its sets had when it was written, in pieces: a piece is of one slab of the
// table in memory. Facts never change, and no number is given to another set, so a copy
// can differ from the original in one way only: sets have ended since. These are under
// keys.Ended: in the batch that ended them or, if that was while the segment was
// written, in the one that publishes it. A piece that cannot be read is read from Pebble.

// WriteFacts writes the facts of a segment: those of its sets in view for which alive,
// which begins at the segment's first number, says so.
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

func (w *Writer) writePiece(b []byte) error {
	if err := w.store.Poisoned(); err != nil {
		return err
	}
	return w.write(b)
}

// aligned returns the next multiple of 8.
func aligned(at uint64) uint64 { return (at + 7) &^ 7 }

// pieces yields where the pieces of [lo, hi) begin and end.
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

// sizesBytes is how long the sizes of [lo, hi) are in a file.
func sizesBytes(lo, hi uint32) uint64 {
	return uint64(index.SizesBytes(1))*uint64(max(hi, lo)-lo) + checksumBytes*PieceCount(lo, hi)
}

// Slabs returns which slabs of the table the segment has as a whole: those from first to
// below end.
func (s *Segment) Slabs() (first, end uint32) {
	first = uint32((uint64(s.Lo) + index.SlabSets - 1) / index.SlabSets)
	return first, max(first, s.Hi/index.SlabSets)
}

// HasSlab says whether the segment has the whole of a slab.
func (s *Segment) HasSlab(k uint32) bool {
	first, end := s.Slabs()
	return first <= k && k < end
}

// PutFacts puts the facts of the sets in [lo, hi), which are those of one piece,
// into a slab. It reads into buf, or a longer one.
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
	return buf, factsError(lo, hi, err)
}

// PutSizes puts the sizes of the sets of a slab, which the segment has as a whole. load is
// for the rest: as a rule it calls FetchFacts.
func (s *Segment) PutSizes(p *index.SlabWriter, k uint32, buf []byte, ended func(uint32) bool, load func(*index.SlabWriter) error) ([]byte, error) {
	lo := k * index.SlabSets
	buf, err := s.file.readSizes(lo, lo+index.SlabSets, buf)
	if err == nil {
		err = p.PutSizes(buf, ended, load)
	}
	return buf, factsError(lo, lo+index.SlabSets, err)
}

// fetched are buffers for pieces that are read to be held against their checksums.
var fetched = sync.Pool{New: func() any { return new([]byte) }}

// FetchFacts lets the facts of a slab, which the segment has as a whole, be read in the
// mapped file. Their checksum is that of what a call reads: it does not hold up other
// goroutines as a fault does, and can fail. Where files are not mapped, what was read
// stays in memory.
func (s *Segment) FetchFacts(p *index.SlabWriter, k uint32) error {
	lo := k * index.SlabSets
	from, to := s.file.piece(lo)
	if s.file.mapped == nil {
		room, owner := p.Room(int(to - from))
		piece, err := s.file.readChecked(room, from, to)
		if err == nil {
			err = p.Map(piece, owner)
		}
		return factsError(lo, lo+index.SlabSets, err)
	}
	buf := fetched.Get().(*[]byte)
	defer fetched.Put(buf)
	var err error
	if *buf, err = s.file.readChecked(*buf, from, to); err == nil {
		err = p.Map(s.file.mapped[from:to-checksumBytes], s)
	}
	return factsError(lo, lo+index.SlabSets, err)
}

// Complained says whether it was called before: one warning of damaged facts is enough.
func (s *Segment) Complained() bool { return s.file.complained.Swap(true) }

func factsError(lo, hi uint32, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("facts of the sets in [%d,%d): %w", lo, hi, PageError(err))
}

// piece returns where the piece is that begins with set lo, and its checksum ends.
func (f *segmentFile) piece(lo uint32) (from, to uint64) {
	return f.facts.bounds(int(lo/index.SlabSets - f.is.Lo/index.SlabSets))
}

func (f *segmentFile) readSizes(lo, hi uint32, buf []byte) ([]byte, error) {
	from := f.sizes + sizesBytes(f.is.Lo, lo)
	return f.readChecked(buf, from, from+sizesBytes(lo, hi))
}

// readChecked reads into buf, or a longer one, what has its checksum at its end.
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

// Ended are the sets under keys.Ended, ascending.
type Ended []uint32

// ReadEnded reads them.
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

// In returns a function that says which sets in [lo, hi) have ended.
func (e Ended) In(lo, hi uint32) func(set uint32) bool {
	from, _ := slices.BinarySearch(e, lo)
	to, _ := slices.BinarySearch(e, hi)
	if e = e[from:to]; len(e) == 0 {
		return func(uint32) bool { return false }
	}
	return func(set uint32) bool {
		_, found := slices.BinarySearch(e, set)
		return found
	}
}
