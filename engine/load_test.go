package engine

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// However a load ends, by its caller, with an error or with a panic of its
// source, what it left in the tail becomes a segment as without it.
func TestLoadEndsEarly(t *testing.T) {
	wrong := errors.New("no more")
	for end, want := range map[string]error{"cancel": context.Canceled, "error": wrong, "panic": wrong} {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		o := testOptions(vfs.NewMem())
		db := openTest(t, o)
		for i := range o.segmentSets / 4 { // so that there is a dictionary, and nothing else to wake the builder
			if err := db.Put(ctx, Document{ID: fmt.Sprint("before ", i), Text: fmt.Sprint("the words of an earlier text ", i)}); err != nil {
				t.Fatal(err)
			}
		}
		settled(t, db)
		acked := make(chan struct{}, 1)
		source := func(yield func(*Batch, error) bool) {
			var b Batch
			for i := range 2 * o.segmentSets { // long enough only when the load is over
				b.Put(Document{ID: fmt.Sprint(i), Text: fmt.Sprint("the words of text number ", i)})
			}
			yield(&b, nil)
			<-acked
			switch end {
			case "cancel":
				cancel()
				yield(&b, nil)
			case "error":
				yield(nil, wrong)
			default:
				panic(wrong)
			}
		}
		func() {
			defer func() {
				if r := recover(); (r != nil) != (end == "panic") {
					t.Errorf("%s: Load panics with %v", end, r)
				}
			}()
			if err := db.Load(ctx, source, func(*Batch, BatchStats) { acked <- struct{}{} }); !errors.Is(err, want) {
				t.Errorf("%s: Load = %v, want %v", end, err, want)
			}
		}()
		c, err := db.collection(DefaultCollection)
		if err != nil {
			t.Fatal(err)
		}
		late := time.After(20 * time.Second)
		for built := uint32(0); built == 0; {
			advanced := db.advanced.next()
			db.mu.Lock()
			built = c.index.built
			db.mu.Unlock()
			if built > 0 {
				break
			}
			select {
			case <-advanced:
			case <-late:
				t.Fatalf("%s: the tail is still %d sets long", end, c.tail)
			}
		}
		if err := db.Close(); err != nil || db.loads != 0 {
			t.Errorf("%s: Close = %v, %d loads are going on", end, err, db.loads)
		}
	}
}

// What a load leaves at its end becomes one segment: its tail and its segments,
// with those before it that are not much larger. Of a small load it is one beside
// them.
func TestLoadTidies(t *testing.T) {
	ctx := context.Background()
	db := openTest(t, testOptions(vfs.NewMem()))
	defer db.Close()
	fillTexts(t, db, 70)
	if err := db.rebuildAll(ctx); err != nil { // so that the load brings no new order
		t.Fatal(err)
	}
	g := &texts{rng: rand.New(rand.NewPCG(3, 3))}
	load := func(batches, segments int) {
		t.Helper()
		err := db.Load(ctx, func(yield func(*Batch, error) bool) {
			for i := range batches {
				var b Batch
				for j := range 8 {
					b.Put(Document{ID: fmt.Sprint("loaded ", batches, " ", i, " ", j), Text: g.next()})
				}
				if !yield(&b, nil) {
					return
				}
			}
		}, func(*Batch, BatchStats) {})
		if err != nil {
			t.Fatal(err)
		}
		if n := db.Metrics().Segments; int(n) != segments {
			t.Errorf("a load of %d batches leaves %d segments, want %d", batches, n, segments)
		}
		if n := db.Metrics().TailSets; n > int64(db.opts.segmentSets/tailShare) {
			t.Errorf("a load of %d batches leaves %d sets in the tail", batches, n)
		}
	}
	load(50, 1)
	load(4, 2)
	checkClean(t, db, "after the loads")
}

// A load waits for a segment when it has no room for more bags, and only then:
// whatever the memory setting, it comes to its end and leaves what it should.
func TestLoadWaitsForItsBags(t *testing.T) {
	ctx := context.Background()
	for _, memory := range []int64{1 << 12, 1 << 16, 1 << 20} {
		o := testOptions(vfs.NewMem())
		o.MemoryBytes = memory
		db := openTest(t, o)
		g := &texts{rng: rand.New(rand.NewPCG(uint64(memory), 4))}
		err := db.Load(ctx, func(yield func(*Batch, error) bool) {
			for i := range 60 {
				var b Batch
				for j := range 7 {
					b.Put(Document{ID: fmt.Sprint(i, " ", j), Text: g.next()})
				}
				if !yield(&b, nil) {
					return
				}
			}
		}, func(*Batch, BatchStats) {})
		if err != nil {
			t.Fatal(err)
		}
		c := db.collections[DefaultCollection]
		settled(t, db)
		full := c.freshBudget(memory)
		fill := func(bytes int64, extending *collection) {
			db.mu.Lock()
			defer db.mu.Unlock()
			c.fresh.bytes += bytes
			db.extending = extending
		}
		fill(full, nil)
		if db.bagsWait() {
			t.Errorf("%d bytes of memory: a load waits though nothing is built", memory)
		}
		fill(0, c)
		if !db.bagsWait() || db.behind() {
			t.Errorf("%d bytes of memory: a load waits for its bags = %v, others = %v", memory, db.bagsWait(), db.behind())
		}
		fill(-full, nil)
		checkClean(t, db, fmt.Sprint("loaded with ", memory, " bytes of memory"))
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
}
