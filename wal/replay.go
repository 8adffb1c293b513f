package wal

// This file reads the log again after a crash. It must distinguish the torn
// tail that a crash leaves from records that were durable and are damaged.

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Replayed says what Replay found.
type Replayed struct {
	// Last is the greatest sequence number that the log is known to have given
	// out and kept, even if the record itself is no longer there. 0 means none.
	Last uint64
	// Records is the number of records handed out.
	Records int64
	// Dropped is the number of bytes of a torn tail. These are records that a
	// crash left behind and whose append was never acknowledged.
	Dropped int64
}

// Replay calls fn for each record with a sequence number above after, in order.
// payload is valid during the call. A torn tail ends the replay and is counted
// in Dropped. A bad record that had once been durable is ErrCorrupt. So is a
// hole in the sequence, unless it lies wholly at or below after: such records
// were durable elsewhere. So is a log that ends before what its mark says had
// been synced. Segments wholly at or below after are not read. The
// error of fn is returned as it is.
//
// Replay must be called once, before Start.
func (l *Log) Replay(after uint64, fn func(seq uint64, payload []byte) error) (Replayed, error) {
	l.mu.Lock()
	stage, segments := l.stage, l.segments
	l.mu.Unlock()
	if stage != opened {
		return Replayed{}, errors.New("wal: replay of a log that was not just opened")
	}
	segments = segments[applied(segments, after):]
	if len(segments) > 0 && segments[0].first-1 > after {
		return Replayed{}, fmt.Errorf("%w: %s: records %d to %d are missing before it",
			ErrCorrupt, l.path(segments[0]), after+1, segments[0].first-1)
	}
	p := replayer{after: after, fn: fn}
	for i, s := range segments {
		next := uint64(0)
		if i+1 < len(segments) {
			next = segments[i+1].first
		}
		if err := l.replaySegment(&p, s, next); err != nil {
			return p.Replayed, err
		}
	}
	if err := p.checkMark(l.fs, l.dir); err != nil {
		return p.Replayed, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stage = replayed
	l.last = p.Last
	return p.Replayed, nil
}

func (l *Log) path(s segment) string {
	return l.fs.PathJoin(l.dir, s.name())
}

// replaySegment replays s, which must end where the segment that begins with
// next starts. If next is 0, there is no such segment.
func (l *Log) replaySegment(p *replayer, s segment, next uint64) error {
	f, err := l.fs.Open(l.path(s), vfs.SequentialReadsOption)
	if err != nil {
		return fmt.Errorf("wal: %w", err)
	}
	defer f.Close()
	p.file, p.path, p.size, p.offset = f, l.path(s), s.bytes, 0
	p.Last = s.first - 1
	if p.in == nil {
		p.in = bufio.NewReaderSize(f, 256<<10)
	} else {
		p.in.Reset(f)
	}
	return p.segment(next)
}

// replayer reads the segments one after the other. The embedded Last is the
// sequence number of the frame before offset.
type replayer struct {
	Replayed
	after uint64
	fn    func(seq uint64, payload []byte) error

	file    vfs.File
	in      *bufio.Reader
	path    string
	size    int64 // of the file
	offset  int64 // of what is read next
	payload []byte
}

func (p *replayer) corrupt(offset int64, format string, args ...any) error {
	return fmt.Errorf("%w: %s, offset %d: %s", ErrCorrupt, p.path, offset, fmt.Sprintf(format, args...))
}

// segment reads one segment to its end.
func (p *replayer) segment(next uint64) error {
	ok, err := p.header(next)
	if err != nil || !ok {
		return err
	}
	for p.offset < p.size {
		ok, end, err := p.frame()
		if err != nil {
			return err
		}
		if !ok {
			return p.tail(end, next)
		}
	}
	if next != 0 && p.Last != next-1 {
		return p.corrupt(p.offset, "the segment ends with record %d, the next begins with %d", p.Last, next)
	}
	return nil
}

// header reads the header and reports whether there is one.
func (p *replayer) header(next uint64) (bool, error) {
	if p.size < segmentHeaderSize {
		return false, p.noHeader(next)
	}
	var b [segmentHeaderSize]byte
	if err := p.read(b[:]); err != nil {
		return false, err
	}
	version, first, ok := parseSegmentHeader(b[:])
	switch {
	case !ok:
		return false, p.noHeader(next)
	case version > segmentVersion:
		return false, fmt.Errorf("%w: %s has version %d, known is %d", ErrTooNew, p.path, version, segmentVersion)
	case version != segmentVersion:
		return false, p.corrupt(0, "version %d", version)
	case first != p.Last+1:
		return false, p.corrupt(0, "the header says that the first record is %d", first)
	}
	return true, nil
}

// noHeader distinguishes an interrupted creation from a damaged segment.
func (p *replayer) noHeader(next uint64) error {
	if next != 0 || p.size > segmentHeaderSize {
		return p.corrupt(0, "no segment header")
	}
	p.Dropped += p.size
	return nil
}

// frame reads one frame and hands out its record. If the frame is bad, ok is
// false, and end is the earliest place where the next frame can begin.
func (p *replayer) frame() (ok bool, end int64, err error) {
	start := p.offset
	if p.size-start < frameHeadSize {
		return false, p.size, nil
	}
	var b [frameHeadSize]byte
	if err := p.read(b[:]); err != nil {
		return false, 0, err
	}
	head, ok := parseFrameHead(b[:], start)
	if !ok {
		p.offset = start
		return false, start + 1, nil
	}
	if head.seq != p.Last+1 {
		return false, 0, p.corrupt(start, "record %d follows %d", head.seq, p.Last)
	}
	// This is checked before anything is allocated.
	if int64(head.length) > p.size-p.offset {
		p.offset = start
		return false, p.size, nil
	}
	if cap(p.payload) < int(head.length) {
		p.payload = make([]byte, head.length)
	}
	payload := p.payload[:head.length]
	if err := p.read(payload); err != nil {
		return false, 0, err
	}
	if payloadSum(payload) != head.payloadSum {
		end := p.offset
		p.offset = start
		return false, end, nil
	}
	p.Last = head.seq
	if head.seq <= p.after {
		return true, p.offset, nil
	}
	p.Records++
	return true, p.offset, p.fn(head.seq, payload)
}

// tail decides whether the bad frame at offset is a torn tail or rot. The next
// frame begins at end or after it.
func (p *replayer) tail(end int64, next uint64) error {
	bad := p.Last + 1
	if next != 0 {
		return p.corrupt(p.offset, "record %d is damaged, and the next segment begins with %d", bad, next)
	}
	witness, err := p.witness(bad, end)
	if err != nil {
		return err
	}
	if witness != 0 {
		return p.corrupt(p.offset, "record %d is damaged, and had been synced before record %d was appended", bad, witness)
	}
	p.Dropped += p.size - p.offset
	return nil
}

// witness looks at or after from for a frame which says that record bad had
// been synced. It returns the sequence number of that frame, or 0. It looks at
// each byte once, and computes the checksum of 28 bytes wherever it finds the
// type of a frame.
func (p *replayer) witness(bad uint64, from int64) (uint64, error) {
	const typeOffset = 12
	window := make([]byte, min(64<<10, max(p.size-from, 0)))
	for p.size-from >= frameHeadSize {
		b := window[:min(int64(len(window)), p.size-from)]
		if n, err := p.file.ReadAt(b, from); n < len(b) {
			return 0, fmt.Errorf("wal: read %s: %w", p.path, err)
		}
		// A head that begins in b but does not end in it is found in the next
		// window.
		heads := len(b) - frameHeadSize + 1
		for i := 0; i < heads; i++ {
			n := bytes.Index(b[i+typeOffset:heads-1+typeOffset+len(frameType)], frameType)
			if n < 0 {
				break
			}
			i += n
			if h, ok := parseFrameHead(b[i:], from+int64(i)); ok && h.synced >= bad {
				return h.seq, nil
			}
		}
		from += int64(heads)
	}
	return 0, nil
}

// read fills b from the segment.
func (p *replayer) read(b []byte) error {
	n, err := io.ReadFull(p.in, b)
	p.offset += int64(n)
	if err != nil {
		return fmt.Errorf("wal: read %s: %w", p.path, err)
	}
	return nil
}
