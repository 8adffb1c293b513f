package index

import (
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
)

func noneEnded(uint32) bool { return false }
func all(uint32) bool       { return true }

// leftTable is a table of whole slabs whose facts are left to be fetched, and what they
// are. fetches counts.
func leftTable(t *testing.T, rng *rand.Rand, slabs uint32, offset int, fetches *atomic.Int64) (*Table, map[uint32]Facts) {
	t.Helper()
	var from, table Table
	want := map[uint32]Facts{}
	for i := range slabs * slabSets {
		if rng.IntN(8) > 0 || i%slabSets == slabSets-1 {
			want[i] = storedFacts(rng)
			from.Put(i, want[i])
		}
	}
	if offset > 0 {
		table.Reserve(int(slabs) - 1) // the last slab has memory of its own
	}
	for k := range slabs {
		lo, hi := k*slabSets, (k+1)*slabSets
		piece := append(make([]byte, offset), from.View().AppendPiece(nil, lo, hi, all)...)[offset:]
		p := table.NewSlab(k)
		err := p.PutSizes(from.View().AppendSizes(nil, lo, hi, all), noneEnded, func(p *SlabWriter) error {
			fetches.Add(1)
			return p.Map(piece, nil)
		})
		if err != nil {
			t.Fatal(err)
		}
		table.Append(p)
	}
	return &table, want
}

// Facts that were left are those that were encoded, whether they can be used where they
// lie or not. Many goroutines may ask at once.
func TestFetchedFacts(t *testing.T) {
	for _, offset := range []int{0, 8, 4, 1} {
		rng := rand.New(rand.NewPCG(uint64(offset), 5))
		var fetches atomic.Int64
		table, want := leftTable(t, rng, 3, offset, &fetches)
		v := table.View()
		for i := range v.Len() {
			if v.Size(i) != want[i].Size {
				t.Fatalf("size of set %d is %v, want %v", i, v.Size(i), want[i].Size)
			}
		}
		if n := fetches.Load(); n > 0 {
			t.Errorf("%d slabs fetched for sizes", n)
		}
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for i := range v.Len() {
					checkFacts(t, v, i, want[i])
				}
			})
		}
		wg.Wait()
		if n := fetches.Load(); n < 3 || n > 3*4 {
			t.Errorf("%d slabs fetched, want each by whoever meets it", n)
		}
		table.Put(v.Len(), want[slabSets-1]) // a table goes on growing
		checkFacts(t, table.View(), v.Len(), want[slabSets-1])
	}
}

// What cannot be fetched is told whoever asks, and may be there the next time. End fetches
// first: a View that was taken before has the facts then. So it is with slabs that were
// moved.
func TestFetchFails(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 6))
	var fetches atomic.Int64
	table, want := leftTable(t, rng, 2, 0, &fetches)
	wrong := errors.New("the disk is gone")
	var fails atomic.Bool
	fails.Store(true)
	var piece []byte
	piece = table.View().AppendPiece(piece, 0, slabSets, all)
	table.Move([]Elsewhere{{Number: 0, Left: func(p *SlabWriter) error {
		if fails.Load() {
			return wrong
		}
		return p.Map(piece, nil)
	}}})
	before := table.View()
	ask := func() (err error) {
		defer CatchUnreadable(&err)()
		before.SimHash(slabSets - 1)
		return nil
	}
	if err := ask(); !errors.Is(err, wrong) {
		t.Errorf("SimHash: %v, want %v", err, wrong)
	}
	if err := table.End(slabSets - 1); !errors.Is(err, wrong) || table.View().Size(slabSets-1).Distinct == 0 {
		t.Errorf("End: %v, %v left", err, table.View().Size(slabSets-1))
	}
	fails.Store(false)
	if err := table.End(slabSets - 1); err != nil {
		t.Error(err)
	}
	fails.Store(true)
	for i := range uint32(slabSets) {
		checkFacts(t, before, i, want[i])
	}
	if table.View().Size(slabSets-1).Distinct > 0 {
		t.Error("a set that has ended is there")
	}
}

// Facts that do not fit their sizes are no facts: neither a piece's, nor those put one by
// one.
func TestFetchedFactsFit(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 8))
	var fetches atomic.Int64
	table, want := leftTable(t, rng, 2, 0, &fetches)
	piece := table.View().AppendPiece(nil, slabSets, 2*slabSets, all)
	for name, load := range map[string]func(p *SlabWriter) error{
		"nothing":          func(*SlabWriter) error { return nil },
		"another's piece":  func(p *SlabWriter) error { return p.Map(piece, nil) },
		"half a piece":     func(p *SlabWriter) error { return p.Map(piece[:len(piece)/2&^7+4], nil) },
		"an empty piece":   func(p *SlabWriter) error { return p.Map(nil, nil) },
		"one of many sets": func(p *SlabWriter) error { p.Put(slabSets-1, want[slabSets-1]); return nil },
	} {
		table.Move([]Elsewhere{{Number: 0, Left: load}})
		err := func() (err error) {
			defer CatchUnreadable(&err)()
			table.View().Signature(slabSets - 1)
			return nil
		}()
		if !errors.Is(err, ErrPage) {
			t.Errorf("%s: %v, want ErrPage", name, err)
		}
	}
}

// A panic that has nothing to do with facts stays one.
func TestCaughtIsNoBug(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a bug is caught")
		}
	}()
	err := func() (err error) {
		defer CatchUnreadable(&err)()
		var missing *Table
		missing.Put(0, Facts{})
		return nil
	}()
	t.Error(err)
}

// BenchmarkFetch takes the facts of a slab of sets of about 300 members where they lie.
func BenchmarkFetch(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 3))
	piece, sizes := benchmarkPiece(rng)
	b.SetBytes(int64(len(piece)))
	for b.Loop() {
		var table Table
		p := table.NewSlab(0)
		err := p.PutSizes(sizes, noneEnded, func(p *SlabWriter) error { return p.Map(piece, nil) })
		if err != nil {
			b.Fatal(err)
		}
		table.Append(p)
		table.View().SimHash(7)
	}
}
