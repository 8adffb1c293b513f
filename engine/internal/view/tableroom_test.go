package view_test

// The memory of cached counts.

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/engine/internal/view"
)

// heapInUse returns the bytes of live objects.
func heapInUse() int64 {
	var m runtime.MemStats
	for range 3 { // finalizers free more
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// Counts of many collections together stay within half of the memory setting, and a dropped count
// is made again.
func TestCountsShareMemory(t *testing.T) {
	const memory, collections, words = 4 << 20, 10, 60_000
	o := enginetest.Options(vfs.NewMem())
	o.MemoryBytes, o.CacheBytes = memory, 1
	db := enginetest.Open(t, o)
	defer db.Close()
	for c := range collections {
		name := fmt.Sprint("c", c)
		if err := db.CreateCollection(t.Context(), name, api.Settings{K: 1}); err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		for w := range words {
			fmt.Fprintf(&text, "w%d ", w)
		}
		var b engine.Batch
		for _, end := range []string{"a", "b"} {
			b.Put(api.Document{Collection: name, ID: end, Text: text.String() + end})
		}
		if _, err := db.Commit(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
	}
	enginetest.Settled(t, db)
	s := enginetest.SnapshotOf(t, db)
	defer s.Close()
	m := enginetest.View(s)
	as := map[string]func(v *view.View) (of func(uint64) uint64, err error){
		"frequencies": func(v *view.View) (func(uint64) uint64, error) {
			c, err := m.ShingleCounts(t.Context(), v)
			if err != nil {
				return nil, err
			}
			return c.Of, nil
		},
		"ignored shingles": func(v *view.View) (func(uint64) uint64, error) {
			c, err := m.ShinglesOf(t.Context(), v, v)
			if err != nil {
				return nil, err
			}
			return c.Of, nil
		},
	}
	var before int64
	for round := range 2 {
		for _, v := range m.Views {
			for name, count := range as {
				of, err := count(v)
				if err != nil {
					t.Fatal(err)
				}
				if set := v.Live(0, v.Table.Len()); len(set) == 2 {
					if n := of(v.Bag("w1").Set[0]); n != 2 {
						t.Errorf("%s of %s: %d documents, want 2", name, v.Name, n)
					}
				}
			}
			if before == 0 { // the first collection has its counts, the pools of the store are filled
				before = heapInUse()
			}
			if held := heapInUse() - before; held > memory/2 {
				t.Errorf("round %d, %s: counts take %d bytes more than those of one collection, want at most %d", round, v.Name, held, memory/2)
			}
		}
	}
}

// Tails of several collections together stay within an eighth of the memory setting, and a dropped
// tail is built again.
func TestTailsShareMemory(t *testing.T) {
	const memory, collections, sets = 8 << 20, 4, 2000
	o := enginetest.Options(vfs.NewMem())
	o.MemoryBytes, o.CacheBytes, o.SegmentSets = memory, 1, 1<<20 // no segments
	db := enginetest.Open(t, o)
	defer db.Close()
	for c := range collections {
		name := fmt.Sprint("c", c)
		if err := db.CreateCollection(t.Context(), name, api.Settings{K: 1}); err != nil {
			t.Fatal(err)
		}
		var b engine.Batch
		for i := range sets {
			var text strings.Builder
			for w := range 60 {
				fmt.Fprintf(&text, "w%d ", i+w*sets)
			}
			b.Put(api.Document{Collection: name, ID: fmt.Sprint(i), Text: text.String()})
		}
		if _, err := db.Commit(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
	}
	s := enginetest.SnapshotOf(t, db)
	defer s.Close()
	m := enginetest.View(s)
	var before, one int64
	for round := range 2 {
		for _, v := range m.Views {
			if v.Postings.Built > 0 || v.Tail != sets {
				t.Fatalf("%s: a tail of %d sets, want %d", v.Name, v.Tail, sets)
			}
			if before == 0 {
				before = heapInUse()
			}
			segments, _, err := m.Whole(t.Context(), v, 0)
			if err != nil || len(segments) == 0 {
				t.Fatal(len(segments), err)
			}
			held := heapInUse() - before
			if one == 0 {
				one = held
			}
			if most := max(memory/8, one) + one/2; held > most {
				t.Errorf("round %d, %s: tails take %d bytes, the first %d, want at most %d", round, v.Name, held, one, most)
			}
			runtime.KeepAlive(segments)
		}
	}
}
