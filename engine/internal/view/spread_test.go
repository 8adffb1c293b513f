package view_test

// Documents from an id on, and some that stand for all.

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/enginetest"
)

func TestInfosFrom(t *testing.T) {
	db := enginetest.Open(t, enginetest.Options(vfs.NewMem()))
	for _, id := range []string{"a", "ab", "b", "b\x00", "b\xff", "c"} {
		if err := db.Put(context.Background(), api.Document{ID: id, Text: "one two three " + id}); err != nil {
			t.Fatal(err)
		}
	}
	defer db.Close()
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for from, want := range map[string][]string{
		"":       {"a", "ab", "b", "b\x00", "b\xff", "c"},
		"a\x00":  {"ab", "b", "b\x00", "b\xff", "c"},
		"b":      {"b", "b\x00", "b\xff", "c"},
		"b\xff":  {"b\xff", "c"},
		"c\x00":  nil,
		"\xff\n": nil,
	} {
		var got []string
		for info, err := range s.InfosFrom(context.Background(), "docs", from) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, info.ID)
		}
		if !slices.Equal(got, want) {
			t.Errorf("InfosFrom(%q) = %q, want %q", from, got, want)
		}
	}
}

// A sample is of documents that are there, each once, from early and late ones; equal
// shingles count once, as those of empty texts.
func TestSpread(t *testing.T) {
	ctx := context.Background()
	db := enginetest.Open(t, enginetest.Options(vfs.NewMem()))
	for i := range 100 {
		docs := []api.Document{
			{ID: fmt.Sprintf("%03d", i), Text: fmt.Sprintf("one two number%d", i)},
			{ID: fmt.Sprintf("%03d again", i), Text: fmt.Sprintf("one two number%d", i)},
			{ID: fmt.Sprintf("%03d empty", i)},
		}
		if err := db.Put(ctx, docs...); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Delete(ctx, "docs", "050", "050 again"); err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for n, want := range map[int]int{0: 0, 1: 1, 10: 10, 99: 99, 1000: 100} {
		ids, err := s.Spread(ctx, "docs", n)
		if err != nil || len(ids) != want {
			t.Fatalf("Spread(%d) = %d ids, %v, want %d", n, len(ids), err, want)
		}
		for i, id := range ids {
			if _, err := s.Info("docs", id); err != nil || len(id) != 3 && id != "000 empty" || i > 0 && ids[i-1] >= id {
				t.Errorf("Spread(%d) has %q after %q: %v", n, id, ids[max(i-1, 0)], err)
			}
		}
	}
	if ids, _ := s.Spread(ctx, "docs", 10); ids[0] != "000" || ids[9] < "085" {
		t.Errorf("Spread(10) = %q, want early and late ones", ids)
	}
}
