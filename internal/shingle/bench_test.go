package shingle_test

// Benchmarks of the steps after tokenisation.

import (
	"fmt"
	"github.com/simdb/simdb/internal/realtext"
	"testing"

	"github.com/simdb/simdb/internal/shingle"
	"github.com/simdb/simdb/internal/text"
)

var analyses = []shingle.Analysis{{Unit: text.Word, K: 3}, {Unit: text.Char, K: 5}}

func name(a shingle.Analysis) string { return fmt.Sprintf("%v%d", a.Unit, a.K) }

func BenchmarkBag(b *testing.B) {
	texts := realtext.Lines(b, "linuxdoc.jsonl.gz", 20)
	for _, a := range analyses {
		b.Run(name(a), func(b *testing.B) {
			b.SetBytes(realtext.Size(texts))
			b.ReportAllocs()
			members := 0
			for b.Loop() {
				members = 0
				for _, doc := range texts {
					members += len(a.Bag(doc).Set)
				}
			}
			b.ReportMetric(float64(members)/float64(len(texts)), "members/text")
		})
	}
}

// onBags measures do on the bag of each text.
func onBags(b *testing.B, do func(shingle.Bag)) {
	texts := realtext.Lines(b, "linuxdoc.jsonl.gz", 20)
	for _, a := range analyses {
		b.Run(name(a), func(b *testing.B) {
			b.SetBytes(realtext.Size(texts))
			b.ReportAllocs()
			var bags []shingle.Bag
			for _, doc := range texts {
				bags = append(bags, a.Bag(doc))
			}
			for b.Loop() {
				for _, bag := range bags {
					do(bag)
				}
			}
		})
	}
}

func BenchmarkDigest(b *testing.B) { onBags(b, func(bag shingle.Bag) { _ = bag.Digest() }) }

func BenchmarkShared(b *testing.B) {
	for _, need := range []float64{0, 0.8} {
		b.Run(fmt.Sprintf("need=%v", need), func(b *testing.B) {
			var last shingle.Set
			onBags(b, func(bag shingle.Bag) {
				_ = shingle.Shared(last, bag.Set, int(need*float64(len(bag.Set))))
				last = bag.Set
			})
		})
	}
}
