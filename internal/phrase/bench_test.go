package phrase

// Benchmarks of the steps of compression, on generated and real texts.

import (
	"slices"
	"testing"

	"github.com/simdb/simdb/internal/realtext"
)

// benchTexts calls run for each kind of text, with a dictionary and texts outside of
// its sample.
func benchTexts(b *testing.B, run func(b *testing.B, dictionary *Dictionary, texts []string)) {
	for _, kind := range []string{"generated", "nsf", "linuxdoc"} {
		b.Run(kind, func(b *testing.B) {
			var all []string
			if kind == "generated" {
				all = generated(1256)
			} else {
				all = realTexts(b, kind, 1256)
			}
			texts := all[256:]
			bytes := int64(0)
			for _, t := range texts {
				bytes += int64(len(t))
			}
			b.SetBytes(bytes / int64(len(texts)))
			run(b, Learn(all[:256], 4096), texts)
		})
	}
}

// realTexts reads n texts below 8 kB of a corpus, every other one.
func realTexts(b *testing.B, corpus string, n int) (texts []string) {
	texts = realtext.Lines(b, corpus+".jsonl.gz", 2)
	texts = slices.DeleteFunc(texts, func(text string) bool { return len(text) >= 8<<10 })
	return texts[:n]
}

func BenchmarkEncode(b *testing.B) {
	benchTexts(b, func(b *testing.B, dictionary *Dictionary, texts []string) {
		var dst []byte
		n := 0
		b.ResetTimer()
		for i := range b.N {
			dst = dictionary.Encode(dst[:0], texts[i%len(texts)])
			n += len(dst)
		}
		b.ReportMetric(float64(n)/float64(b.N), "coded-B/op")
	})
}

// The steps of Encode: phrases, repeats, codes.
func BenchmarkCut(b *testing.B) {
	benchTexts(b, func(b *testing.B, dictionary *Dictionary, texts []string) {
		var c cutter
		b.ResetTimer()
		n := 0
		for i := range b.N {
			c.cut(dictionary.finder, texts[i%len(texts)])
			n += len(c.phrases)
		}
		b.ReportMetric(float64(n)/float64(b.N), "phrases/op")
	})
}

func BenchmarkRepeats(b *testing.B) {
	var c cutter
	c.cut(Learn(generated(256), 4096).finder, generated(300)[299])
	b.SetBytes(int64(c.limit))
	for b.Loop() {
		for range c.pieces {
		}
	}
}

func BenchmarkWrite(b *testing.B) {
	var c cutter
	c.cut(Learn(generated(256), 4096).finder, generated(300)[299])
	b.SetBytes(int64(c.limit))
	out := make([]byte, 2*c.limit+2*pad)
	for b.Loop() {
		w := bitWriter{out: out}
		w.phrases(c.phrases)
	}
}

func BenchmarkDecode(b *testing.B) {
	benchTexts(b, func(b *testing.B, dictionary *Dictionary, texts []string) {
		var codes [][]byte
		for _, t := range texts {
			codes = append(codes, dictionary.Encode(nil, t))
		}
		b.ResetTimer()
		for i := range b.N {
			if _, err := dictionary.Decode(codes[i%len(codes)]); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkLearn(b *testing.B) {
	sample := generated(256)
	for b.Loop() {
		Learn(sample, 4096)
	}
}
