package view

// Room for concurrent analyses. The memory setting bounds how many run at a time, rather than the
// number of cores, so that machines with many cores do not run out of memory.

import (
	"context"

	"golang.org/x/sync/semaphore"
)

// AnalysisBytes is the approximate memory of an analysis per byte of text: the text twice, its
// tokens, and their hashes, also sorted. Measured with texts of 15 MB: 26 for words and for
// characters, 61 for words of one letter.
const AnalysisBytes = 32

// smallText is the length in bytes up to which texts need no room: at most one per core is in
// progress, and the reservation would cost more than it saves.
const smallText = 16 << 10

// nothing is the release function of a small text, for which no room is reserved.
func nothing() {}

// room is the memory for analyses, with its semaphore.
type room struct {
	bytes int64
	free  *semaphore.Weighted
}

// newRoom gives analyses half of the memory setting.
func newRoom(memoryBytes int64) room {
	bytes := max(memoryBytes/2, 1)
	return room{bytes, semaphore.NewWeighted(bytes)}
}

// AnalysisRoom returns the room for all concurrent analyses in bytes.
func (s *Shared) AnalysisRoom() int64 { return s.room.bytes }

// Analysing waits for room to analyse a text of so many bytes and reserves it until the caller
// calls done. A text larger than all the room runs alone. A caller that holds room must not wait for
// more, or two such callers may wait for each other forever.
func (s *Shared) Analysing(ctx context.Context, textBytes int64) (done func(), err error) {
	n := s.roomFor(textBytes)
	if err := s.Interrupted(ctx); err != nil {
		return nil, err
	}
	if textBytes <= smallText {
		return nothing, nil
	}
	if err := s.room.free.Acquire(ctx, n); err != nil {
		return nil, s.ClosedOr(err)
	}
	if s.analysed != nil {
		s.analysed(n)
	}
	return func() {
		if s.analysed != nil {
			s.analysed(-n)
		}
		s.room.free.Release(n)
	}, nil
}

// roomFor returns the room that a text needs.
func (s *Shared) roomFor(textBytes int64) int64 {
	if textBytes < s.room.bytes/AnalysisBytes {
		return max(textBytes, 0) * AnalysisBytes
	}
	return s.room.bytes
}

// OnAnalysis sets a test hook for reservations (positive) and releases (negative). Call it before
// using the store.
func (s *Shared) OnAnalysis(seen func(bytes int64)) { s.analysed = seen }
