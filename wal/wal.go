// Package wal is a write-ahead log of opaque records with consecutive sequence
// numbers. A record is durable once [Ticket.Wait] returns nil, and concurrent
// writers share syncs. Begin reading with [Log], then append.go and flush.go; replay.go
// and the format below explain recovery.
//
// The package can be imported from outside, but without any promise of stability.
//
// # Life of a log
//
// [Open] lists the segments. [Log.Replay] returns the records that the store has not
// applied. Once the store has made them durable, [Log.Start] creates a new segment and
// deletes the old ones. Then [Log.Append] and [Ticket.Wait] add records, and
// [Log.Release] deletes segments that the store no longer requires, or passes them to
// Options.Retire. [Files], [OpenFile] and [Mark] read segments of a log in use.
// [Log.Reset] and [Log.Close] leave an empty log. No process appends to a segment of
// another process.
//
// # Format, version 1
//
// A segment is one file. Its name is the sequence number of its first record in
// 16 hexadecimal digits, and ".log". Numbers are little-endian, checksums CRC-32C
// (Castagnoli). A segment starts with a header of 24 bytes:
//
//	 0  8  "simdbwal"
//	 8  4  version, 1; any change of the format changes it
//	12  8  sequence number of the first record
//	20  4  checksum of the 20 bytes before
//
// Header and directory are synced before the first frame is written. A last
// segment of at most 24 bytes without an intact header is therefore an interrupted
// creation, a longer one is damaged.
//
// Frames follow without gaps, each one record, 32 bytes and the payload:
//
//	 0  4  checksum of the following 28 bytes, seeded with the low 32 bits of
//	       the frame's offset in the file
//	 4  4  checksum of the payload
//	 8  4  length of the payload, at most 1 GiB
//	12  4  type and version of the frame, "REC" and 1
//	16  8  sequence number, the successor of that of the previous frame
//	24  8  synced: a lower sequence number; all records up to it were on
//	       stable storage when this record was appended
//	32     payload
//
// The head has a checksum of its own, so that a length is verified before use. The
// offset seeds it, so that a payload that contains a piece of a log, even of this log,
// never passes for frames.
//
// # Torn tail or rot
//
// A crash may preserve any part of unsynced writes, so intact frames may follow a bad
// frame of the same group. A crash cannot spoil a synced frame. A bad frame and
// everything after it are therefore a torn tail, which was never acknowledged, with two
// exceptions, for which Replay returns [ErrCorrupt]:
//
//   - a later frame records, in its field synced, that the bad frame was synced;
//   - a later segment exists: it is created only when all earlier records are synced or
//     no longer required.
//
// Damage to the last group of records looks like a torn tail, and a log cut between
// two records looks complete. The file MARK detects both: it contains "simdbmrk", the
// highest synced sequence number, and the checksum of both. The log writes it after each
// sync and rarely syncs it; it survives a crash of the process, and a power failure as
// far as the system has written it back. A log that ends before its mark is ErrCorrupt.
// A missing or bad mark is ignored.
package wal

import (
	"cmp"
	"errors"
	"fmt"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"
)

var (
	// ErrCorrupt reports damage to records that were durable, or missing records.
	// The message names the file and the offset.
	ErrCorrupt = errors.New("wal: corrupt log")
	// ErrTooNew reports a segment in a newer format.
	ErrTooNew = errors.New("wal: log format is too new")
	// ErrTooLarge reports a record longer than MaxRecordBytes.
	ErrTooLarge = errors.New("wal: record is too large")
	// ErrClosed reports a call after Close.
	ErrClosed = errors.New("wal: log is closed")
)

// MaxRecordBytes is the maximum length of a record.
const MaxRecordBytes = 1 << 30

// defaultSegmentBytes is the default of Options.SegmentBytes.
const defaultSegmentBytes = 64 << 20

// Options are the settings of a log. The zero value holds the defaults.
type Options struct {
	// SegmentBytes is the size at which a segment is full, and the next group
	// starts a new segment. 0 means 64 MiB.
	SegmentBytes int64
	// OnError, unless nil, is called once, with the failure that made the log
	// unusable. It must not call the log.
	OnError func(error)
	// Retire, unless nil, replaces the deletion of a segment. It must move or delete the
	// file, and may be called again for a file that it moved before a crash. last < first
	// means that the segment has no record.
	Retire func(path string, first, last uint64) error
}

// A Log is a write-ahead log in one directory. Calls of Append, Reset, Replay and Start
// must not overlap; all other methods are safe for concurrent use.
//
// Lock order: dirMu before mu.
type Log struct {
	fs   vfs.FS
	dir  string
	opts Options

	// dirMu serialises Start, Release, Reset and the end of Close.
	dirMu sync.Mutex

	// file is the current segment. It belongs to the running flusher, otherwise to the
	// holder of dirMu.
	file vfs.File
	mark vfs.File // belongs to the same

	mu        sync.Mutex
	cond      sync.Cond // broadcast when a field changes that the flusher or an Append awaits
	segments  []segment // in order; after Start the last is the current segment
	stage     stage
	err       error  // first failure of a write or sync, never cleared
	last      uint64 // last appended sequence number
	durable   uint64 // highest synced sequence number
	offset    int64  // of the next frame in its segment
	pending   *group // not yet taken by the flusher
	spare     []byte // buffer of the next group
	requested bool   // a flush of pending, which has records, is due
	flushing  bool   // the flusher holds a group
	running   bool   // the flusher runs
}

// stage is the state of a log, which determines the calls it accepts.
type stage int

const (
	opened stage = iota
	replayed
	started
	closed
)

// Open lists the segments in dir, which it creates if missing. It writes nothing
// else: Open and Replay leave a log unchanged.
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
	// The process that created dir may have crashed before this sync.
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

// Bytes returns the size of the live segments.
func (l *Log) Bytes() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	var n int64
	for _, s := range l.segments {
		n += s.bytes
	}
	return n
}

// Err returns the failure that made the log unusable, or nil.
func (l *Log) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// ready returns nil if the log accepts writes, else the reason. It requires mu.
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

// fail makes err the result of all waiting and later calls. A failed write or sync
// is never repeated: the kernel may have dropped the dirty pages, and a second sync
// would then succeed without having stored them.
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
