package engine

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/corpus"
)

// BenchmarkPut is what a Put costs beside the disk, by one writer and by many.
func BenchmarkPut(b *testing.B) {
	ctx := context.Background()
	for _, writers := range []int{1, 32} {
		b.Run(fmt.Sprintf("writers=%d", writers), func(b *testing.B) {
			docs := make([]Document, b.N)
			for i := range docs {
				d := corpus.At(1, i)
				docs[i] = Document{ID: d.ID, Text: d.Text}
			}
			db, err := Open("db", &Options{fs: vfs.NewMem()})
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
	var batches []*Batch
	for i := range n {
		if i%500 == 0 {
			batches = append(batches, &Batch{})
		}
		d := corpus.At(1, i)
		batches[len(batches)-1].Put(Document{ID: d.ID, Text: d.Text})
	}
	for b.Loop() {
		db, err := Open("db", &Options{fs: vfs.NewMem()})
		if err != nil {
			b.Fatal(err)
		}
		source := func(yield func(*Batch, error) bool) {
			for _, batch := range batches {
				if !yield(batch, nil) {
					return
				}
			}
		}
		if err := db.Load(context.Background(), source, func(*Batch, BatchStats) {}); err != nil {
			b.Fatal(err)
		}
		if err := db.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/n, "µs/doc")
}
