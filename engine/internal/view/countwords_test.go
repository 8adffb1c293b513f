package view_test

// Counts of words that were given up.

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/enginetest"
)

// A count of words that was cancelled is not taken for a count.
func TestCancelledCountOfWords(t *testing.T) {
	db := enginetest.Open(t, enginetest.Options(vfs.NewMem()))
	defer db.Close()
	for i := range 50 {
		if err := db.Put(t.Context(), api.Document{ID: fmt.Sprint(i), Text: fmt.Sprintf("word%d in a text", i)}); err != nil {
			t.Fatal(err)
		}
	}
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	v, err := enginetest.View(s).View("")
	if err != nil {
		t.Fatal(err)
	}
	if f, err := enginetest.View(s).Frequencies(&endsSecond{Context: t.Context()}, v); !errors.Is(err, context.Canceled) {
		t.Fatalf("Frequencies with a context that ends = %v, %v", f, err)
	}
	f, err := enginetest.View(s).Frequencies(t.Context(), v)
	if err != nil || f.N != 50 || len(f.Have) != 51 {
		t.Errorf("Frequencies after a cancelled count = %+v, %v, want 51 words of 50 sets", f, err)
	}
}

// endsSecond is a context that has ended when someone asks for the second time:
// after the wait for others that count, before the counting.
type endsSecond struct {
	context.Context
	asked int
}

func (e *endsSecond) Done() <-chan struct{} {
	if e.asked++; e.asked == 1 {
		return nil
	}
	ended := make(chan struct{})
	close(ended)
	return ended
}

func (e *endsSecond) Err() error {
	if e.asked > 1 {
		return context.Canceled
	}
	return nil
}
