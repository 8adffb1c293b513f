// These tests check that the memory setting, not the number of cores, says how many
// texts are analysed side by side.

package view_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/engine/internal/testmodel"
)

// taken counts the room that analyses take.
type taken struct {
	mu                 sync.Mutex
	now, peak          int64
	analyses           int
	atOnce, mostAtOnce int
}

func (k *taken) add(bytes int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.now += bytes
	if bytes > 0 {
		k.analyses++
		k.atOnce++
	} else {
		k.atOnce--
	}
	k.peak, k.mostAtOnce = max(k.peak, k.now), max(k.mostAtOnce, k.atOnce)
}

// since returns what was taken since the last time.
func (k *taken) since() (analyses, mostAtOnce int, peak int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	analyses, mostAtOnce, peak = k.analyses, k.mostAtOnce, k.peak
	k.analyses, k.mostAtOnce, k.peak = 0, k.atOnce, k.now
	return analyses, mostAtOnce, peak
}

// longTexts are texts of so many bytes, the odd ones like the one before.
func longTexts(n, bytes int) (out []string) {
	rng := rand.New(rand.NewPCG(4, 2))
	for i := range n {
		var b strings.Builder
		for b.Len() < bytes {
			fmt.Fprintf(&b, "w%d ", rng.IntN(5000))
		}
		if i%2 == 1 {
			b.Reset()
			b.WriteString(out[i-1] + "and an end")
		}
		out = append(out, b.String())
	}
	return out
}

func TestMemoryBoundsAnalyses(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(16))
	ctx := context.Background()
	const texts, bytes = 16, 64 << 10
	var k taken
	mem := vfs.NewCrashableMem()
	o := enginetest.Options(mem)
	o.MemoryBytes, o.CacheBytes, *enginetest.Analysed(o) = 10*bytes*32, 1, k.add // room for 5 texts
	room, most := o.MemoryBytes/2, 5
	look := func(what string, least int) {
		t.Helper()
		n, atOnce, peak := k.since()
		if n < least || atOnce > most || peak > room || k.now != 0 {
			t.Errorf("%s: %d analyses, %d at once, of %d bytes, %d not given back; want %d, %d, %d, 0", what, n, atOnce, peak, k.now, least, most, room)
		}
	}
	db := enginetest.Open(t, o)
	if err := db.CreateCollection(ctx, api.DefaultCollection, testmodel.KeepsAll); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i, text := range longTexts(texts, bytes) {
		wg.Go(func() {
			if err := db.Put(ctx, api.Document{ID: fmt.Sprint(i), Text: text}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	enginetest.Settled(t, db)
	k.since()
	crashed := *o
	*enginetest.FS(&crashed) = mem.CrashClone(vfs.CrashCloneCfg{})
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = enginetest.Open(t, &crashed)
	enginetest.Settled(t, db) // the builder analyses too
	look("recovery", texts)
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range []engine.Search{
		{Min: api.Ratio(1, 2)}, {Measure: api.Multiset, Min: api.Ratio(1, 2)},
		{Measure: api.Words, Min: api.Ratio(1, 2)}, {Measure: api.Versions, Min: api.Ratio(1, 2)},
	} {
		if rows := enginetest.PairRows(t, s, q); len(rows) < texts/2 {
			t.Errorf("pairs by %s: %d rows, want %d", q.Measure, len(rows), texts/2)
		}
		look("pairs by "+q.Measure.String(), texts)
	}
	s.Close()
	enginetest.CheckClean(t, db, "in little memory")
	look("check", texts)
	if err := db.Compact(ctx); err != nil {
		t.Fatal(err)
	}
	look("compact", texts)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	look("all", 0)
}

// A text that is larger than all the room goes alone, and ends.
func TestOneTextAlwaysGoes(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(16))
	ctx := context.Background()
	var k taken
	o := enginetest.Options(vfs.NewMem())
	o.MemoryBytes, o.CacheBytes, *enginetest.Analysed(o) = 64<<10, 1, k.add
	db := enginetest.Open(t, o)
	defer db.Close()
	if err := db.CreateCollection(ctx, api.DefaultCollection, testmodel.KeepsAll); err != nil {
		t.Fatal(err)
	}
	for i, text := range longTexts(6, 64<<10) {
		if err := db.Put(ctx, api.Document{ID: fmt.Sprint(i), Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	enginetest.Settled(t, db)
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, by := range enginetest.Compared() {
		q := engine.Search{Measure: by, Min: api.Ratio(1, 2)}
		enginetest.PairRows(t, s, q)
		enginetest.SimilarRows(t, s, api.ByText("w1 w2 w3 w4"), q)
		enginetest.SimilarRows(t, s, api.ByID("3"), q)
		if _, err := s.CompareBy(ctx, api.ByID("1"), api.ByID("2"), nil, []api.Method{{Measure: by, Args: q.Args}}, api.Ignoring{}); err != nil {
			t.Error(err)
		}
	}
	q := engine.Search{Measure: api.Words, Args: api.Args{IDF: true}, Min: api.Ratio(1, 2)}
	enginetest.PairRows(t, s, q)
	enginetest.ClusterRows(t, s, q)
	enginetest.CheckClean(t, db, "in no memory")
	if n, atOnce, _ := k.since(); n == 0 || atOnce != 1 {
		t.Errorf("%d analyses, %d at once, want 1 at once", n, atOnce)
	}
}
