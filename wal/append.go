package wal

// This file appends records. Records that come while the disk syncs form a
// group and share the next sync.

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// maxPendingBytes bounds the bytes that wait to be written. Append blocks while
// so many are pending. As many again may be on their way to the disk.
const maxPendingBytes = 8 << 20

// A group is the records that one sync makes durable together.
type group struct {
	frames []byte
	last   uint64 // sequence number of its last record
	opens  uint64 // not 0: the group starts a new segment with this first sequence number
	err    error  // valid once done is closed
	done   chan struct{}
}

func newGroup(buf []byte) *group {
	return &group{frames: buf[:0], done: make(chan struct{})}
}

// finish tells all waiters that the group is durable, or why not.
func (g *group) finish(err error) {
	g.err = err
	close(g.done)
}

// A Ticket stands for an appended record.
type Ticket struct {
	log   *Log
	group *group
}

// Append adds a record with sequence number seq, which must be one more than
// the last. It keeps no reference to payload. It does not wait for the disk,
// unless 8 MiB are pending already. The record is durable once Wait on the
// ticket returns nil. A record that no one waits for becomes durable together
// with a later one, or in Close.
func (l *Log) Append(seq uint64, payload []byte) (Ticket, error) {
	if err := checkLength(len(payload)); err != nil {
		return Ticket{}, err
	}
	sum := payloadSum(payload)
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.err == nil && l.stage == started && len(l.pending.frames) >= maxPendingBytes {
		l.ask()
		l.cond.Wait()
	}
	if err := l.ready(); err != nil {
		return Ticket{}, err
	}
	if seq != l.last+1 {
		return Ticket{}, fmt.Errorf("wal: append of %d after %d", seq, l.last)
	}
	g := l.pending
	if len(g.frames) == 0 && l.offset >= l.opts.SegmentBytes {
		g.opens = seq
		l.offset = segmentHeaderSize
	}
	size := frameHeadSize + len(payload)
	head := frameHead{payloadSum: sum, length: uint32(len(payload)), seq: seq, synced: l.durable}
	g.frames = head.append(slices.Grow(g.frames, size), l.offset)
	g.frames = append(g.frames, payload...)
	g.last = seq
	l.last = seq
	l.offset += int64(size)
	return Ticket{l, g}, nil
}

func checkLength(n int) error {
	if n > MaxRecordBytes {
		return fmt.Errorf("%w: %d bytes, the limit is %d", ErrTooLarge, n, MaxRecordBytes)
	}
	return nil
}

// Wait blocks until the record is on stable storage, and then returns nil. If
// ctx ends first, it returns its error, and the record may still become
// durable. If the log fails, Wait returns that error, then and ever after.
func (t Ticket) Wait(ctx context.Context) error {
	if t.group == nil {
		return errors.New("wal: wait for a record that was not appended")
	}
	t.log.want(t.group)
	select {
	case <-t.group.done:
		return t.group.err
	case <-ctx.Done():
	}
	select {
	case <-t.group.done:
		return t.group.err
	default:
		return ctx.Err()
	}
}

// want asks for g to be flushed, unless the flusher has taken it.
func (l *Log) want(g *group) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if g == l.pending && l.err == nil {
		l.ask()
	}
}

// ask has the flusher take what is pending, if anything is. It needs mu.
func (l *Log) ask() {
	if !l.asked && len(l.pending.frames) > 0 {
		l.asked = true
		l.flush()
	}
}

// Close makes everything that was appended durable, and closes the log. It
// returns the error that made the log unusable, if there is one. It does so
// also when it is called again.
func (l *Log) Close() error {
	l.mu.Lock()
	l.stage = closed
	if l.err == nil && len(l.pending.frames) > 0 {
		l.flush()
	}
	l.cond.Broadcast()
	for l.running {
		l.cond.Wait()
	}
	l.mu.Unlock()
	l.dirMu.Lock()
	defer l.dirMu.Unlock()
	if err := errors.Join(l.closeFile(), l.closeMark()); err != nil {
		l.fail(err)
	}
	return l.Err()
}
