package view

// Room for texts that are analysed side by side. How many that are must depend on the
// memory setting, not on the cores.

import (
	"context"

	"golang.org/x/sync/semaphore"
)

// AnalysisBytes is about what the analysis of a text takes in memory for each of its
// bytes: the text twice, its tokens, their hashes, and these sorted. Measured with texts of
// 15 MB: 26 for words and for characters, 61 for words of one letter.
const AnalysisBytes = 32

// smallText is the length of texts that take no room: there is one at most for each
// core, and asking for room would cost more than it saves.
const smallText = 16 << 10

func nothing() {}

// room is the memory for analyses.
type room struct {
	bytes int64
	free  *semaphore.Weighted
}

func newRoom(memoryBytes int64) room {
	bytes := max(memoryBytes/2, 1)
	return room{bytes, semaphore.NewWeighted(bytes)}
}

// AnalysisRoom is how many bytes all analyses under way may take.
func (s *Shared) AnalysisRoom() int64 { return s.room.bytes }

// Analysing waits until there is room to analyse a text of so many bytes, and takes it
// until done is called. A text that is too large for all the room goes alone. Whoever
// has room must not wait for more.
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

// roomFor is what the analysis of a text takes of the room.
func (s *Shared) roomFor(textBytes int64) int64 {
	if textBytes < s.room.bytes/AnalysisBytes {
		return max(textBytes, 0) * AnalysisBytes
	}
	return s.room.bytes
}

// OnAnalysis lets a test see what room is taken and given back. It is called before
// the store is used.
func (s *Shared) OnAnalysis(seen func(bytes int64)) { s.analysed = seen }
