package segment

import (
	"context"

	"golang.org/x/sync/semaphore"
)

// Once holds a value that is computed at the first Get. Concurrent callers wait, unless their
// contexts end; after a failure the next caller tries again. Safe for concurrent use.
type Once[T any] struct {
	making *semaphore.Weighted // of weight 1: a mutex with a cancellable wait
	is     bool
	made   T
}

// NewOnce returns an empty Once.
func NewOnce[T any]() *Once[T] { return &Once[T]{making: semaphore.NewWeighted(1)} }

// Get returns the value, computed with fill if there is none yet.
func (o *Once[T]) Get(ctx context.Context, fill func() (T, error)) (T, error) {
	if err := o.making.Acquire(ctx, 1); err != nil {
		var none T
		return none, err
	}
	defer o.making.Release(1)
	if o.is {
		return o.made, nil
	}
	made, err := fill()
	if err == nil {
		o.made, o.is = made, true
	}
	return made, err
}
