package wal

// This file has the files of the log. It names, creates and deletes them.

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

	// logWrites is a name under which a file system may count the bytes that
	// the log writes.
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

// SegmentName is that of the file of a segment of the log, by its first record.
func SegmentName(first uint64) string { return fmt.Sprintf("%016x%s", first, segmentSuffix) }

// parseSegmentName returns the first sequence number of the segment with this
// name. It reports false if this is not the name of a segment.
func parseSegmentName(name string) (first uint64, ok bool) {
	digits, ok := strings.CutSuffix(name, segmentSuffix)
	if !ok {
		return 0, false
	}
	first, err := strconv.ParseUint(digits, 16, 64)
	return first, err == nil && first > 0 && segment{first: first}.name() == name
}

// listSegments returns the segments in dir, in order. It ignores other files. A
// segment whose name was spoilt shows as a hole in the sequence.
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

// createSegment creates the segment whose first record will be first. It
// returns when the header and the name are on stable storage. A file of that name
// that has no more than a header is overwritten: deleting it first would leave a
// moment without any segment.
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

func segmentHeader(first uint64) []byte {
	b := make([]byte, 0, segmentHeaderSize)
	b = append(b, segmentMagic...)
	b = binary.LittleEndian.AppendUint32(b, segmentVersion)
	b = binary.LittleEndian.AppendUint64(b, first)
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// parseSegmentHeader reads a header of segmentHeaderSize bytes and reports
// whether it is intact.
func parseSegmentHeader(b []byte) (version uint32, first uint64, ok bool) {
	ok = bytes.HasPrefix(b, []byte(segmentMagic)) &&
		crc32.Checksum(b[:20], castagnoli) == binary.LittleEndian.Uint32(b[20:])
	return binary.LittleEndian.Uint32(b[8:]), binary.LittleEndian.Uint64(b[12:]), ok
}

// Start begins a new segment whose first record will have sequence number next,
// which must be above all that Replay met. Then it deletes the older segments.
// Before, the caller must have made everything that Replay handed out durable
// elsewhere. Only a log that was replayed without an error can be started.
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

// Reset empties the log. Before, the caller must have made everything appended
// so far durable elsewhere. The next record will have sequence number next.
func (l *Log) Reset(next uint64) error {
	l.dirMu.Lock()
	defer l.dirMu.Unlock()
	l.mu.Lock()
	for l.err == nil && (len(l.pending.frames) > 0 || l.flushing) {
		l.ask()
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

// renew replaces all segments by a new one. The flusher must have nothing to
// do. It creates before it deletes, so that the log always knows its last
// number. The caller must hold dirMu.
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
	// The segment of this name held no record, and the new one has taken its
	// place.
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

// Release deletes the segments whose records all have a sequence number of at
// most durable. The current segment stays. After an error Release may be called
// again.
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
	if err := l.mark.SyncData(); err != nil { // now and then
		return fmt.Errorf("wal: sync: %w", err)
	}
	return l.drop(n)
}

// applied returns how many of the first segments hold only records up to seq.
// The name of the following segment tells this.
func applied(segments []segment, seq uint64) int {
	n := 0
	for n+1 < len(segments) && segments[n+1].first-1 <= seq {
		n++
	}
	return n
}

// drop deletes the first n segments, the oldest first, and syncs the directory.
// The caller must hold dirMu.
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

// retire deletes a segment, or lets the caller of Open keep it.
func (l *Log) retire(s segment, last uint64) error {
	path := l.fs.PathJoin(l.dir, s.name())
	if l.opts.Retire != nil {
		return l.opts.Retire(path, s.first, last)
	}
	return l.fs.Remove(path)
}

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
