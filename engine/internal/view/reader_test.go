// Readers of sets, on a store that has been opened again.

package view_test

import (
	"context"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/enginetest"
)

// A reader of bags answers the same in whatever order it is asked, also twice
// for one set.
func TestBagReaderAgain(t *testing.T) {
	o := enginetest.Options(vfs.NewMem())
	db := enginetest.Open(t, o)
	want := []string{"a", "b", "c"}
	for _, id := range want {
		if err := db.Put(context.Background(), api.Document{ID: id, Text: "one text for all"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil { // so that no bag is in memory
		t.Fatal(err)
	}
	db = enginetest.Open(t, o)
	defer db.Close()
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	v, err := enginetest.View(s).View("")
	if err != nil {
		t.Fatal(err)
	}
	r := enginetest.View(s).Reader(v)
	defer r.Close()
	for i := range 3 * len(want) {
		documents := i % (len(want) + 1) // 0: all
		some := want[:documents]
		if documents == 0 {
			some = want
		}
		bag, ids, err := r.WithIDs(0, uint32(documents))
		if err != nil || !slices.Equal(ids, some) || len(bag.Set) != 2 {
			t.Errorf("time %d: withIDs of %d = %v, %q, %v", i, documents, bag, ids, err)
		}
		if text, err := r.Text(0); err != nil || text != "one text for all" {
			t.Errorf("time %d: text = %q, %v", i, text, err)
		}
		if ids, err := r.IDs(0, nil); err != nil || !slices.Equal(ids, want) {
			t.Errorf("time %d: ids = %q, %v", i, ids, err)
		}
	}
}
