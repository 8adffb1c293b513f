// Loads: bounded, ended early, and tidied up after.

package engine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/testmodel"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/internal/shingle"
	"github.com/simdb/simdb/internal/torture"
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
		for i := range o.SegmentSets / 4 { // so that there is a dictionary, and nothing else to wake the builder
			if err := db.Put(ctx, api.Document{ID: fmt.Sprint("before ", i), Text: fmt.Sprint("the words of an earlier text ", i)}); err != nil {
				t.Fatal(err)
			}
		}
		settled(t, db)
		acked := make(chan struct{}, 1)
		source := func(yield func(*Batch, error) bool) {
			var b Batch
			for i := range 2 * o.SegmentSets { // long enough only when the load is over
				b.Put(api.Document{ID: fmt.Sprint(i), Text: fmt.Sprint("the words of text number ", i)})
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
			if err := db.Load(ctx, source, func(*Batch, api.BatchStats) { acked <- struct{}{} }); !errors.Is(err, want) {
				t.Errorf("%s: Load = %v, want %v", end, err, want)
			}
		}()
		c, err := db.collection(api.DefaultCollection)
		if err != nil {
			t.Fatal(err)
		}
		late := time.After(20 * time.Second)
		for built := uint32(0); built == 0; {
			advanced := db.disk.Advancing()
			db.mu.Lock()
			built = c.postings.Built
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
		if err := db.Close(); err != nil || db.builder.loads != 0 {
			t.Errorf("%s: Close = %v, %d loads are going on", end, err, db.builder.loads)
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
	g := &testmodel.Texts{Rng: rand.New(rand.NewPCG(3, 3))}
	load := func(batches, segments int) {
		t.Helper()
		err := db.Load(ctx, func(yield func(*Batch, error) bool) {
			for i := range batches {
				var b Batch
				for j := range 8 {
					b.Put(api.Document{ID: fmt.Sprint("loaded ", batches, " ", i, " ", j), Text: g.Next()})
				}
				if !yield(&b, nil) {
					return
				}
			}
		}, func(*Batch, api.BatchStats) {})
		if err != nil {
			t.Fatal(err)
		}
		if n := db.Metrics().Segments; int(n) != segments {
			t.Errorf("a load of %d batches leaves %d segments, want %d", batches, n, segments)
		}
		if n := db.Metrics().TailSets; n > int64(db.opts.SegmentSets/tailShare) {
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
		g := &testmodel.Texts{Rng: rand.New(rand.NewPCG(uint64(memory), 4))}
		err := db.Load(ctx, func(yield func(*Batch, error) bool) {
			for i := range 60 {
				var b Batch
				for j := range 7 {
					b.Put(api.Document{ID: fmt.Sprint(i, " ", j), Text: g.Next()})
				}
				if !yield(&b, nil) {
					return
				}
			}
		}, func(*Batch, api.BatchStats) {})
		if err != nil {
			t.Fatal(err)
		}
		c := db.collections[api.DefaultCollection]
		settled(t, db)
		full := c.bagsBudget(memory)
		before := c.fresh
		fill := func(fresh view.FreshBags, extending *collection) {
			db.mu.Lock()
			defer db.mu.Unlock()
			c.fresh = fresh
			db.builder.extending = extending
		}
		filled := before
		filled.Add(shingle.Bag{Set: make(shingle.Set, full/8)}, math.MaxInt64)
		fill(filled, nil)
		if db.bagsWait() {
			t.Errorf("%d bytes of memory: a load waits though nothing is built", memory)
		}
		fill(filled, c)
		if !db.bagsWait() || db.behind() {
			t.Errorf("%d bytes of memory: a load waits for its bags = %v, others = %v", memory, db.bagsWait(), db.behind())
		}
		fill(before, nil)
		checkClean(t, db, fmt.Sprint("loaded with ", memory, " bytes of memory"))
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
}

// What Load has stored is indexed when it returns, so that two stores of the
// same documents are of a size, however soon they are closed.
func TestLoadIndexes(t *testing.T) {
	ctx := context.Background()
	for range 20 {
		db := openTest(t, testOptions(vfs.NewMem()))
		g := &testmodel.Texts{Rng: rand.New(rand.NewPCG(8, 8))}
		batches := func(yield func(*Batch, error) bool) {
			for i := range 20 {
				b := &Batch{}
				for j := range 5 {
					b.Put(api.Document{ID: fmt.Sprint(i, j), Text: g.Next()})
				}
				if !yield(b, nil) {
					return
				}
			}
		}
		if err := db.Load(ctx, batches, func(*Batch, api.BatchStats) {}); err != nil {
			t.Fatal(err)
		}
		if m := db.Metrics(); m.TailSets >= int64(db.opts.SegmentSets) || m.Segments == 0 {
			t.Errorf("after Load %d sets have no postings, %d segments", m.TailSets, m.Segments)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// Load asks its source for no more than memory allows, also where most of a document is its
// tokens.
func TestLoadIsBounded(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{"word", "token"} {
		t.Run(unit, func(t *testing.T) { loadIsBounded(t, unit) })
	}
}

func loadIsBounded(t *testing.T, unit string) {
	ctx := context.Background()
	o := testOptions(vfs.NewMem())
	o.MemoryBytes = 256 << 10
	db := openTest(t, o)
	defer db.Close()
	batches, checks := torture.Few(10, 30), torture.Few(8, 20)
	if err := db.CreateCollection(ctx, api.DefaultCollection, api.Settings{Unit: unit}); err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat("many words that take memory ", 200) // times 8 bytes a letter: two thirds of what there is
	var given, acked, most atomic.Int64
	source := func(yield func(*Batch, error) bool) {
		for i := range batches {
			most.Store(max(most.Load(), given.Add(1)-acked.Load()))
			var b Batch
			d := api.Document{ID: fmt.Sprint(i), Text: text + fmt.Sprint(i)}
			if unit == "token" {
				d.Text, d.Tokens = "", strings.Fields(d.Text)
			}
			b.Put(d)
			if !yield(&b, nil) {
				return
			}
		}
	}
	err := db.Load(ctx, source, func(*Batch, api.BatchStats) {
		for range checks { // longer than the source takes
			if _, err := db.Check(ctx, nil); err != nil {
				t.Error(err)
			}
		}
		acked.Add(1)
	})
	if err != nil || acked.Load() != int64(batches) {
		t.Fatalf("Load = %v, %d batches acknowledged", err, acked.Load())
	}
	if most.Load() > 3 { // one on its way, one waiting for room, one that is asked for
		t.Errorf("%d batches were taken ahead, want as many as memory allows", most.Load())
	}
}

// A batch that is larger than all memory for imports goes in alone.
func TestLoadTakesLargeBatches(t *testing.T) {
	o := testOptions(vfs.NewMem())
	o.MemoryBytes = 16
	db := openTest(t, o)
	defer db.Close()
	n := 0
	source := func(yield func(*Batch, error) bool) {
		for i := range 5 {
			var b Batch
			b.Put(api.Document{ID: fmt.Sprint(i), Text: strings.Repeat("word ", 1000)})
			if !yield(&b, nil) {
				return
			}
		}
	}
	testmodel.Within(t, "Load", func() {
		if err := db.Load(context.Background(), source, func(*Batch, api.BatchStats) { n++ }); err != nil || n != 5 {
			t.Errorf("Load = %v, %d batches acknowledged", err, n)
		}
	})
}

// Load returns what went wrong, not that it stopped for it.
func TestLoadReturnsTheCause(t *testing.T) {
	ctx := context.Background()
	o := testOptions(vfs.NewMem())
	o.MaxDocBytes = 10
	db := openTest(t, o)
	defer db.Close()
	if err := db.CreateCollection(ctx, api.DefaultCollection, api.Settings{}); err != nil {
		t.Fatal(err)
	}
	wrong := errors.New("the source is at its end of wits")
	for what, c := range map[string]struct {
		text string
		err  error
		want error
	}{"source": {"x", wrong, wrong}, "batch": {"longer than it may be", nil, api.ErrTooLarge}} {
		source := func(yield func(*Batch, error) bool) {
			for i := range 50 {
				var b Batch
				b.Put(api.Document{ID: fmt.Sprint(i), Text: "x"})
				if i == 20 {
					b.Put(api.Document{ID: "y", Text: c.text})
				}
				if err := c.err; err != nil && i == 20 {
					yield(nil, err)
					return
				}
				if !yield(&b, nil) {
					return
				}
			}
		}
		if err := db.Load(ctx, source, func(*Batch, api.BatchStats) {}); !errors.Is(err, c.want) {
			t.Errorf("%s: Load = %v, want %v", what, err, c.want)
		}
	}
}
