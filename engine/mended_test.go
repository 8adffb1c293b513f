package engine

import (
	"context"
	"errors"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Going through a collection for its fields ends with the caller's context.
func TestFieldsHeedTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	db := openTest(t, testOptions(vfs.NewMem()))
	defer db.Close()
	if err := db.Put(ctx, Document{ID: "a", Text: "x", Meta: Meta{"year": 1999}}); err != nil {
		t.Fatal(err)
	}
	s, _ := db.Snapshot()
	defer s.Close()
	if got, err := s.Fields(ctx, ""); err != nil || len(got) != 1 || got[0] != "year" {
		t.Errorf("Fields = %v, %v, want year", got, err)
	}
	cancel()
	if got, err := s.Fields(ctx, ""); !errors.Is(err, context.Canceled) {
		t.Errorf("Fields with an ended context = %v, %v", got, err)
	}
}
