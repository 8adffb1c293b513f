package disk

import (
	"context"
	"testing"
)

// lateContext is that of an Open which ends, and of a Close behind it, both while the
// context is being asked.
type lateContext struct {
	context.Context
	o *opening
}

func (c lateContext) Err() error {
	c.o.ended.Store(true)
	return context.Canceled
}

// A read that begins while the store is opened and ends when it is closed again does not
// fail: that would poison the store.
func TestReadBesideOpenAndClose(t *testing.T) {
	o := &opening{}
	o.ctx = lateContext{t.Context(), o}
	if err := o.cancelled(); err != nil {
		t.Errorf("the read fails: %v", err)
	}
}
