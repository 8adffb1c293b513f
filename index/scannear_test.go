package index

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
)

// hashTable has n sets with random fingerprints.
func hashTable(n int) *Table {
	rng := rand.New(rand.NewPCG(3, uint64(n)))
	var table Table
	for i := range uint32(n) {
		f := Facts{SimHash: rng.Uint64()}
		f.Distinct = 1
		table.Put(i, f)
	}
	return &table
}

// A batch finds what single scans and brute force find, across slabs and holes.
func TestScanNearBatch(t *testing.T) {
	const seed = 8
	rng := rand.New(rand.NewPCG(seed, 0))
	var table Table
	var hashes []uint64
	for i := range uint32(3*slabSets + 77) {
		f := Facts{SimHash: rng.Uint64()}
		if i > 0 && rng.IntN(4) > 0 {
			f.SimHash = hashes[rng.IntN(len(hashes))] ^ 1<<rng.IntN(64) ^ 1<<rng.IntN(64)
		}
		hashes = append(hashes, f.SimHash)
		if f.Distinct = uint64(rng.IntN(5)); f.Distinct > 0 && i/slabSets != 1 { // slab 1 has no sets
			table.Put(i, f)
		}
	}
	for i := range uint32(20) {
		table.End(50 * i)
	}
	v := table.View()
	for dist := range 65 {
		lo, hi := rng.Uint32N(v.Len()+9), rng.Uint32N(v.Len()+9)
		if dist%3 == 0 {
			lo, hi = 0, v.Len()
		}
		qs, got := make([]uint64, rng.IntN(20)), make([][]uint32, 20)
		for k := range qs {
			if qs[k] = hashes[rng.IntN(len(hashes))]; k%3 == 0 {
				qs[k] = rng.Uint64()
			}
			got[k] = []uint32{7}
		}
		ScanNearBatch(v, lo, hi, qs, dist, got)
		for k, q := range qs {
			want := []uint32{7}
			for i := lo; i < min(hi, v.Len()); i++ {
				if v.Size(i).Distinct > 0 && bits.OnesCount64(hashes[i]^q) <= dist {
					want = append(want, i)
				}
			}
			if !slices.Equal(got[k], want) {
				t.Fatalf("seed %d: ScanNearBatch [%d,%d) of %d finds %d within %d of %x, want %d", seed, lo, hi, len(qs), len(got[k]), dist, q, len(want))
			}
			if one := ScanNear(v, lo, hi, q, dist, []uint32{7}); !slices.Equal(one, want) {
				t.Fatalf("seed %d: ScanNear [%d,%d) finds %d within %d of %x, want %d", seed, lo, hi, len(one), dist, q, len(want))
			}
		}
	}
	ScanNearBatch(View{}, 0, 9, []uint64{1}, 64, [][]uint32{nil})
}

func BenchmarkScanNear(b *testing.B) {
	for _, n := range []int{1 << 20} {
		v := hashTable(n).View()
		var dst []uint32
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			q := uint64(12345)
			for b.Loop() {
				q = q*0x9e3779b97f4a7c15 + 1
				dst = ScanNear(v, 0, v.Len(), q, 12, dst[:0])
			}
		})
	}
}

func BenchmarkScanNearBatch(b *testing.B) {
	for _, n := range []int{1 << 20} {
		v := hashTable(n).View()
		dst := make([][]uint32, 8)
		qs := make([]uint64, 8)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			q := uint64(12345)
			for b.Loop() {
				for k := range qs {
					q = q*0x9e3779b97f4a7c15 + 1
					qs[k], dst[k] = q, dst[k][:0]
				}
				ScanNearBatch(v, 0, v.Len(), qs, 12, dst)
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/8, "µs/query")
		})
	}
}
