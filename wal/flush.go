package wal

// Writing groups to disk, in a goroutine that runs only while records are pending.

import (
	"fmt"
	"runtime"
)

// maxIdleBytes bounds the buffer of an idle log: a process may have many logs.
const maxIdleBytes = 64 << 10

// flush starts the flusher unless it is running. It requires mu.
func (l *Log) flush() {
	if !l.running {
		l.running = true
		go l.flusher()
	}
}

// flusher writes and syncs one group after the other; records appended during a
// sync form the next group. It returns when no flush is requested, or the log has
// failed.
//
// No waiter takes this role, because a waiter must be able to leave when its
// context ends. It would also be slower: a single writer would save 0 to 45 µs of
// wake-ups, but with 32 writers groups would shrink, and a record would take 7 µs
// instead of 5.
func (l *Log) flusher() {
	for {
		// Let the waiters of the last group append first: with 32 writers 24
		// records then share a sync instead of 13. A single writer loses nothing.
		runtime.Gosched()
		g := l.take()
		if g == nil {
			return
		}
		err := l.store(g)
		if err != nil {
			l.fail(err)
		}
		l.settle(g, err)
	}
}

// take returns the pending group if a flush was requested or the log is closed, else
// nil, which ends the flusher.
func (l *Log) take() *group {
	l.mu.Lock()
	defer l.mu.Unlock()
	g := l.pending
	if l.err != nil || len(g.frames) == 0 || l.stage == started && !l.requested {
		l.requested, l.running = false, false
		if cap(l.spare) > maxIdleBytes {
			l.spare = nil
		}
		if len(g.frames) == 0 && cap(g.frames) > maxIdleBytes {
			g.frames = nil
		}
		l.cond.Broadcast()
		return nil
	}
	l.requested = false
	l.pending = newGroup(l.spare)
	l.spare = nil
	l.flushing = true
	l.cond.Broadcast()
	return g
}

// store writes and syncs the frames of g and advances the mark, in a new segment if
// g starts one. The previous segment is then complete and synced, because each group is
// synced before the next is written.
func (l *Log) store(g *group) error {
	if g.opens != 0 {
		if err := l.rotate(g.opens); err != nil {
			return err
		}
	}
	if _, err := l.file.Write(g.frames); err != nil {
		return fmt.Errorf("wal: %w", err)
	}
	if err := l.file.SyncData(); err != nil {
		return fmt.Errorf("wal: sync: %w", err)
	}
	return l.setMark(g.last)
}

// rotate closes the current segment and creates the one that begins with first.
func (l *Log) rotate(first uint64) error {
	if err := l.closeFile(); err != nil {
		return err
	}
	f, err := createSegment(l.fs, l.dir, first)
	if err != nil {
		return err
	}
	l.file = f
	l.mu.Lock()
	l.segments = append(l.segments, segment{first, segmentHeaderSize})
	l.mu.Unlock()
	return nil
}

// settle records the outcome of a group and wakes its waiters.
func (l *Log) settle(g *group, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.flushing = false
	if err == nil {
		l.durable = g.last
		l.segments[len(l.segments)-1].bytes += int64(len(g.frames))
	}
	// Do not retain the buffer of a huge record.
	if cap(g.frames) <= 2*maxPendingBytes {
		l.spare = g.frames
	}
	g.frames = nil
	g.finish(err)
	l.cond.Broadcast()
}
