// These tests check that long calls look at their context while they compute: a call
// that never looks cannot be given up.

package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/engine/internal/testmodel"
)

// countdown is a context that ends after it was looked at so many times.
type countdown struct {
	context.Context
	left atomic.Int64
}

func endsAfter(looks int64) *countdown {
	c := &countdown{Context: context.Background()}
	c.left.Store(looks)
	return c
}

func (c *countdown) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// manySentences are so many sentences of their own.
func manySentences(n int, word string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "The %s number %d has a neighbour whose name is %d. ", word, i, i*i)
	}
	return b.String()
}

func TestLongCallsHeedTheContext(t *testing.T) {
	db := enginetest.Open(t, enginetest.Options(vfs.NewMem()))
	defer db.Close()
	a, b := manySentences(6000, "house"), manySentences(6000, "garden")
	if err := db.Put(context.Background(), api.Document{ID: "a", Text: a}, api.Document{ID: "b", Text: b}); err != nil {
		t.Fatal(err)
	}
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	far := testmodel.By(api.Versions, api.Args{Bits: 8})
	var docs engine.Batch
	for i := range 50 {
		docs.Put(api.Document{ID: fmt.Sprint(i), Text: fmt.Sprint("a short text with the number ", i)})
	}
	for _, c := range []struct {
		what  string
		looks int64 // at least
		call  func(context.Context) error
	}{
		{"comparing many sentences", 8, func(ctx context.Context) error {
			_, err := s.CompareBy(ctx, api.ByID("a"), api.ByID("b"), nil, []api.Method{far}, api.Ignoring{})
			return err
		}},
		{"searching by many sentences", 8, func(ctx context.Context) error {
			r, err := s.Similar(ctx, api.ByID("a"), engine.Search{Measure: far.Measure, Args: far.Args, Min: api.Ratio(9, 10)})
			if err != nil {
				return err
			}
			for _, err := range r.All {
				if err != nil {
					return err
				}
			}
			return nil
		}},
		{"explaining a search for a text", 1, func(ctx context.Context) error {
			_, err := s.Explain(ctx, api.ByText(a), engine.Search{Min: api.Ratio(9, 10)})
			return err
		}},
		{"searching for a text", 1, func(ctx context.Context) error {
			_, err := s.Similar(ctx, api.ByText(a), engine.Search{Min: api.Ratio(9, 10)})
			return err
		}},
		{"analysing a batch", 50, func(ctx context.Context) error {
			_, err := db.Commit(ctx, &docs)
			return err
		}},
	} {
		for looks := range c.looks {
			if err := c.call(endsAfter(looks)); !errors.Is(err, context.Canceled) {
				t.Errorf("%s, ended after %d looks = %v, want context.Canceled", c.what, looks, err)
				break
			}
		}
		if err := c.call(context.Background()); err != nil {
			t.Errorf("%s: %v", c.what, err)
		}
	}
}
