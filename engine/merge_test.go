// Which segments are merged.

package engine

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/segment"
	"github.com/simdb/simdb/engine/internal/testmodel"
	"github.com/simdb/simdb/index"
)

// Segments come one by one and are merged as far as can be: they stay few, and no
// set is written often.
func TestMergeableKeepsFewSegments(t *testing.T) {
	for by, most := range map[uint32]struct{ segments, written int }{growsBy: {12, 8}, conditionalGrowsBy: {21, 3}} {
		var segments []*segment.Segment
		written := map[uint32]int{} // by first set, how often those of the first segment of all were
		for i := range uint32(1000) {
			segments = append(segments, &segment.Segment{Segment: &index.Segment{Lo: 10 * i, Hi: 10*i + 10, Sets: 10}, Dead: new(atomic.Int64)})
			for first, n := mergeable(segments, by); n > 0; first, n = mergeable(segments, by) {
				merged := &index.Segment{Lo: segments[first].Lo, Hi: segments[first+n-1].Hi}
				merged.Sets = merged.Hi - merged.Lo
				segments = slices.Replace(segments, first, first+n, &segment.Segment{Segment: merged, Dead: new(atomic.Int64)})
				for lo := merged.Lo; lo < merged.Hi; lo += 10 {
					written[lo]++
				}
			}
			if len(segments) > most.segments {
				t.Fatalf("by %d: %d segments after %d", by, len(segments), i+1)
			}
		}
		for lo, n := range written {
			if n > most.written {
				t.Fatalf("by %d: set %d was written %d times more", by, lo, n)
			}
		}
	}
}

// What a load leaves that did not end is merged at once, not again and again.
func TestMergeableTakesLikeOnes(t *testing.T) {
	segments := []*segment.Segment{{Segment: &index.Segment{Hi: 50, Sets: 50}, Dead: new(atomic.Int64)}}
	for i := range uint32(1000) {
		segments = append(segments, &segment.Segment{Segment: &index.Segment{Lo: 50 + 10*i, Hi: 60 + 10*i, Sets: 10 - i%2}, Dead: new(atomic.Int64)})
	}
	if first, n := mergeable(segments, growsBy); first > 1 || n < 999 {
		t.Errorf("%d segments from %d are merged of 1,000 like ones", n, first)
	}
	if _, n := mergeable(segments[:500], loadGrowsBy); n != 0 {
		t.Errorf("a load merges %d segments on its way", n)
	}
}

// A tail that becomes long during a merge becomes segments before that ends. What is put and
// deleted meanwhile, also while a segment is written, is found, or not, as it should be.
func TestSegmentsBesideMerge(t *testing.T) {
	ctx := context.Background()
	var writing func() // called by who writes a segment
	db := openTest(t, testOptions(errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind == errorfs.OpFileWrite && writing != nil && strings.HasSuffix(op.Path, ".seg") {
			writing()
		}
		return nil
	}))))
	defer db.Close()
	fillTexts(t, db, 100)
	if err := db.builder.building.Acquire(ctx, 1); err != nil {
		t.Fatal(err)
	}
	release := sync.OnceFunc(func() { db.builder.building.Release(1) })
	defer release()
	s := db.snapshot()
	defer s.close()
	b := newBuild(db, s, 0)
	parts, built := len(b.old.Segments), b.old.Built
	g := &testmodel.Texts{Rng: rand.New(rand.NewPCG(9, 10))}
	for i := range 60 {
		if err := db.Put(ctx, api.Document{ID: fmt.Sprint("e", i), Text: g.Next()}); err != nil {
			t.Fatal(err)
		}
		if i%3 == 0 {
			if err := db.Delete(ctx, fmt.Sprint("d", i)); err != nil {
				t.Fatal(err)
			}
		}
	}
	late := 0
	writing = func() {
		if late++; late < 20 {
			err := errors.Join(db.Delete(ctx, fmt.Sprint("d", 3*late+1)), db.Delete(ctx, fmt.Sprint("e", 3*late)))
			if err != nil {
				t.Error(err)
			}
		}
	}
	err := b.end(b.merge(ctx, 0, parts))
	if writing = nil; err != nil || late < 2 {
		t.Fatal(err, late)
	}
	now := b.c.postings
	if now.Segments[0].Hi != built || len(now.Segments) < 2 || now.Built != now.Segments[len(now.Segments)-1].Hi {
		t.Errorf("%d segments after the merge, up to set %d; %d were merged, up to %d", len(now.Segments), now.Built, parts, built)
	}
	release()
	checkClean(t, db, "after a merge and segments beside it")
	after, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer after.Close()
	q := Search{Min: api.Ratio(1, 4), Access: api.AccessScan}
	want := pairRows(t, after, q)
	if q.Access = api.AccessPostings; len(want) == 0 || !reflect.DeepEqual(pairRows(t, after, q), want) {
		t.Errorf("pairs by postings differ from %d pairs by scan", len(want))
	}
}

// A segment of the tail ends with a slab of the table, if it is of several: no slab is then in
// two segments, and in memory.
func TestSegmentsEndWithSlabs(t *testing.T) {
	o := wholeOptions(vfs.NewMem())
	o.SegmentSets = 1500
	db := openTest(t, o)
	defer db.Close()
	g := &testmodel.Texts{Rng: rand.New(rand.NewPCG(11, 12))}
	putMany(t, db, g, 0, 1500)
	settled(t, db)
	putMany(t, db, g, 1500, 5500)
	settled(t, db)
	segments := db.collections[api.DefaultCollection].postings.Segments
	for _, s := range segments {
		if s.Hi%index.SlabSets != 0 && s.Hi > 1500 {
			t.Errorf("a segment ends at set %d", s.Hi)
		}
	}
	if last := segments[len(segments)-1].Hi; last < 5*index.SlabSets {
		t.Errorf("segments end at set %d", last)
	}
}

// Merged segments that outweigh a memtable are deleted without a Close.
func TestMergedSegmentsAreDeleted(t *testing.T) {
	ctx := context.Background()
	o := testOptions(vfs.NewMem())
	o.memTableBytes = 8 << 10
	db := openTest(t, o)
	defer db.Close()
	fillTexts(t, db, 300)
	for range 2 {
		if err := db.rebuildAll(ctx); err != nil {
			t.Fatal(err)
		}
		if err := db.removeRetired(ctx); err != nil {
			t.Fatal(err)
		}
		if numbers, waiting, err := db.removable(); err != nil || len(numbers) > 0 || waiting > o.memTableBytes {
			t.Fatalf("segments %v stay, %d bytes wait, error %v", numbers, waiting, err)
		}
	}
}
