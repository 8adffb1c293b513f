package view

// Work on a long text apart from its caller, who must not wait for its end when the
// context ends.

import (
	"context"
	"runtime"
)

// LongText is the length, in bytes, from which the analysis of a text may take longer than a caller
// may be kept waiting. The slowest take 100 ms for each MB.
const LongText = 256 << 10

// Apart does work on texts of so many bytes in all, and returns as soon as the context ends
// or the store closes. The pure packages know no contexts, so the work itself goes on to
// its end: a few seconds at most, in memory that stays taken from the room. It may use
// what Go's collector keeps, nothing that someone closes: no Pebble, no mapped file.
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
		panicked any // by an extractor that a caller brought
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
			runtime.Goexit() // as the work did
		}
		panic(r.panicked)
	case <-ctx.Done():
	case <-s.Closing.Done():
	}
	s.leave(textBytes, func() { <-ended })
	return zero, s.Interrupted(ctx)
}

// leave takes the room of work that nobody waits for, until it has ended. Its caller gives
// back what it has, and no one else gets that before.
func (s *Shared) leave(textBytes int64, wait func()) {
	ctx, cancel := context.WithCancel(context.Background())
	taken := make(chan bool, 1)
	n := s.roomFor(textBytes)
	go func() { taken <- s.room.free.Acquire(ctx, n) == nil }()
	go func() {
		wait()
		cancel()
		if <-taken {
			s.room.free.Release(n)
		}
	}()
}
