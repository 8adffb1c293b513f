// What a Put, a load and a search cost.

package engine_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/internal/corpus"
)

// BenchmarkPut is what a Put costs beside the disk, by one writer and by many.
func BenchmarkPut(b *testing.B) {
	ctx := context.Background()
	for _, writers := range []int{1, 32} {
		b.Run(fmt.Sprintf("writers=%d", writers), func(b *testing.B) {
			docs := make([]api.Document, b.N)
			for i := range docs {
				d := corpus.At(1, i)
				docs[i] = api.Document{ID: d.ID, Text: d.Text}
			}
			db, err := engine.Open("db", enginetest.WithHooks(&engine.Options{}, vfs.NewMem(), 0))
			if err != nil {
				b.Fatal(err)
			}
			defer db.Close()
			b.ResetTimer()
			var all sync.WaitGroup
			for w := range writers {
				all.Go(func() {
					for i := w; i < len(docs); i += writers {
						if err := db.Put(ctx, docs[i]); err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			all.Wait()
			b.StopTimer()
		})
	}
}

// BenchmarkLoad is what a document costs in a load of 20,000, beside the disk.
func BenchmarkLoad(b *testing.B) {
	const n = 20000
	var batches []*engine.Batch
	for i := range n {
		if i%500 == 0 {
			batches = append(batches, &engine.Batch{})
		}
		d := corpus.At(1, i)
		batches[len(batches)-1].Put(api.Document{ID: d.ID, Text: d.Text})
	}
	for b.Loop() {
		db, err := engine.Open("db", enginetest.WithHooks(&engine.Options{}, vfs.NewMem(), 0))
		if err != nil {
			b.Fatal(err)
		}
		source := func(yield func(*engine.Batch, error) bool) {
			for _, batch := range batches {
				if !yield(batch, nil) {
					return
				}
			}
		}
		if err := db.Load(context.Background(), source, func(*engine.Batch, api.BatchStats) {}); err != nil {
			b.Fatal(err)
		}
		if err := db.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/n, "µs/doc")
}

// BenchmarkSimilar searches for stored texts of 2 kB at 0.8, each in turn, with
// a snapshot of its own and all rows read.
func BenchmarkSimilar(b *testing.B) {
	const n = 10000
	db, err := engine.Open(b.TempDir(), nil)
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	ids, docs := make([]string, n), make([]api.Document, n)
	for i := range ids {
		doc := corpus.At(1, i)
		ids[i], docs[i] = doc.ID, api.Document{ID: doc.ID, Text: doc.Text}
	}
	if err := errors.Join(db.Put(b.Context(), docs...), enginetest.Inside(db).Maintain(b.Context())); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		s, err := db.Snapshot()
		if err != nil {
			b.Fatal(err)
		}
		i = (i + 7919) % n
		r, err := s.Similar(b.Context(), api.ByID(ids[i]), engine.Search{Min: api.Ratio(4, 5)})
		if err != nil {
			b.Fatal(err)
		}
		for _, err := range r.All {
			if err != nil {
				b.Fatal(err)
			}
		}
		s.Close()
	}
}
