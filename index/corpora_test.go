package index

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/drawn"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/realtext"
	"github.com/simdb/simdb/internal/shingle"
)

// worldOf makes a world of bags, in the order counted over all of them.
func worldOf(bags []shingle.Bag) *world {
	members := 0
	for _, bag := range bags {
		members += len(bag.Set)
	}
	b := NewOrderBuilder(uint64(members))
	w := &world{bags: bags}
	for i, bag := range bags {
		b.Add(bag.Set)
		w.table.Put(uint32(i), factsOf(bag))
	}
	w.layout = Layout{Order: b.Order()}
	return w
}

// benchWorld is a corpus built once for all benchmarks, as one segment.
type benchWorld struct {
	*world
	segment Stored
}

var benchWorlds = map[string]*benchWorld{}

func newBenchWorld(b *testing.B, name string) *benchWorld {
	if w := benchWorlds[name]; w != nil {
		return w
	}
	bags := drawn.FromTexts(realtext.Lines(b, name, 1))
	w := &benchWorld{world: worldOf(bags)}
	posts, m := NewBuilder(w.layout, 0), new(memory)
	for i, bag := range bags {
		posts.Add(uint32(i), bag, w.table.View().SimHash(uint32(i)))
	}
	seg, err := posts.Finish(uint32(len(bags)), m.emit)
	if err != nil {
		b.Fatal(err)
	}
	w.segment = Stored{seg, m}
	benchWorlds[name] = w
	return w
}

func benchCorpora(b *testing.B, bench func(b *testing.B, w *benchWorld)) {
	for _, name := range []string{"linuxdoc.jsonl.gz", "nsf.jsonl.gz"} {
		b.Run(name, func(b *testing.B) {
			w := newBenchWorld(b, name)
			b.ReportAllocs()
			bench(b, w)
		})
	}
}

func BenchmarkBuild(b *testing.B) {
	benchCorpora(b, func(b *testing.B, w *benchWorld) {
		for b.Loop() {
			size, posts := 0, NewBuilder(w.layout, 0)
			for i, bag := range w.bags {
				posts.Add(uint32(i), bag, w.table.View().SimHash(uint32(i)))
			}
			seg, err := posts.Finish(uint32(len(w.bags)), func(k Kind, _ int, data []byte) error {
				if k == Prefix {
					size += len(data)
				}
				return nil
			})
			if err != nil {
				b.Fatal(err)
			}
			n := seg.Runs[Prefix].Entries
			b.ReportMetric(float64(n)/float64(len(w.bags)), "postings/doc")
			b.ReportMetric(float64(size)/float64(n), "B/posting")
		}
		b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(w.bags)), "µs/doc")
	})
}

func BenchmarkMerge(b *testing.B) {
	benchCorpora(b, func(b *testing.B, w *benchWorld) {
		parts := w.cut(b, 4, nil)
		for b.Loop() {
			if _, err := Merge(b.Context(), w.layout, parts, func(uint32) bool { return true }, new(memory).emit); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(w.bags)), "µs/doc")
	})
}

// BenchmarkLookup looks up keys that are there, in no order.
func BenchmarkLookup(b *testing.B) {
	benchCorpora(b, func(b *testing.B, w *benchWorld) {
		rng := rand.New(rand.NewPCG(1, 1))
		var keys []uint64
		run, pages := w.segment.Runs[Prefix], w.segment.Pages(Prefix)
		if err := Scan(run, pages, func(key uint64, _ uint32) error {
			if rng.IntN(100) == 0 {
				keys = append(keys, key)
			}
			return nil
		}); err != nil {
			b.Fatal(err)
		}
		rng.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
		var dst []uint32
		i := 0
		for b.Loop() {
			key := keys[i%len(keys)]
			dst, _ = run.lookup(pages, key, key, dst[:0])
			i++
		}
	})
}

func BenchmarkRank(b *testing.B) {
	benchCorpora(b, func(b *testing.B, w *benchWorld) {
		var dst []uint64
		i := 0
		for b.Loop() {
			dst = w.layout.Order.Rank(dst[:0], w.bags[i%len(w.bags)].Set)
			i++
		}
	})
}

// BenchmarkCandidates probes with stored sets: everything up to the exact
// comparison.
func BenchmarkCandidates(b *testing.B) {
	benchCorpora(b, func(b *testing.B, w *benchWorld) {
		for _, percent := range []uint64{90, 80, 50} {
			b.Run(fmt.Sprintf("%d%%", percent), func(b *testing.B) {
				at := api.Ratio(percent, 100)
				var candidates, postings, signature, matches int
				rng := rand.New(rand.NewPCG(1, 1))
				probes := rng.Perm(len(w.bags))[:1000]
				count := func(q int) {
					bag := w.bags[q]
					dst, passed, _ := w.found(q, at, w.segment)
					postings += passed.Postings
					candidates += passed.Counted
					signature += passed.Signature
					for _, set := range dst {
						if s := score(bag, w.bags[set]); at.Admits(s.Shared, s.Of) {
							matches++
						}
					}
				}
				for _, q := range probes {
					count(q)
				}
				i := 0
				for b.Loop() {
					w.found(probes[i%len(probes)], at, w.segment)
					i++
				}
				n := float64(len(probes))
				b.ReportMetric(float64(postings)/n, "postings/op")
				b.ReportMetric(float64(candidates)/n, "candidates/op")
				b.ReportMetric(float64(signature)/n, "signature/op")
				b.ReportMetric(float64(matches)/n, "matches/op")
			})
		}
	})
}

func BenchmarkScanSignatures(b *testing.B) {
	benchCorpora(b, func(b *testing.B, w *benchWorld) {
		v, at := w.table.View(), api.Ratio(8, 10)
		var dst []uint32
		candidates, i := 0, 0
		for b.Loop() {
			dst, _ = ScanSignatures(v, 0, v.Len(), measure.Resemblance, at, factsOf(w.bags[i*7%len(w.bags)]), dst[:0])
			candidates += len(dst)
			i++
		}
		b.ReportMetric(float64(candidates)/float64(b.N), "candidates/op")
	})
}

func BenchmarkNear(b *testing.B) {
	benchCorpora(b, func(b *testing.B, w *benchWorld) {
		v := w.table.View()
		var dst []uint32
		for _, dist := range []int{0, 3, 6, 10} {
			i := uint32(0)
			b.Run(fmt.Sprintf("rotated/%d", dist), func(b *testing.B) {
				for b.Loop() {
					dst, _, _ = Near([]Stored{w.segment}, v, v.SimHash(i*7%v.Len()), dist, dst[:0])
					i++
				}
				b.ReportMetric(float64(len(dst)), "matches/op")
				near, _ := NearCost(int(v.Len()), 1, dist)
				b.ReportMetric(near, "cost")
			})
		}
		b.Run("scan", func(b *testing.B) {
			i := uint32(0)
			for b.Loop() {
				dst = ScanNear(v, 0, v.Len(), v.SimHash(i*7%v.Len()), 3, dst[:0])
				i++
			}
			_, flat := NearCost(int(v.Len()), 1, 3)
			b.ReportMetric(flat, "cost")
		})
	})
}
