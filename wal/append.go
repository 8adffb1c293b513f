package wal

// Appending records. Records appended during a sync form a group and share the
// next sync.

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// maxPendingBytes bounds the pending group: Append blocks while it is full.
// The group being written may be as large again.
const maxPendingBytes = 8 << 20

// A group holds the records that share a sync.
type group struct {
	frames []byte
	last   uint64 // sequence number of its last record
	opens  uint64 // first sequence number of the segment that the group starts; 0: it starts none
	err    error  // valid once done is closed
	done   chan struct{}
}

// newGroup returns an empty group that reuses the capacity of buf.
func newGroup(buf []byte) *group {
	return &group{frames: buf[:0], done: make(chan struct{})}
}

// finish wakes all waiters with the outcome of the group; nil: it is durable.
func (g *group) finish(err error) {
	g.err = err
	close(g.done)
}

// A Ticket identifies an appended record. It may be copied.
type Ticket struct {
	log   *Log
	group *group
}

// Append adds a record with sequence number seq, which must be the successor of
// the last. It copies payload, and returns without waiting for the disk unless
// 8 MiB are pending. The record is durable once Wait on the ticket returns nil.
// Without a Wait it becomes durable together with a later record, or in Close.
// ErrTooLarge: payload exceeds MaxRecordBytes.
func (l *Log) Append(seq uint64, payload []byte) (Ticket, error) {
	if err := checkLength(len(payload)); err != nil {
		return Ticket{}, err
	}
	sum := payloadSum(payload)
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.err == nil && l.stage == started && len(l.pending.frames) >= maxPendingBytes {
		l.request()
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

// checkLength refuses payloads that the length of a frame cannot hold.
func checkLength(n int) error {
	if n > MaxRecordBytes {
		return fmt.Errorf("%w: %d bytes, the limit is %d", ErrTooLarge, n, MaxRecordBytes)
	}
	return nil
}

// Wait blocks until the record is on stable storage. If ctx ends first, Wait
// returns its error, and the record may still become durable. If the log has
// failed, every Wait returns that failure.
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

// want requests a flush of g, unless the flusher has taken it.
func (l *Log) want(g *group) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if g == l.pending && l.err == nil {
		l.request()
	}
}

// request makes the flusher take the pending group, if it holds records. It requires mu.
func (l *Log) request() {
	if !l.requested && len(l.pending.frames) > 0 {
		l.requested = true
		l.flush()
	}
}

// Close makes all appended records durable and closes the log. It returns the
// failure that made the log unusable, if any. A second Close returns the same.
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
