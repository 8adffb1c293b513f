package index

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/sketch"
)

// randomFacts are a function of the number, so that any reader can check them.
func randomFacts(i uint32) Facts {
	rng := rand.New(rand.NewPCG(uint64(i), 9))
	f := Facts{SimHash: rng.Uint64()}
	f.Size = measure.Size{Distinct: 1 + uint64(rng.IntN(5000)), Total: 5000 + uint64(rng.IntN(5000))}
	for range 1 << rng.IntN(8) {
		f.Signature = append(f.Signature, rng.Uint64())
	}
	return f
}

func checkFacts(t *testing.T, v View, i uint32, want Facts) {
	t.Helper()
	if v.Size(i) != want.Size || v.SimHash(i) != want.SimHash || !slices.Equal(v.Signature(i), want.Signature) {
		t.Fatalf("facts of set %d differ", i)
	}
}

func TestTable(t *testing.T) {
	var table Table
	if v := table.View(); v.Len() != 0 || v.Size(0).Distinct != 0 || v.Signature(7) != nil {
		t.Errorf("an empty table has sets")
	}
	put := map[uint32]bool{}
	for i := uint32(0); i < 9*slabSets; {
		table.Put(i, randomFacts(i))
		put[i] = true
		switch i {
		case 10:
			i += 5
		case 2000: // slabs without any set
			i += 4 * slabSets
		default:
			i++
		}
	}
	v := table.View()
	for i := range v.Len() + 5 {
		want := Facts{}
		if put[i] {
			want = randomFacts(i)
		}
		checkFacts(t, v, i, want)
	}
	if table.Widen(v.Len() - 1); table.View().Len() != v.Len() {
		t.Errorf("widened to less, the table has %d numbers, want %d", table.View().Len(), v.Len())
	}
	for _, by := range []uint32{1, slabSets, 3*slabSets + 7} { // into the last slab, and beyond it
		n := table.View().Len() + by
		table.Widen(n)
		checkFacts(t, table.View(), n-1, Facts{})
		if err := table.End(n - 1); err != nil || table.View().Len() != n {
			t.Errorf("widened to %d, the table has %d numbers, %v", n, table.View().Len(), err)
		}
		table.Put(n, randomFacts(n))
		checkFacts(t, table.View(), n, randomFacts(n))
	}
	for name, bad := range map[string]func(){
		"a set again":        func() { table.Put(v.Len()-1, Facts{}) },
		"too long signature": func() { table.Put(v.Len(), Facts{Signature: make([]uint64, maxWords+1)}) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("Put of %s does not panic", name)
				}
			}()
			bad()
		}()
	}
}

// A slab full of the longest signatures fits its blocks.
func TestTableLongSignatures(t *testing.T) {
	for _, words := range []int{1, 127, 128} {
		var table Table
		long := make([]uint64, words)
		for i := range uint32(2 * slabSets) {
			long[0] = uint64(i)
			table.Put(i, Facts{Signature: long})
		}
		for i := range uint32(2 * slabSets) {
			if s := table.View().Signature(i); len(s) != words || s[0] != uint64(i) {
				t.Fatalf("signature of %d words of set %d differs", words, i)
			}
		}
	}
}

// Readers work on views while the writer goes on; the race detector looks on.
func TestViewsAreStable(t *testing.T) {
	const sets, readers = 3 * slabSets, 3
	var table Table
	var mu sync.Mutex
	var wg sync.WaitGroup
	take := func() View {
		mu.Lock()
		defer mu.Unlock()
		return table.View()
	}
	for r := range readers {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(r), 1))
			for {
				v := take()
				for range min(v.Len(), 50) {
					i := rng.Uint32N(v.Len())
					if v.SimHash(i) != randomFacts(i).SimHash || !slices.Equal(v.Signature(i), randomFacts(i).Signature) {
						t.Errorf("set %d of a view of %d differs", i, v.Len())
						return
					}
				}
				if v.Len() == sets {
					return
				}
			}
		})
	}
	for i := range uint32(sets) {
		f := randomFacts(i)
		mu.Lock()
		table.Put(i, f)
		mu.Unlock()
	}
	wg.Wait()
}

// An ended set is a hole for new Views only, and slabs of holes are given back.
func TestTableEnd(t *testing.T) {
	var table Table
	const n = 3*slabSets + 10
	for i := range uint32(n) {
		table.Put(i, Facts{Size: measure.Size{Distinct: 1, Total: 1}, SimHash: uint64(i), Signature: sketch.Signature{uint64(i)}})
	}
	before := table.View()
	for i := uint32(slabSets); i < 2*slabSets; i++ {
		table.End(i)
	}
	table.End(n - 1)
	after := table.View()
	for i := range uint32(n) {
		ended := i == n-1 || i/slabSets == 1
		if before.Size(i).Distinct != 1 || before.SimHash(i) != uint64(i) {
			t.Fatalf("set %d changed in a View taken before", i)
		}
		if got := after.Size(i).Distinct == 0; got != ended {
			t.Fatalf("set %d ended = %v, want %v", i, got, ended)
		}
	}
	if after.slabs[1] != noSets || after.slabs[3] == noSets {
		t.Error("want the second slab given back, the last one kept")
	}
	table.Put(n, Facts{Size: measure.Size{Distinct: 2, Total: 2}})
	if got := table.View().Size(n).Distinct; got != 2 {
		t.Errorf("a set put after End has %d shingles, want 2", got)
	}
}

// Memory from outside is given back once neither the table nor a view has the
// slab any more, and not before.
func TestTableGivesMemoryBack(t *testing.T) {
	var taken, freed atomic.Int64
	table := &Table{Memory: func(n int) ([]uint64, func()) {
		taken.Add(1)
		return make([]uint64, n), func() { freed.Add(1) }
	}}
	for i := range uint32(slabSets + 1) {
		table.Put(i, Facts{Size: measure.Size{Distinct: 1, Total: 1}, SimHash: uint64(i), Signature: sketch.Signature{1, uint64(i)}})
	}
	view := table.View()
	for i := range uint32(slabSets) {
		table.End(i)
	}
	all := taken.Load()
	runtime.GC()
	time.Sleep(10 * time.Millisecond)
	if n := freed.Load(); n > 0 {
		t.Errorf("%d of %d pieces given back while a view has them", n, all)
	}
	if view.SimHash(5) != 5 || view.Signature(5)[1] != 5 {
		t.Errorf("set 5 = %d, %v", view.SimHash(5), view.Signature(5))
	}
	view = View{}
	for range 500 {
		if runtime.GC(); freed.Load() > 0 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if n := freed.Load(); n == 0 || n >= all {
		t.Errorf("%d of %d pieces given back, want those of the first slab", n, all)
	}
	runtime.KeepAlive(table)
}

// A widened table has holes up to its width, and takes the next set there.
func TestTableWiden(t *testing.T) {
	for _, put := range []uint32{0, 7, slabSets} {
		for _, width := range []uint32{0, 5, slabSets - 1, slabSets, slabSets + 1, 3*slabSets + 2} {
			var table Table
			for i := range put {
				table.Put(i, randomFacts(i))
			}
			table.Widen(width)
			n := max(put, width)
			if table.View().Len() != n {
				t.Fatalf("%d sets widened to %d: Len() = %d, want %d", put, width, table.View().Len(), n)
			}
			table.Put(n, randomFacts(n))
			v := table.View()
			for i := range n + 2 {
				want := Facts{}
				if i < put || i == n {
					want = randomFacts(i)
				}
				checkFacts(t, v, i, want)
			}
		}
	}
}
