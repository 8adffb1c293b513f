package view

import (
	"context"
	"errors"
	"testing"
)

// A caller whose context ends does not wait for the work, and the room of the work is not
// given to others before it has ended.
func TestApart(t *testing.T) {
	s, err := NewShared(t.Context(), NewMemory(1<<20, 1<<20), 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	done, err := s.Analysing(t.Context(), LongText)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	begun, end := make(chan bool), make(chan bool)
	go func() { <-begun; cancel() }()
	_, err = Apart(ctx, s, LongText, func() (int, error) {
		begun <- true
		<-end
		return 1, nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("Apart = %v, want the error of the context", err)
	}
	done()
	taken := make(chan error)
	go func() {
		give, err := s.Analysing(t.Context(), LongText)
		if err == nil {
			give()
		}
		taken <- err
	}()
	close(end)
	if err := <-taken; err != nil {
		t.Error(err)
	}
	if n, err := Apart(t.Context(), s, LongText, func() (int, error) { return 2, nil }); n != 2 || err != nil {
		t.Errorf("Apart = %d, %v, want 2", n, err)
	}
	defer func() {
		if recover() != "of the work" {
			t.Error("a panic of the work does not come to its caller")
		}
	}()
	_, _ = Apart(t.Context(), s, LongText, func() (int, error) { panic("of the work") })
}
