// Package wal keeps opaque records durable. Records go in as bytes with a
// sequence number, lie in log segments, and come out again in replay. The
// package knows nothing of documents, of the store to which the records are
// applied, or of when a record is no longer needed. Its caller says that with
// [Log.Release].
//
// It is reachable from outside the module, but promises nothing to it: only the root package
// and the command do.
//
// # Life of a log
//
// [Open] lists the segments. [Log.Replay] hands out the records that the store
// has not applied. Once the store has made those durable, [Log.Start] begins a
// new segment and deletes the old ones. Then [Log.Append] and [Ticket.Wait] add
// records, and [Log.Release] deletes segments that the store no longer needs.
// A segment is not deleted but given to Options.Retire where that is set, and [Files],
// [OpenFile] and [Mark] read segments beside the log that is written.
// [Log.Reset] followed by [Log.Close] leaves an empty log. No segment is ever
// appended to by a second process.
//
// # Format, version 1
//
// A segment is one file. Its name is the sequence number of its first record in
// 16 hexadecimal digits, and ".log". All numbers are little-endian, all
// checksums CRC-32C (Castagnoli). It starts with a header of 24 bytes:
//
//	 0  8  "simdbwal"
//	 8  4  version, 1: another for any change of what stands in the segment
//	12  8  sequence number of the first record
//	20  4  checksum of the 20 bytes before
//
// The header and the directory are synced before the first frame is written. So
// a last segment of at most 24 bytes without a good header is an interrupted
// creation. A longer one is damaged.
//
// Frames follow without gaps, each one record, 32 bytes and the payload:
//
//	 0  4  checksum of the 28 bytes behind it, seeded with the low 32 bits of
//	       the frame's offset in the file
//	 4  4  checksum of the payload
//	 8  4  length of the payload, at most 1 GiB
//	12  4  type and version of the frame, "REC" and 1
//	16  8  sequence number, one more than that of the frame before
//	24  8  synced: a sequence number smaller than that of this frame; all
//	       records up to it were on stable storage when this one was appended
//	32     payload
//
// The head has a checksum of its own, so that no length is believed unchecked.
// The offset seeds it, so that a payload that holds a piece of some log, even
// of this one, is not taken for frames.
//
// # Torn tail or rot
//
// A crash may keep any part of what was written but not yet synced. So good
// frames may follow a bad one that was written together with them. But a crash
// cannot spoil a frame that had been synced. This is what the field synced is
// for. A bad frame and everything after it is a torn tail, which was never
// acknowledged, with two exceptions: a later frame says that the bad one had
// been synced, or a later segment was begun. The latter happens only when
// everything before is synced or no longer needed. In both cases it is rot, and
// Replay returns [ErrCorrupt]. Damage to the very last group of records looks
// like a torn tail, and a log cut where a record ends looks whole. The file MARK
// tells: "simdbmrk", the sequence number up to which records are synced, and the
// checksum of both. It is written after each sync of the log and seldom synced
// itself. It survives the process, and a power failure as far as the system has
// written it back. A log that ends before its mark is ErrCorrupt. Without a mark,
// or with a bad one, the log is taken as it is.
package wal

import (
	"cmp"
	"errors"
	"fmt"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"
)

var (
	// ErrCorrupt marks stored bytes that were once durable and no longer
	// decode, or records that are missing. The message names the file and the
	// offset.
	ErrCorrupt = errors.New("wal: corrupt log")
	// ErrTooNew marks a segment of a format this version does not know.
	ErrTooNew = errors.New("wal: log format is too new")
	// ErrTooLarge marks a record longer than MaxRecordBytes.
	ErrTooLarge = errors.New("wal: record is too large")
	// ErrClosed marks a call after Close.
	ErrClosed = errors.New("wal: log is closed")
)

// MaxRecordBytes is the length of the longest record Append takes.
const MaxRecordBytes = 1 << 30

// defaultSegmentBytes is the segment size unless Options says another.
const defaultSegmentBytes = 64 << 20

// Options are the settings of a log. The zero value holds the defaults.
type Options struct {
	// SegmentBytes is the size at which a segment is full. The next group of
	// records then goes to a new segment. 0 means 64 MiB.
	SegmentBytes int64
	// OnError, unless nil, is called once with the error that made the log
	// unusable. It must not call the log.
	OnError func(error)
	// Retire, unless nil, is called for a segment instead of deleting it, once it is
	// no longer needed. It must move or delete the file, and may be called again for one
	// that it had moved before a crash. If last < first, the segment has no record.
	Retire func(path string, first, last uint64) error
}

// A Log is a write-ahead log in one directory. The caller must not run Append
// and Reset at the same time as themselves or each other. The same holds for
// Replay and Start, which come before. All other methods may be called at any
// time by any goroutine.
type Log struct {
	fs   vfs.FS
	dir  string
	opts Options

	// dirMu serialises Start, Release, Reset and the end of Close.
	dirMu sync.Mutex

	// file is the current segment. It belongs to the flusher while there is
	// something to flush, and otherwise to the holder of dirMu.
	file vfs.File
	mark vfs.File // written by the flusher; before that runs, by the holder of dirMu

	mu       sync.Mutex
	cond     sync.Cond // broadcast when any field the flusher or a blocked Append waits for changes
	segments []segment // in order; after Start the last is the current one
	stage    stage
	err      error  // first failure of a write or sync; never cleared
	last     uint64 // last appended sequence number
	durable  uint64 // last sequence number known to be synced
	offset   int64  // where in its segment the next frame will lie
	pending  *group // appended, not yet taken by the flusher
	spare    []byte // buffer for the group after pending
	asked    bool   // someone wants pending, which has records, on stable storage
	flushing bool   // a group is on its way to the disk
	running  bool   // the flusher is there
}

// stage says which calls a log is ready for.
type stage int

const (
	opened stage = iota
	replayed
	started
	closed
)

// Open lists the segments in dir, which it creates if it is missing. It writes
// nothing else: a log that is only replayed stays as it is.
func Open(fs vfs.FS, dir string, opts Options) (*Log, error) {
	if opts.SegmentBytes < 0 {
		return nil, fmt.Errorf("wal: SegmentBytes is %d", opts.SegmentBytes)
	}
	opts.SegmentBytes = cmp.Or(opts.SegmentBytes, defaultSegmentBytes)
	// A segment must hold a record before it can be full, or two segments would
	// have the same name.
	opts.SegmentBytes = max(opts.SegmentBytes, segmentHeaderSize+1)
	if err := fs.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("wal: %w", err)
	}
	// This is always done, because the one who created dir may have been
	// interrupted before it.
	if err := syncDir(fs, fs.PathDir(dir)); err != nil {
		return nil, err
	}
	segments, err := listSegments(fs, dir)
	if err != nil {
		return nil, err
	}
	l := &Log{fs: fs, dir: dir, opts: opts, segments: segments, pending: newGroup(nil)}
	l.cond.L = &l.mu
	return l, nil
}

// Bytes returns the number of bytes written to the live segments.
func (l *Log) Bytes() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	var n int64
	for _, s := range l.segments {
		n += s.bytes
	}
	return n
}

// Err returns the error that made the log unusable, or nil.
func (l *Log) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// ready returns why a started log cannot be written, or nil. The caller must
// hold mu.
func (l *Log) ready() error {
	switch {
	case l.err != nil:
		return l.err
	case l.stage == closed:
		return ErrClosed
	case l.stage != started:
		return errors.New("wal: log is not started")
	}
	return nil
}

// fail makes err the answer to everyone who waits, and to all later calls. A
// failed write or sync is never tried again: the kernel may have dropped the
// dirty pages, and then a second sync would succeed without having stored them.
func (l *Log) fail(err error) {
	l.mu.Lock()
	first := l.err == nil
	if first {
		l.err = err
		l.pending.finish(err)
		l.cond.Broadcast()
	}
	l.mu.Unlock()
	if first && l.opts.OnError != nil {
		l.opts.OnError(err)
	}
}
