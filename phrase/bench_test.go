package phrase

import "testing"

// benchTexts returns a sample to learn from, other texts, and their mean length.
func benchTexts() (sample, texts []string, bytes int64) {
	all := generated(1256)
	sample, texts = all[:256], all[256:]
	for _, t := range texts {
		bytes += int64(len(t))
	}
	return sample, texts, bytes / int64(len(texts))
}

func BenchmarkEncode(b *testing.B) {
	sample, texts, bytes := benchTexts()
	book := Learn(sample, 4096)
	b.SetBytes(bytes)
	var dst []byte
	n := 0
	b.ResetTimer()
	for i := range b.N {
		dst = book.Encode(dst[:0], texts[i%len(texts)])
		n += len(dst)
	}
	b.ReportMetric(float64(n)/float64(b.N), "coded-B/op")
}

func BenchmarkDecode(b *testing.B) {
	sample, texts, bytes := benchTexts()
	book := Learn(sample, 4096)
	var codes [][]byte
	for _, t := range texts {
		codes = append(codes, book.Encode(nil, t))
	}
	b.SetBytes(bytes)
	b.ResetTimer()
	for i := range b.N {
		if _, err := book.Decode(codes[i%len(codes)]); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLearn(b *testing.B) {
	sample, _, _ := benchTexts()
	for b.Loop() {
		Learn(sample, 4096)
	}
}
