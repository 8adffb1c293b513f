package index

import (
	"math/rand/v2"
	"testing"

	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/sketch"
)

// storedFacts are such as a store has: the signature has the length that the
// number of distinct members asks for.
func storedFacts(rng *rand.Rand) Facts {
	f := Facts{SimHash: rng.Uint64()}
	f.Distinct = 1 + uint64(rng.IntN(1<<rng.IntN(18)))
	f.Total = f.Distinct + uint64(rng.IntN(1<<rng.IntN(20)))
	for range sketch.SignatureWords(int(f.Distinct)) {
		f.Signature = append(f.Signature, rng.Uint64())
	}
	return f
}

// A table put together of pieces is the one that they were made of.
func TestPieces(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 4))
		var from Table
		want := map[uint32]Facts{}
		n := uint32(1 + rng.IntN(3*slabSets))
		for i := range n {
			if rng.IntN(8) == 0 || seed%3 == 0 && i/slabSets == 1 {
				continue // a hole
			}
			want[i] = storedFacts(rng)
			from.Put(i, want[i])
		}
		never, ended := rng.Uint32N(n), rng.Uint32N(n)
		var table Table
		var slabs []*SlabWriter
		for lo := uint32(0); lo < n; {
			hi := min(n, lo+1+rng.Uint32N(slabSets), (lo/slabSets+1)*slabSets)
			if lo%slabSets == 0 {
				slabs = append(slabs, table.NewSlab(lo/slabSets))
			}
			p := slabs[len(slabs)-1]
			if rng.IntN(4) == 0 { // set by set
				for i := lo; i < hi; i++ {
					if f, ok := want[i]; ok && i != never && i != ended {
						p.Put(i, f)
					}
				}
			} else {
				keep := func(set uint32) bool { return set != never }
				sizes, piece := from.View().AppendSizes(nil, lo, hi, keep), from.View().AppendPiece(nil, lo, hi, keep)
				if err := p.PutPiece(lo, hi, sizes, piece, func(set uint32) bool { return set == ended }); err != nil {
					t.Fatalf("seed %d: piece of [%d,%d): %v", seed, lo, hi, err)
				}
			}
			lo = hi
		}
		for _, p := range slabs {
			table.Append(p)
		}
		delete(want, never)
		delete(want, ended)
		for i := range n {
			checkFacts(t, table.View(), i, want[i])
		}
		next := max(n, table.View().Len())
		table.Put(next, storedFacts(rng)) // a table goes on growing
		if table.View().Size(next).Distinct == 0 {
			t.Errorf("seed %d: set %d put behind slabs is not there", seed, next)
		}
	}
}

func TestPartRefuses(t *testing.T) {
	one := Facts{Size: measure.Size{Distinct: 1, Total: 1}, Signature: sketch.Signature{1}}
	var table, other Table
	table.Put(SlabSets+3, one)
	behind, elsewhere := table.NewSlab(1), other.NewSlab(2)
	behind.Put(SlabSets+4, one)
	elsewhere.Put(2*SlabSets, one)
	for name, bad := range map[string]func(){
		"Put below the slab":         func() { table.NewSlab(1).Put(SlabSets-1, one) },
		"Put above the slab":         func() { table.NewSlab(1).Put(2*SlabSets, one) },
		"Append of a slab begun":     func() { table.Append(behind) },
		"Append of another's slab":   func() { table.Append(elsewhere) },
		"Put of too long signatures": func() { table.NewSlab(0).Put(0, Facts{Signature: make([]uint64, maxWords+1)}) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s does not panic", name)
				}
			}()
			bad()
		}()
	}
}

// What decodes encodes to facts that decode alike; all else is an error and leaves
// the slab as it was.
func FuzzPiece(f *testing.F) {
	rng := rand.New(rand.NewPCG(1, 2))
	var table Table
	for i := range uint32(20) {
		if i != 7 {
			table.Put(i, storedFacts(rng))
		}
	}
	f.Add(uint16(0), uint16(20), table.View().AppendSizes(nil, 0, 20, all), table.View().AppendPiece(nil, 0, 20, all))
	f.Add(uint16(5), uint16(3), table.View().AppendSizes(nil, 5, 8, all), table.View().AppendPiece(nil, 5, 8, all))
	f.Add(uint16(slabSets-1), uint16(1), []byte{1, 0, 0, 0, 1, 0, 0, 0}, []byte{0xff, 0xff, 0xff, 0xff, 0x0f, 0, 0})
	f.Fuzz(func(t *testing.T, lo, n uint16, sizes, piece []byte) {
		from := uint32(lo) % slabSets
		to := min(from+uint32(n)%slabSets, slabSets)
		var a, b Table
		p := a.NewSlab(0)
		if err := p.PutPiece(from, to, sizes, piece, noneEnded); err != nil {
			if p.n > 0 || p.slab != nil {
				t.Fatal("an error left facts in the slab")
			}
			return
		}
		a.Append(p)
		again := b.NewSlab(0)
		if err := again.PutPiece(from, to, a.View().AppendSizes(nil, from, to, all), a.View().AppendPiece(nil, from, to, all), noneEnded); err != nil {
			t.Fatal(err)
		}
		b.Append(again)
		for i := range to {
			v := a.View()
			checkFacts(t, b.View(), i, Facts{v.Size(i), v.SimHash(i), v.Signature(i)})
		}
	})
}

// benchmarkPiece is the facts of a slab of sets of about 300 members.
func benchmarkPiece(rng *rand.Rand) (piece, sizes []byte) {
	var table Table
	for i := range uint32(SlabSets) {
		f := Facts{SimHash: rng.Uint64()}
		f.Distinct = 257 + uint64(rng.IntN(200))
		f.Total = f.Distinct + uint64(rng.IntN(30))
		for range sketch.SignatureWords(int(f.Distinct)) {
			f.Signature = append(f.Signature, rng.Uint64())
		}
		table.Put(i, f)
	}
	return table.View().AppendPiece(nil, 0, SlabSets, all), table.View().AppendSizes(nil, 0, SlabSets, all)
}

// BenchmarkPutPiece copies such facts.
func BenchmarkPutPiece(b *testing.B) {
	piece, sizes := benchmarkPiece(rand.New(rand.NewPCG(1, 3)))
	b.SetBytes(int64(len(piece)))
	for b.Loop() {
		if err := new(Table).NewSlab(0).PutPiece(0, SlabSets, sizes, piece, noneEnded); err != nil {
			b.Fatal(err)
		}
	}
}
