package web

import (
	"context"
	"testing"
)

// One overview or report is computed at a time; a client that leaves waits no longer.
func TestOverviewsTakeTurns(t *testing.T) {
	s := newServer(nil)
	leave, err := s.overviews.enter(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.overviews.enter(gone); err != context.Canceled {
		t.Errorf("a second one: %v", err)
	}
	leave()
	if leave, err = s.overviews.enter(t.Context()); err != nil {
		t.Fatal(err)
	}
	leave()
}
