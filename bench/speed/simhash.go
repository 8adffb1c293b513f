package main

import (
	"context"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/index"
	"github.com/simdb/simdb/index/join"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/shingle"
)

// Distances that are searched for, in bits.
const (
	nearBits = 3
	farBits  = 12 // a scan takes the same for any distance, but for its rows
)

// batchProbes is how many fingerprints are searched for in one scan.
const batchProbes = 8

// fingerprints makes n random fingerprints, every fifth of them that of an
// earlier document with 1 to 12 bits changed.
func fingerprints(seed uint64, n int) []uint64 {
	random := rand.New(rand.NewPCG(seed, 5))
	hashes := make([]uint64, n)
	for i := range hashes {
		hashes[i] = random.Uint64()
		if i%5 == 4 {
			hashes[i] = hashes[random.IntN(i)]
			for range 1 + random.IntN(farBits) {
				hashes[i] ^= 1 << random.IntN(64)
			}
		}
	}
	return hashes
}

// tableOf is what the engine holds in memory of sets with these fingerprints.
func tableOf(hashes []uint64) index.View {
	var table index.Table
	for i, h := range hashes {
		table.Put(uint32(i), index.Facts{Size: measure.Size{Distinct: 1, Total: 1}, SimHash: h})
	}
	return table.View()
}

// measureSimHash searches synthetic fingerprints as the engine does once a store
// is open: by a scan, by the rotated tables, and by a join. Some answers are
// compared with those of a plain loop.
func measureSimHash(ctx context.Context, e *env) error {
	hashes := fingerprints(e.seed, e.n)
	random := rand.New(rand.NewPCG(e.seed, 6))
	probes := make([]uint64, max(batchProbes, min(e.queries, 200)/batchProbes*batchProbes))
	for i := range probes {
		probes[i] = hashes[random.IntN(e.n)]
	}
	view := tableOf(hashes)
	if err := e.scanFingerprints(view, hashes, probes); err != nil {
		return err
	}
	if err := e.joinFingerprints(ctx, view, hashes); err != nil {
		return err
	}
	return e.lookUpFingerprints(view, hashes, probes)
}

func (e *env) scanFingerprints(view index.View, hashes, probes []uint64) error {
	n := view.Len()
	var found []uint32
	var lists [batchProbes][]uint32
	for range max(e.rounds(), 3) {
		var one, batch []time.Duration
		for i, q := range probes {
			start := time.Now()
			found = index.ScanNear(view, 0, n, q, farBits, found[:0])
			one = append(one, time.Since(start))
			if i < batchProbes && !slices.Equal(found, near(hashes, q, farBits)) {
				return fmt.Errorf("a scan for %x within %d bits finds %v", q, farBits, found)
			}
		}
		for qs := range slices.Chunk(probes, batchProbes) {
			for i := range lists {
				lists[i] = lists[i][:0]
			}
			start := time.Now()
			index.ScanNearBatch(view, 0, n, qs, farBits, lists[:])
			batch = append(batch, time.Since(start)/batchProbes)
		}
		if last := probes[len(probes)-1]; !slices.Equal(lists[batchProbes-1], near(hashes, last, farBits)) {
			return fmt.Errorf("a scan for %d fingerprints finds %v for %x", batchProbes, lists[batchProbes-1], last)
		}
		e.add("SimHash, any distance", micros(median(one))/1e3, "ms")
		e.add("SimHash, any distance, each of 8", micros(median(batch))/1e3, "ms")
	}
	return nil
}

// near finds by a plain loop what a search must find.
func near(hashes []uint64, q uint64, dist int) (found []uint32) {
	for i, h := range hashes {
		if bits.OnesCount64(h^q) <= dist {
			found = append(found, uint32(i))
		}
	}
	return found
}

func (e *env) joinFingerprints(ctx context.Context, view index.View, hashes []uint64) error {
	for range max(e.rounds(), 3) {
		counts := make([]int, e.cores)
		wrong := make([]bool, e.cores)
		start := time.Now()
		_, err := join.Near(ctx, view, view, true, nearBits, false, e.cores, 1<<30, func(worker int, pairs []join.NearPair) {
			counts[worker] += len(pairs)
			for _, p := range pairs {
				if int(p.Dist) != bits.OnesCount64(hashes[p.A]^hashes[p.B]) || p.Dist > nearBits {
					wrong[worker] = true
				}
			}
		})
		if err != nil {
			return err
		}
		e.add("SimHash, pairs up to 3 bits", micros(time.Since(start))/1e3, "ms")
		if slices.Contains(wrong, true) {
			return fmt.Errorf("a pair of the join is not within %d bits", nearBits)
		}
		rows := 0
		for _, c := range counts {
			rows += c
		}
		e.add("SimHash, pairs up to 3 bits, rows", float64(rows), "")
	}
	return nil
}

// lookUpFingerprints searches by the rotated tables of posting segments.
func (e *env) lookUpFingerprints(view index.View, hashes, probes []uint64) error {
	segments, err := segmentsOf(hashes)
	if err != nil {
		return err
	}
	var found []uint32
	for range max(e.rounds(), 3) {
		var took []time.Duration
		for i, q := range probes {
			start := time.Now()
			if found, err = nearIn(segments, view, q, found[:0]); err != nil {
				return err
			}
			took = append(took, time.Since(start))
			if i < batchProbes && !slices.Equal(found, near(hashes, q, nearBits)) {
				return fmt.Errorf("the rotated tables find %v within %d bits of %x", found, nearBits, q)
			}
		}
		e.add("SimHash, up to 3 bits", micros(median(took)), "µs")
	}
	return nil
}

// nearIn searches all segments by their rotated tables.
func nearIn(segments []index.Stored, view index.View, q uint64, found []uint32) ([]uint32, error) {
	found, _, err := index.Near(segments, view, q, nearBits, found)
	return found, err
}

// pages are the runs of a segment in memory.
type pages map[index.Kind]pageList

type pageList [][]byte

func (l pageList) Page(n int) ([]byte, error) { return l[n], nil }

func (p pages) Pages(k index.Kind) index.Pages { return p[k] }

// segmentsOf makes posting segments in memory, as long as they may be.
func segmentsOf(hashes []uint64) (all []index.Stored, err error) {
	for lo := 0; lo < len(hashes); lo += index.MaxSegmentSpan {
		s, err := segmentOf(hashes, lo, min(lo+index.MaxSegmentSpan, len(hashes)))
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

func segmentOf(hashes []uint64, lo, hi int) (index.Stored, error) {
	layout := index.Layout{Order: index.NewOrderBuilder(1).Order()}
	b, p := index.NewBuilder(layout, uint32(lo)), pages{}
	for i := lo; i < hi; i++ {
		b.Add(uint32(i), shingle.Bag{Set: shingle.Set{hashes[i]}, Total: 1}, hashes[i])
	}
	s, err := b.Finish(uint32(hi), func(k index.Kind, _ int, data []byte) error {
		p[k] = append(p[k], slices.Clone(data))
		return nil
	})
	return index.Stored{Segment: s, Reader: p}, err
}

// measureStoredSimHash times searches by fingerprints through the public call.
func measureStoredSimHash(ctx context.Context, e *env) (err error) {
	db, err := e.open(ctx, byWord)
	if err != nil {
		return err
	}
	defer func() { err = closing(db, err) }()
	targets := byIDs(e.ids(min(e.queries, 200)))
	for dist, name := range map[uint64]string{nearBits: "up to 3 bits", farBits: "up to 12 bits"} {
		for round := range e.rounds() + 1 {
			done, err := timeSearches(ctx, db, targets, simdb.Using(api.SimHash), simdb.Min(api.Ratio(64-dist, 64)))
			if err != nil {
				return err
			}
			if round > 0 || e.small {
				var took []float64
				for _, s := range done {
					took = append(took, micros(s.took))
				}
				e.add("SIMILAR TO USING simhash, "+name+", median", median(took), "µs")
			}
		}
	}
	return nil
}
