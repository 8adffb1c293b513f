// Package segment is the posting files of a store: how they are written, mapped and
// read, what they say of their sets, and which there are. It does not know who builds
// them, nor who searches in them.
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

// Postings is the state of a collection's index: posting segments that tile
// the set numbers below Built, all in one order. It never changes; a new one
// takes its place. Sets from Built on are the tail and have no postings.
type Postings struct {
	Order       *index.Order // nil until the first segment
	OrderNumber uint32
	Ordered     int64 // live sets when the order was made, or last found good
	Built       uint32
	Segments    []*Segment
	Words       *WordCounts // of these segments
}

// Segment is a stored posting segment. Dead counts the sets that ended since it
// was written.
type Segment struct {
	*index.Segment
	Number uint32
	Dead   *atomic.Int64

	file    *segmentFile
	repeats repeats
}

// Open opens the file of a segment. The file is closed with the store, or
// once no one knows the segment any more: it may have been removed by then.
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
	runtime.AddCleanup(s, func(f *segmentFile) { f.close() }, f)
	return s, nil
}

// SegmentOf returns the segment that covers a set below Built.
func (p *Postings) SegmentOf(set uint32) *Segment {
	i, _ := slices.BinarySearchFunc(p.Segments, set, func(s *Segment, set uint32) int {
		if s.Hi <= set {
			return -1
		}
		return 0
	})
	return p.Segments[i]
}

// LookUp is the segment for a reader of pages here and there. stop says whether it
// should stop.
func (s *Segment) LookUp(stop func() error) index.Stored {
	return index.Stored{Segment: s.Segment, Reader: lookups{s.file, stop}}
}

// ReadThrough is the segment for a reader of all pages, in order, who reads so many segments side
// by side. stop may be nil.
func (s *Segment) ReadThrough(segments int, stop func() error) index.Stored {
	return index.Stored{Segment: s.Segment, Reader: inOrder{s.file, min(readBytes, readRoom/uint64(segments)), stop}}
}

// Size is the length of the file.
func (s *Segment) Size() int64 { return s.file.size }

// Close lets the file go; no page of it may be used after that.
func (s *Segment) Close() error { return s.file.close() }

// AliveSets notes how many of the segment's sets are alive.
func (s *Segment) AliveSets(n int64) { s.Dead.Store(int64(s.Sets) - n) }

// FactsError marks facts that a join could not read as corruption, and leaves other
// errors alone.
func FactsError(err error) error {
	if errors.Is(err, index.ErrPage) && !errors.Is(err, api.ErrCorrupt) {
		return fault.Corrupt("facts of sets: %w", err)
	}
	return err
}

// PageError marks a damaged page as corruption.
func PageError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, index.ErrPage):
		return fault.Corrupt("posting segment: %w", err)
	}
	return fmt.Errorf("posting segment: %w", disk.PebbleError(err))
}
