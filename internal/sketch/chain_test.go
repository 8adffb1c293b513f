package sketch_test

import (
	"fmt"
	"testing"

	"github.com/simdb/simdb/internal/realtext"
	"github.com/simdb/simdb/internal/shingle"
	"github.com/simdb/simdb/internal/sketch"
	"github.com/simdb/simdb/internal/text"
)

// BenchmarkChain measures the computation of an import per text, step by step and in
// total, in bytes of the original texts. The input of a step is ready but not in the
// cache, because each step runs over all texts.
func BenchmarkChain(b *testing.B) {
	for _, corpus := range []string{"nsf", "linuxdoc"} {
		texts := realtext.Lines(b, corpus+".jsonl.gz", 20)
		for _, a := range []shingle.Analysis{{Unit: text.Word, K: 3}, {Unit: text.Char, K: 5}} {
			benchmarkSteps(b, fmt.Sprintf("%s/%v%d", corpus, a.Unit, a.K), texts, a)
		}
	}
}

func benchmarkSteps(b *testing.B, name string, texts []string, a shingle.Analysis) {
	var bags []shingle.Bag
	for _, doc := range texts {
		bags = append(bags, a.Bag(doc))
	}
	step := func(step string, do func(i int)) {
		b.Run(name+"/"+step, func(b *testing.B) {
			b.SetBytes(realtext.Size(texts))
			b.ReportAllocs()
			for b.Loop() {
				for i := range texts {
					do(i)
				}
			}
		})
	}
	var norm []byte
	var signature sketch.Signature
	step("normalize", func(i int) { norm = a.Unit.Normalize(norm[:0], texts[i]) })
	step("bag", func(i int) { a.Bag(texts[i]) })
	step("simhash", func(i int) { sketch.SimHash(bags[i].Set) })
	step("signature", func(i int) { signature = sketch.NewSignature(signature[:0], bags[i].Set) })
	step("digest", func(i int) { bags[i].Digest() })
	step("bag+simhash", func(i int) { sketch.SimHash(a.Bag(texts[i]).Set) })
	step("all", func(i int) {
		bag := a.Bag(texts[i])
		sketch.SimHash(bag.Set)
		signature = sketch.NewSignature(signature[:0], bag.Set)
		bag.Digest()
	})
}
