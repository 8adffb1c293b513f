package wal

// The files of the log: names, creation, deletion.

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	iofs "io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"
)

const (
	segmentMagic      = "simdbwal"
	segmentVersion    = 1
	segmentHeaderSize = 24
	segmentSuffix     = ".log"

	// logWrites is the category under which a file system counts the bytes of the
	// log.
	logWrites vfs.DiskWriteCategory = "simdb-wal"
)

// segment is one file of the log.
type segment struct {
	first uint64 // sequence number of its first record, never 0
	bytes int64
}

func (s segment) name() string {
	return SegmentName(s.first)
}

// SegmentName returns the file name of the segment that begins with record first.
func SegmentName(first uint64) string { return fmt.Sprintf("%016x%s", first, segmentSuffix) }

// parseSegmentName inverts SegmentName.
func parseSegmentName(name string) (first uint64, ok bool) {
	digits, ok := strings.CutSuffix(name, segmentSuffix)
	if !ok {
		return 0, false
	}
	first, err := strconv.ParseUint(digits, 16, 64)
	return first, err == nil && first > 0 && segment{first: first}.name() == name
}

// listSegments returns the segments in dir, in order, and ignores other files. A
// segment with a damaged name therefore appears as a gap in the sequence.
func listSegments(fs vfs.FS, dir string) ([]segment, error) {
	names, err := fs.List(dir)
	if err != nil {
		return nil, fmt.Errorf("wal: %w", err)
	}
	var segments []segment
	for _, name := range names {
		first, ok := parseSegmentName(name)
		if !ok {
			continue
		}
		info, err := fs.Stat(fs.PathJoin(dir, name))
		if err != nil {
			return nil, fmt.Errorf("wal: %w", err)
		}
		segments = append(segments, segment{first, info.Size()})
	}
	slices.SortFunc(segments, func(a, b segment) int { return cmp.Compare(a.first, b.first) })
	return segments, nil
}

// createSegment creates the segment that begins with record first, and returns once
// header and name are on stable storage. It overwrites a file of that name that
// holds at most a header; deleting it first would leave the log without any segment
// for a moment.
func createSegment(fs vfs.FS, dir string, first uint64) (vfs.File, error) {
	path := fs.PathJoin(dir, segment{first: first}.name())
	open := fs.Create
	if info, err := fs.Stat(path); err == nil && info.Size() <= segmentHeaderSize {
		open = func(path string, c vfs.DiskWriteCategory) (vfs.File, error) { return fs.OpenReadWrite(path, c) }
	}
	f, err := open(path, logWrites)
	if err != nil {
		return nil, fmt.Errorf("wal: %w", err)
	}
	_, err = f.Write(segmentHeader(first))
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = syncDir(fs, dir)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("wal: %w", err), f.Close())
	}
	return f, nil
}

// segmentHeader encodes the header of a segment.
func segmentHeader(first uint64) []byte {
	b := make([]byte, 0, segmentHeaderSize)
	b = append(b, segmentMagic...)
	b = binary.LittleEndian.AppendUint32(b, segmentVersion)
	b = binary.LittleEndian.AppendUint64(b, first)
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// parseSegmentHeader decodes a header of segmentHeaderSize bytes and reports whether
// it is intact.
func parseSegmentHeader(b []byte) (version uint32, first uint64, ok bool) {
	ok = bytes.HasPrefix(b, []byte(segmentMagic)) &&
		crc32.Checksum(b[:20], castagnoli) == binary.LittleEndian.Uint32(b[20:])
	return binary.LittleEndian.Uint32(b[8:]), binary.LittleEndian.Uint64(b[12:]), ok
}

// Start creates a segment that begins with record next, which must be above all
// replayed records, and deletes the older segments. The caller must have made all
// replayed records durable elsewhere. Start requires a Replay without error.
func (l *Log) Start(next uint64) error {
	l.dirMu.Lock()
	defer l.dirMu.Unlock()
	l.mu.Lock()
	stage, err := l.stage, l.err
	l.mu.Unlock()
	if err != nil {
		return err
	}
	if stage != replayed {
		return errors.New("wal: start of a log that was not just replayed")
	}
	if err := l.renew(next); err != nil {
		return err
	}
	if err := l.openMark(); err != nil {
		l.fail(err)
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stage = started
	return nil
}

// Reset empties the log; its next record has sequence number next. The caller
// must have made all appended records durable elsewhere.
func (l *Log) Reset(next uint64) error {
	l.dirMu.Lock()
	defer l.dirMu.Unlock()
	l.mu.Lock()
	for l.err == nil && (len(l.pending.frames) > 0 || l.flushing) {
		l.request()
		l.cond.Wait()
	}
	err := l.ready()
	empty := len(l.segments) == 1 && l.segments[0].first == next && l.last < next
	l.mu.Unlock()
	if err != nil || empty {
		return err
	}
	return l.renew(next)
}

// renew replaces all segments by a new one. It creates before it deletes, so that
// the directory always records the last sequence number. It requires dirMu and an
// idle flusher.
func (l *Log) renew(next uint64) error {
	if next <= l.last {
		return fmt.Errorf("wal: begin with record %d, but the log holds %d", next, l.last)
	}
	err := l.closeFile()
	if err == nil {
		l.file, err = createSegment(l.fs, l.dir, next)
	}
	if err != nil {
		l.fail(err)
		return err
	}
	l.mu.Lock()
	// A segment of the same name held no record; the new file has replaced it.
	l.segments = slices.DeleteFunc(l.segments, func(s segment) bool { return s.first == next })
	old := len(l.segments)
	l.segments = append(l.segments, segment{next, segmentHeaderSize})
	l.last, l.durable, l.offset = next-1, next-1, segmentHeaderSize
	l.mu.Unlock()
	if err := l.drop(old); err != nil {
		l.fail(err)
		return err
	}
	return nil
}

// Release deletes the segments whose records all have sequence numbers up to durable,
// but never the current segment. Release may be repeated after an error.
func (l *Log) Release(durable uint64) error {
	l.dirMu.Lock()
	defer l.dirMu.Unlock()
	l.mu.Lock()
	err := l.ready()
	n := applied(l.segments, durable)
	l.mu.Unlock()
	if err != nil || n == 0 {
		return err
	}
	if err := l.mark.SyncData(); err != nil { // the only sync of the mark; segments are released rarely
		return fmt.Errorf("wal: sync: %w", err)
	}
	return l.drop(n)
}

// applied returns the number of leading segments with records up to seq only,
// according to the name of the following segment.
func applied(segments []segment, seq uint64) int {
	n := 0
	for n+1 < len(segments) && segments[n+1].first-1 <= seq {
		n++
	}
	return n
}

// drop deletes the n oldest segments, oldest first, and syncs the directory. It
// requires dirMu.
func (l *Log) drop(n int) error {
	if n == 0 {
		return nil
	}
	l.mu.Lock()
	old := slices.Clone(l.segments[:n+1])
	l.mu.Unlock()
	for i, s := range old[:n] {
		err := l.retire(s, old[i+1].first-1)
		if err != nil && !errors.Is(err, iofs.ErrNotExist) {
			return fmt.Errorf("wal: %w", err)
		}
	}
	if err := syncDir(l.fs, l.dir); err != nil {
		return err
	}
	l.mu.Lock()
	l.segments = slices.Delete(l.segments, 0, n)
	l.mu.Unlock()
	return nil
}

// retire deletes a segment, or passes it to Options.Retire.
func (l *Log) retire(s segment, last uint64) error {
	path := l.fs.PathJoin(l.dir, s.name())
	if l.opts.Retire != nil {
		return l.opts.Retire(path, s.first, last)
	}
	return l.fs.Remove(path)
}

// closeFile closes the current segment, if one is open.
func (l *Log) closeFile() error {
	if l.file == nil {
		return nil
	}
	err := l.file.Close()
	l.file = nil
	if err != nil {
		return fmt.Errorf("wal: %w", err)
	}
	return nil
}

// syncDir makes names created in or deleted from dir durable.
func syncDir(fs vfs.FS, dir string) error {
	d, err := fs.OpenDir(dir)
	if err != nil {
		return fmt.Errorf("wal: %w", err)
	}
	if err := errors.Join(d.Sync(), d.Close()); err != nil {
		return fmt.Errorf("wal: sync %s: %w", dir, err)
	}
	return nil
}
