package view

// Cancellable analysis of long texts, in a goroutine apart from the caller.

import (
	"context"
	"runtime"
)

// LongText is the length in bytes from which an analysis may delay a cancelled caller noticeably.
// The slowest analyses take 100 ms per MB.
const LongText = 256 << 10

// Apart runs work on texts of textBytes in total, and returns early if the context ends or the
// store closes. The pure packages take no contexts, so abandoned work runs to its end, for a few
// seconds at most, and occupies its room until then. work may therefore use only
// garbage-collected memory: no Pebble object, no mapped file.
func Apart[T any](ctx context.Context, s *Shared, textBytes int64, work func() (T, error)) (T, error) {
	var zero T
	if err := s.Interrupted(ctx); err != nil {
		return zero, err
	}
	if textBytes < LongText {
		return work()
	}
	type result struct {
		value    T
		err      error
		panicked any // panic value, for instance of a caller's extractor
		whole    bool
	}
	ended := make(chan result, 1)
	go func() {
		var r result
		defer func() {
			if !r.whole {
				r.panicked = recover()
			}
			ended <- r
		}()
		r.value, r.err = work()
		r.whole = true
	}()
	select {
	case r := <-ended:
		switch {
		case r.whole:
			return r.value, r.err
		case r.panicked == nil:
			runtime.Goexit() // work called Goexit
		}
		panic(r.panicked)
	case <-ctx.Done():
	case <-s.Closing.Done():
	}
	s.keepRoom(textBytes, func() { <-ended })
	return zero, s.Interrupted(ctx)
}

// keepRoom reserves the room of abandoned work until it ends. The caller releases its own
// reservation, and keepRoom takes over before any other analysis can.
func (s *Shared) keepRoom(textBytes int64, wait func()) {
	ctx, cancel := context.WithCancel(context.Background())
	taken := make(chan bool, 1)
	n := s.roomFor(textBytes)
	// Acquire succeeds once the caller releases its own reservation, so it must not block here.
	go func() { taken <- s.room.free.Acquire(ctx, n) == nil }()
	go func() {
		wait()
		cancel()
		if <-taken {
			s.room.free.Release(n)
		}
	}()
}
