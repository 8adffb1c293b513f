package engine

import (
	"errors"
	"testing"

	"github.com/simdb/simdb/corpus"
	"github.com/simdb/simdb/measure"
)

// BenchmarkSimilar searches for stored texts of 2 kB at 0.8, each in turn, with
// a snapshot of its own and all rows read.
func BenchmarkSimilar(b *testing.B) {
	const n = 10000
	db, err := Open(b.TempDir(), nil)
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	ids, docs := make([]string, n), make([]Document, n)
	for i := range ids {
		doc := corpus.At(1, i)
		ids[i], docs[i] = doc.ID, Document{ID: doc.ID, Text: doc.Text}
	}
	if err := errors.Join(db.Put(b.Context(), docs...), db.maintain(b.Context())); err != nil {
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
		r, err := s.Similar(b.Context(), ByID(ids[i]), Search{Min: measure.Ratio(4, 5)})
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
