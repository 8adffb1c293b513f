package segment

import (
	"context"

	"golang.org/x/sync/semaphore"
)

// Once holds something that is made when it is first asked for. Others who ask wait for it,
// as long as their contexts let them; if it could not be made, the next one tries.
type Once[T any] struct {
	making *semaphore.Weighted // for one; a mutex that one can stop waiting for
	is     bool
	made   T
}

// NewOnce holds nothing yet.
func NewOnce[T any]() *Once[T] { return &Once[T]{making: semaphore.NewWeighted(1)} }

// Get returns what was made, or makes it.
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
