package wal

// Reading the log after a crash. Replay distinguishes the torn tail of a crash from
// damage to records that were durable.

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Replayed summarises a replay.
type Replayed struct {
	// Last is the highest sequence number known to have been stored, even if its
	// record has been deleted since. 0 means none.
	Last uint64
	// Records is the number of records passed to fn.
	Records int64
	// Dropped is the number of bytes of the torn tail: records that Append
	// never acknowledged.
	Dropped int64
}

// Replay calls fn for each record with a sequence number above after, in order;
// payload is valid during the call. A torn tail ends the replay and counts as
// Dropped. Replay returns ErrCorrupt for
//
//   - a damaged record that was once durable;
//   - a gap in the sequence that reaches above after (records up to after are durable
//     elsewhere);
//   - a log that ends before its mark.
//
// It returns an error of fn unchanged, and skips segments that end at or below after.
// Call Replay once, before Start.
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

// replaySegment replays s, which must end just before record next, the first of the
// following segment; 0 means that s is the last segment.
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

// replayer reads segments one after the other. The embedded Last is the sequence
// number of the frame that ends at offset.
type replayer struct {
	Replayed
	after uint64
	fn    func(seq uint64, payload []byte) error

	file    vfs.File
	in      *bufio.Reader
	path    string
	size    int64 // of the file
	offset  int64 // of the next read
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

// header reads the header and reports whether the segment has one.
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

// noHeader accepts an interrupted creation, and reports damage otherwise.
func (p *replayer) noHeader(next uint64) error {
	if next != 0 || p.size > segmentHeaderSize {
		return p.corrupt(0, "no segment header")
	}
	p.Dropped += p.size
	return nil
}

// frame reads one frame and passes its record to fn. For a bad frame ok is false, and
// end is the lowest offset at which the next frame can begin.
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
	// Check the length before allocating.
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

// tail decides whether the bad frame at offset begins a torn tail or is damage. The
// next frame begins at end or later.
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

// witness searches from offset from for a frame that was appended after a sync of
// record bad, and returns its sequence number, or 0. It scans each byte once, and
// computes a checksum of 28 bytes wherever the type of a frame occurs.
func (p *replayer) witness(bad uint64, from int64) (uint64, error) {
	const typeOffset = 12
	window := make([]byte, min(64<<10, max(p.size-from, 0)))
	for p.size-from >= frameHeadSize {
		b := window[:min(int64(len(window)), p.size-from)]
		if n, err := p.file.ReadAt(b, from); n < len(b) {
			return 0, fmt.Errorf("wal: read %s: %w", p.path, err)
		}
		// The next window covers a head that b contains only in part.
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
