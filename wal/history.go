package wal

// Reading and writing whole segments, without locks, while another goroutine or
// process may append to the log. History consists of such segments. A record is
// readable up to the sequence number that Mark returns.

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	iofs "io/fs"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// A File is a segment on disk.
type File struct {
	Path        string
	First, Last uint64 // sequence numbers; Last is 0 for a live segment, which may grow
	Bytes       int64
	Info        vfs.FileInfo
}

// KeptName returns the name of a segment that was moved out of the log. Bytes after
// record last are a torn tail.
func KeptName(first, last uint64) string {
	return fmt.Sprintf("%016x-%016x%s", first, last, segmentSuffix)
}

// Name returns the file name of the live segment that begins with record first.
func Name(first uint64) string { return segment{first: first}.name() }

// parseKeptName inverts KeptName.
func parseKeptName(name string) (first, last uint64, ok bool) {
	a, b, ok := strings.Cut(strings.TrimSuffix(name, segmentSuffix), "-")
	if !ok {
		return 0, 0, false
	}
	first, errFirst := strconv.ParseUint(a, 16, 64)
	last, errLast := strconv.ParseUint(b, 16, 64)
	ok = errFirst == nil && errLast == nil && 0 < first && first <= last && name == KeptName(first, last)
	return first, last, ok
}

// Files lists the segments in a directory, live and kept, by first record. A missing
// directory has none.
func Files(fs vfs.FS, dir string) ([]File, error) {
	names, err := fs.List(dir)
	if errors.Is(err, iofs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("wal: %w", err)
	}
	var out []File
	for _, name := range names {
		f := File{Path: fs.PathJoin(dir, name)}
		var ok bool
		if f.First, ok = parseSegmentName(name); !ok {
			if f.First, f.Last, ok = parseKeptName(name); !ok {
				continue
			}
		}
		f.Info, err = fs.Stat(f.Path)
		if errors.Is(err, iofs.ErrNotExist) {
			continue // moved or deleted since
		}
		if err != nil {
			return nil, fmt.Errorf("wal: %w", err)
		}
		f.Bytes = f.Info.Size()
		out = append(out, f)
	}
	slices.SortFunc(out, func(a, b File) int { return cmp.Compare(a.First, b.First) })
	return out, nil
}

// A Reader reads the records of one segment, which may grow. It is not safe for
// concurrent use.
type Reader struct {
	file    vfs.File
	path    string
	in      *bufio.Reader
	offset  int64
	next    uint64 // sequence number of the record at offset
	payload []byte
}

// OpenFile opens a segment for reading. The error wraps fs.ErrNotExist if the file
// has been moved or deleted, and is ErrCorrupt or ErrTooNew for a bad header. Close
// the Reader.
func OpenFile(fs vfs.FS, f File) (*Reader, error) {
	file, err := fs.Open(f.Path, vfs.SequentialReadsOption)
	if err != nil {
		return nil, fmt.Errorf("wal: %w", err)
	}
	r := &Reader{file: file, path: f.Path, in: bufio.NewReaderSize(file, 256<<10), next: f.First}
	b := make([]byte, segmentHeaderSize)
	_, err = io.ReadFull(r.in, b)
	version, first, ok := parseSegmentHeader(b)
	switch {
	case err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
		err = fmt.Errorf("wal: read %s: %w", r.path, err)
	case err != nil || !ok || first != f.First:
		err = r.corrupt("no segment header")
	case version > segmentVersion:
		err = fmt.Errorf("%w: %s has version %d, known is %d", ErrTooNew, r.path, version, segmentVersion)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	r.offset = segmentHeaderSize
	return r, nil
}

// Next returns the next record; payload is valid until the next call. Call Next only for
// records known to exist: the end of the segment is ErrCorrupt, like a record that does not
// decode, with path and offset. After an error the Reader is unusable.
func (r *Reader) Next() (seq uint64, payload []byte, err error) {
	var b [frameHeadSize]byte
	if err := r.fill(b[:]); err != nil {
		return 0, nil, err
	}
	head, ok := parseFrameHead(b[:], r.offset)
	if !ok || head.seq != r.next {
		return 0, nil, r.damaged()
	}
	if cap(r.payload) < int(head.length) {
		info, err := r.file.Stat()
		if err != nil {
			return 0, nil, fmt.Errorf("wal: %w", err)
		}
		if int64(head.length) > info.Size()-r.offset {
			return 0, nil, r.damaged()
		}
		r.payload = make([]byte, head.length)
	}
	payload = r.payload[:head.length]
	if err := r.fill(payload); err != nil {
		return 0, nil, err
	}
	if payloadSum(payload) != head.payloadSum {
		return 0, nil, r.damaged()
	}
	r.offset += int64(frameHeadSize + len(payload))
	r.next++
	return head.seq, payload, nil
}

// fill reads len(b) bytes; the end of the file is damage.
func (r *Reader) fill(b []byte) error {
	_, err := io.ReadFull(r.in, b)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return r.damaged()
	}
	if err != nil {
		return fmt.Errorf("wal: read %s: %w", r.path, err)
	}
	return nil
}

func (r *Reader) damaged() error { return r.corrupt("record %d is damaged or missing", r.next) }

func (r *Reader) corrupt(format string, args ...any) error {
	return fmt.Errorf("%w: %s, offset %d: %s", ErrCorrupt, r.path, r.offset, fmt.Sprintf(format, args...))
}

// Close closes the file.
func (r *Reader) Close() error { return r.file.Close() }

// WriteFile writes consecutive records, the first with sequence number first, as one
// segment. It syncs the file and renames it to path; the caller syncs the directory. It
// returns the sequence number of the last record. Without records it creates no file.
func WriteFile(fs vfs.FS, path string, first uint64, records iter.Seq2[[]byte, error]) (last uint64, err error) {
	partial := path + ".partial"
	f, err := fs.Create(partial, logWrites)
	if err != nil {
		return 0, fmt.Errorf("wal: %w", err)
	}
	out := bufio.NewWriterSize(f, 256<<10)
	out.Write(segmentHeader(first)) // Flush repeats its error
	last, offset := first-1, int64(segmentHeaderSize)
	var frame []byte
	for payload, err := range records {
		if err == nil {
			err = checkLength(len(payload))
		}
		if err != nil {
			return 0, errors.Join(err, f.Close(), fs.Remove(partial))
		}
		last++
		head := frameHead{payloadSum: payloadSum(payload), length: uint32(len(payload)), seq: last, synced: last - 1}
		frame = append(head.append(frame[:0], offset), payload...)
		offset += int64(len(frame))
		if _, err := out.Write(frame); err != nil {
			break // Flush repeats it
		}
	}
	err = errors.Join(out.Flush(), f.Sync(), f.Close())
	if err == nil && last >= first {
		err = fs.Rename(partial, path)
	}
	if err != nil || last < first {
		return 0, errors.Join(err, fs.Remove(partial))
	}
	return last, nil
}

// Mark returns the highest sequence number known to be synced in the log of a directory,
// 0 if unknown. Another process may write the log at the same time.
func Mark(fs vfs.FS, dir string) (seq uint64, err error) {
	for range 3 { // the mark is written in place, so a read may see half of it
		if seq, err = readMark(fs, dir); err != nil || seq != 0 {
			break
		}
	}
	return seq, err
}

// SetMark durably sets the mark of a log that is not open: it is synced up to seq.
func SetMark(fs vfs.FS, dir string, seq uint64) error {
	f, err := fs.OpenReadWrite(fs.PathJoin(dir, MarkName), logWrites)
	if err != nil {
		return fmt.Errorf("wal: %w", err)
	}
	_, err = f.WriteAt(markOf(seq), 0)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("wal: %w", err)
	}
	return syncDir(fs, dir)
}

// Sync makes all appended records durable.
func (l *Log) Sync() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	// Without a pending or flushing group there is nothing to wait for: replayed records are durable.
	for want := l.last; l.err == nil && l.durable < want && (l.flushing || len(l.pending.frames) > 0); {
		l.request()
		l.cond.Wait()
	}
	return l.err
}
