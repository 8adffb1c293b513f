package engine

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/index/join"
	"github.com/simdb/simdb/measure"
	"github.com/simdb/simdb/sketch"
)

// All ways of a join give the same pairs, and so do wide signatures.
func TestJoinsAgree(t *testing.T) {
	ctx := context.Background()
	db := openTest(t, testOptions(vfs.NewMem()))
	defer db.Close()
	for i := range 120 {
		text := ""
		for w := range 30 {
			if w < 3*(i%4) {
				text += fmt.Sprint(" own", i, "word", w)
			} else {
				text += fmt.Sprint(" w", i/4*100+w)
			}
		}
		if err := db.Put(ctx, Document{ID: fmt.Sprint(i), Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	settled(t, db)
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, at := range []measure.Threshold{measure.Ratio(1, 2), measure.Ratio(4, 5)} {
		var want []PairMatch
		for _, access := range []Access{AccessScan, AccessPrefix, AccessSignature, AccessAuto} {
			r, err := s.Pairs(ctx, Search{Min: at, Access: access})
			if err != nil {
				t.Fatal(err)
			}
			var got []PairMatch
			for m, err := range r.All {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, m)
			}
			if access == AccessScan {
				want = got
			}
			if len(got) == 0 || !slices.Equal(got, want) {
				t.Errorf("pairs at %s by %q = %d rows, want %d", at, access, len(got), len(want))
			}
		}
		views, err := s.viewsOf(nil)
		if err != nil {
			t.Fatal(err)
		}
		ranks := join.Rank(views[0].table, at, nil)
		memory := &joinMemory{}
		defer memory.Free()
		made, err := s.wideSignatures(ctx, views[0], ranks, memory)
		if err != nil || made == nil {
			t.Fatalf("wideSignatures: %v", err)
		}
		r := s.bags(views[0])
		defer r.close()
		for _, set := range views[0].live(0, views[0].next) {
			bag, err := r.once(set)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(made(set), sketch.AppendWide(nil, bag.Set, ranks.WideWords(uint64(len(bag.Set))))) {
				t.Errorf("wide signature of set %d is not that of its bag", set)
			}
		}
	}
}
