// Package segment stores posting segments: immutable files of postings and facts, the manifests
// that name them, and the orders they share. Every byte read is covered by a checksum; damage is
// ErrCorrupt. The package builds no postings and runs no searches.
//
// Begin reading with Postings and Segment here, then the format in file.go.
package segment

import (
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"sync/atomic"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/disk"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/index"
)

// Postings is an immutable state of a collection's index: segments that tile the set numbers
// below Built, all in one order. A change replaces it. Sets from Built on form the tail and have
// no postings.
type Postings struct {
	Order       *index.Order // nil until the first segment
	OrderNumber uint32
	Ordered     int64 // live sets when the order was computed or last confirmed
	Built       uint32
	Segments    []*Segment
	Words       *WordCounts // of these segments
}

// Segment is an open posting segment. Dead counts the sets that ended since it was written.
type Segment struct {
	*index.Segment
	Number uint32
	Dead   *atomic.Int64

	file    *segmentFile
	repeats repeats
}

// Open opens the file of a segment. The file is closed with the store, or when the garbage
// collector finds the segment unreachable, possibly after its deletion. ErrCorrupt if the file
// is missing or is another segment's.
func (d *Dir) Open(ms Span) (*Segment, error) {
	path := d.Path(ms.Number)
	f, err := openSegmentFile(d.store.FS(), path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.Corrupt("the file %s is missing", path)
	}
	if err != nil {
		return nil, err
	}
	if f.is != ms {
		return nil, errors.Join(fault.Corrupt("the file %s is that of segment %+v, want %+v", path, f.is, ms), f.close())
	}
	s := &Segment{
		Segment: &index.Segment{Lo: ms.Lo, Hi: ms.Hi, Sets: ms.Sets, Runs: f.runs},
		Number:  ms.Number, Dead: new(atomic.Int64), file: f,
	}
	d.open.Add(1)
	runtime.AddCleanup(s, func(f *segmentFile) { f.close(); d.open.Add(-1) }, f)
	return s, nil
}

// SegmentOf returns the segment that contains a set below Built.
func (p *Postings) SegmentOf(set uint32) *Segment {
	i, _ := slices.BinarySearchFunc(p.Segments, set, func(s *Segment, set uint32) int {
		if s.Hi <= set {
			return -1
		}
		return 0
	})
	return p.Segments[i]
}

// LookUp returns the segment for random access. Reading stops with the error of stop.
func (s *Segment) LookUp(stop func() error) index.Stored {
	return index.Stored{Segment: s.Segment, Reader: lookups{s.file, stop}}
}

// ReadThrough returns the segment for sequential reading. segments is the number of segments that
// are read together. stop may be nil.
func (s *Segment) ReadThrough(segments int, stop func() error) index.Stored {
	return index.Stored{Segment: s.Segment, Reader: inOrder{s.file, min(readBytes, readRoom/uint64(segments)), stop}}
}

// Size returns the length of the file in bytes.
func (s *Segment) Size() int64 { return s.file.size }

// Close closes the file. No page may be used afterwards.
func (s *Segment) Close() error { return s.file.close() }

// AliveSets sets Dead from the number of live sets.
func (s *Segment) AliveSets(n int64) { s.Dead.Store(int64(s.Sets) - n) }

// FactsError marks facts that a join could not read as ErrCorrupt; other errors stay unchanged.
func FactsError(err error) error {
	if errors.Is(err, index.ErrPage) && !errors.Is(err, api.ErrCorrupt) {
		return fault.Corrupt("facts of sets: %w", err)
	}
	return err
}

// PageError marks damaged pages as ErrCorrupt, and prefixes all errors.
func PageError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, index.ErrPage):
		return fault.Corrupt("posting segment: %w", err)
	}
	return fmt.Errorf("posting segment: %w", disk.PebbleError(err))
}
