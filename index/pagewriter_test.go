package index

import (
	"bytes"
	"encoding/hex"
	"errors"
	"math/bits"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// plainPage encodes the first of the entries by the plain writer, and returns their number.
func plainPage(words []uint64) ([]byte, int) {
	var keys []uint64
	var payloads []uint32
	for _, x := range words {
		keys, payloads = append(keys, x>>32), append(payloads, uint32(x))
	}
	return appendPage(nil, keys, payloads)
}

// pageWords makes up to a page of entries with keys of all widths, and payloads
// with sets and tops of all widths.
func pageWords(rng *rand.Rand) []uint64 {
	words := make([]uint64, 1+rng.IntN(pageEntries))
	seldom := rng.IntN(4)
	if rng.IntN(2) == 0 {
		words = words[:1+rng.IntN(min(len(words), 70))]
	}
	keys, sets, tops := rng.IntN(33), rng.IntN(setBits+1), rng.IntN(33-setBits)
	base := rng.Uint64N(1<<(32-setBits) - 1<<tops + 1)
	for i := range words {
		words[i] = rng.Uint64N(1<<keys)<<32 | (base+rng.Uint64N(1<<tops))<<setBits | rng.Uint64N(1<<sets)
	}
	for i := range words[1:] { // several entries of a key
		if seldom > 0 && rng.IntN(1+seldom) > 0 {
			words[i+1] = words[i+1]&(1<<32-1) | words[i]>>32<<32
		}
	}
	slices.Sort(words)
	return words
}

var exampleBytes = regexp.MustCompile(`(?m)^//\t((?:[0-9a-f]{2} )*[0-9a-f]{2})  `)

// The example above the format is the page that is written.
func TestPageExample(t *testing.T) {
	source, err := os.ReadFile("page.go")
	if err != nil {
		t.Fatal(err)
	}
	digits := ""
	for _, line := range exampleBytes.FindAllSubmatch(source, -1) {
		digits += strings.ReplaceAll(string(line[1]), " ", "")
	}
	want, err := hex.DecodeString(digits)
	if err != nil {
		t.Fatal(err)
	}
	words := []uint64{5<<32 | uint64(Counted(3, 0)), 9<<32 | uint64(Counted(1, 0)), 9<<32 | uint64(Counted(2, 0)), 300<<32 | uint64(Counted(7, 1))}
	if got, n := new(pageWriter).page(words); n != len(words) || !bytes.Equal(got, want) {
		t.Errorf("the example's page is\n% x, page.go has\n% x", got, want)
	}
}

// Pages are written as the plain writer does, and read as the plain reader does.
func TestPageWriterIsPlain(t *testing.T) {
	var w pageWriter
	for seed := range uint64(600) {
		rng := rand.New(rand.NewPCG(seed, 7))
		words := pageWords(rng)
		page, n := w.page(words)
		if plain, as := plainPage(words); n != as || !bytes.Equal(page, plain) {
			t.Fatalf("seed %d: page of %d of %d entries differs from the plain one of %d", seed, n, len(words), as)
		}
		words = words[:n]
		got, err := appendWords([]uint64{7}, page, 1<<setBits, 0)
		if err != nil || got[0] != 7 || !slices.Equal(got[1:], words) {
			t.Fatalf("seed %d: appendWords of %d entries: %d, %v", seed, len(words), len(got)-1, err)
		}
	}
}

// The largest page there can be fits the writer's memory.
func TestLargestPage(t *testing.T) {
	words := make([]uint64, pageEntries)
	for i := range words { // each key has two entries, and the last group's keys reach as far as they can
		words[i] = uint64(i/2)<<32 | uint64(i)<<21
		if i >= pageEntries-groupEntries+2 {
			words[i] |= 0xffff_f000 << 32
		}
	}
	words[0] &^= 1<<32 - 1
	words[pageEntries-1] |= 1<<32 - 1
	page, n := new(pageWriter).page(words)
	if plain, as := plainPage(words); n != pageEntries || as != n || !bytes.Equal(page, plain) {
		t.Errorf("page of %d entries differs from the plain one of %d", n, as)
	}
	for width := range 33 {
		low := max(width-highBits, 0)
		if size := groupBytes(groupEntries, groupKeys, low, 32); size > (maxPage-pageHeader-pagePadding)/pageGroups-8 || lowWidth(1<<width-1) != low {
			t.Errorf("a group of width %d takes %d bytes", bits.Len32(uint32(width)), size)
		}
	}
	if maxPage >= 1<<(32-placeShift) {
		t.Errorf("places of %d bytes do not fit a word of the directory", maxPage)
	}
}

// appendWords reads what the plain reader does, or gives an error.
func FuzzAppendWords(f *testing.F) {
	var w pageWriter
	for seed := range uint64(4) {
		page, _ := w.page(pageWords(rand.New(rand.NewPCG(seed, 8))))
		f.Add(bytes.Clone(page), uint32(1<<setBits), uint32(0))
	}
	carrying, _ := appendPage(nil, []uint64{7, 7}, []uint32{1022 << setBits, 1023 << setBits})
	carrying[4]++ // its tops are added to 1023, which no writer does
	f.Add(carrying, uint32(4), uint32(0))
	few, _ := plainPage([]uint64{1, 1 << 32, 5<<32 | 3})
	f.Add(few, uint32(4), uint32(1<<21))
	long, _ := appendPage(nil, []uint64{1, 1, 1, 1 << 60}, []uint32{1, 2, 3, 4})
	f.Add(long, uint32(9), uint32(0))
	f.Add(appendFlatPage(nil, []uint64{5, 6, 1 << 60}, []uint32{1, 2, 3}), uint32(9), uint32(0))
	f.Fuzz(func(t *testing.T, b []byte, span, shift uint32) {
		span = min(span, 1<<setBits)
		shift = min(shift, 1<<setBits-span)
		words, err := appendWords(nil, b, span, shift)
		if err != nil {
			if !errors.Is(err, ErrPage) || len(words) > 0 {
				t.Errorf("appendWords: %d entries, %v", len(words), err)
			}
			return
		}
		keys, payloads, err := decodePage(b, nil, nil)
		if err != nil || len(keys) != len(words) {
			t.Fatalf("appendWords gives %d entries, decodePage %d, %v", len(words), len(keys), err)
		}
		for i, x := range words {
			if x>>32 != keys[i] || uint32(x) != payloads[i]+shift || uint32(x)&setMask >= shift+span || i > 0 && x>>32 < words[i-1]>>32 {
				t.Fatalf("entry %d is %x, want %x %x", i, x, keys[i], payloads[i])
			}
		}
	})
}

func BenchmarkPageWriter(b *testing.B) {
	words := loadedPage()
	var w pageWriter
	for b.Loop() {
		w.page(words)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(words)), "ns/posting")
}

func BenchmarkAppendWords(b *testing.B) {
	page, _ := new(pageWriter).page(loadedPage())
	var words []uint64
	for b.Loop() {
		words, _ = appendWords(words[:0], page, loadSets, 0)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(words)), "ns/posting")
}

// loadedPage has the widths of a page of a segment that a load makes.
func loadedPage() []uint64 {
	rng := rand.New(rand.NewPCG(1, 9))
	words := make([]uint64, pageEntries)
	for i := range words {
		words[i] = rng.Uint64N(1<<20)<<32 | rng.Uint64N(7)<<setBits | rng.Uint64N(loadSets)
		if i%2 > 0 { // most keys have one or two entries
			words[i] = words[i]&(1<<32-1) | words[rng.IntN(i)]>>32<<32
		}
	}
	slices.Sort(words)
	_, n := new(pageWriter).page(words)
	return words[:n]
}
