package measure_test

// Passages against a brute-force search, also in self-repeating texts.

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/realtext"
	"github.com/simdb/simdb/internal/text"
)

// The example of paper 001, section 2, page 3.
func TestPassagesOfThePaper(t *testing.T) {
	p := []byte("uma rosa é uma rosa é uma rosa.")
	c := []byte("nunca uma rosa é uma rosa é uma violeta.")
	s := measure.NewSiStrings(p)
	want := []measure.Passage{{P: 0, C: len("nunca "), Bytes: len("uma rosa é uma rosa é uma "), Chars: 26}}
	if got := s.Passages(c, 15); !slices.Equal(got, want) {
		t.Errorf("Passages(%q, 15) = %+v, want %+v", c, got, want)
	}
	if got := s.Matched(c, 15); got != 26 || s.Len() != 31 {
		t.Errorf("Matched/Len = %d/%d, want 26/31", got, s.Len())
	}
	// Its first six searches are of the six characters of "nunca ", and none finds a
	// passage.
	for i := range len("nunca ") {
		if got := plainLongest(p, c[i:]); utf8.RuneCount(c[i:i+got]) > 15 {
			t.Errorf("search %d, of %q, matches %q, want 15 characters at most", i+1, c[i:], c[i:i+got])
		}
	}
}

// branchBits returns the numbers in the internal nodes of a Patricia tree over the
// strings, from the left, in extended ASCII, bits counted from 1. A node branches at
// the first differing bit of the greatest string on its left and the least on its
// right. These are neighbours in sorted order, so the array of sistrings has the same
// numbers as the tree.
func branchBits(sistrings []string) (numbers []int) {
	var keys [][]byte
	for _, s := range sistrings {
		var latin1 []byte
		for _, r := range s {
			latin1 = append(latin1, byte(r))
		}
		keys = append(keys, latin1)
	}
	slices.SortFunc(keys, bytes.Compare)
	for i, b := range keys[1:] {
		a := keys[i]
		n := 0
		for a[n] == b[n] {
			n++
		}
		numbers = append(numbers, 8*n+bits.LeadingZeros8(a[n]^b[n])+1)
	}
	return numbers
}

// Figure 4 of paper 001, page 2.
func TestBranchBitsOfThePaper(t *testing.T) {
	doc := "uma rosa é uma rosa."
	var sistrings []string
	for _, at := range plainStarts([]byte(doc)) {
		sistrings = append(sistrings, doc[at:])
	}
	// From the left: the two rosa, rosa and uma, the two uma, then é.
	if got, want := branchBits(sistrings), []int{37, 6, 69, 1}; !slices.Equal(got, want) {
		t.Errorf("branch bits of the sistrings of %q = %v, want %v", doc, got, want)
	}
}

// The definition, without regard to speed.

func plainStarts(p []byte) (starts []int) {
	for i := range p {
		if i == 0 || p[i-1] == ' ' {
			starts = append(starts, i)
		}
	}
	return starts
}

// plainLongest returns the length in bytes, in whole code points, of the longest prefix
// of c that starts a sistring of p.
func plainLongest(p, c []byte) (longest int) {
	for _, at := range plainStarts(p) {
		n := 0
		for n < len(c) {
			_, size := utf8.DecodeRune(c[n:])
			if !bytes.HasPrefix(p[at:], c[:n+size]) {
				break
			}
			n += size
		}
		longest = max(longest, n)
	}
	return longest
}

func plainPassages(p, c []byte, min int) (all []measure.Passage) {
	for i := 0; i < len(c); {
		n := plainLongest(p, c[i:])
		if chars := utf8.RuneCount(c[i : i+n]); chars > max(min, 0) {
			all = append(all, measure.Passage{C: i, Bytes: n, Chars: chars})
			i += n
		} else {
			_, size := utf8.DecodeRune(c[i:])
			i += size
		}
	}
	return all
}

// diffPassages describes the first difference of the index from the definition, "" if
// there is none.
func diffPassages(p, c []byte, min int) string {
	s := measure.NewSiStrings(p)
	got, want := s.Passages(c, min), plainPassages(p, c, min)
	chars := 0
	for i, g := range got {
		if g.P < 0 || g.P+g.Bytes > len(p) || !bytes.Equal(p[g.P:g.P+g.Bytes], c[g.C:g.C+g.Bytes]) {
			return fmt.Sprintf("P %q, C %q, min %d: passage %+v is not in both", p, c, min, g)
		}
		if g.P > 0 && p[g.P-1] != ' ' {
			return fmt.Sprintf("P %q, C %q, min %d: passage %+v starts at no term", p, c, min, g)
		}
		chars += g.Chars
		got[i].P = 0 // any position with the longest match is valid
	}
	if !slices.Equal(got, want) {
		return fmt.Sprintf("P %q, C %q: Passages(%d) = %+v, want %+v", p, c, min, got, want)
	}
	if m := s.Matched(c, min); m != chars {
		return fmt.Sprintf("P %q, C %q: Matched(%d) = %d, want %d", p, c, min, m, chars)
	}
	if s.Len() != utf8.RuneCount(p) {
		return fmt.Sprintf("Len of %q = %d, want %d", p, s.Len(), utf8.RuneCount(p))
	}
	return ""
}

// Small alphabets cause repetition. The letters of the fourth share their first bytes:
// matches end inside them.
var alphabets = [][]string{
	{"a", " "}, {"a", "b", " "}, {"a", "b", "c", " ", "\x00", "!"}, {"é", "è", "ë", "語", "誟", " "}, {"rose ", "is ", "a ", "é"},
}

func randomText(r *rand.Rand, alphabet []string, n int) []byte {
	var b []byte
	for range n {
		b = append(b, alphabet[r.IntN(len(alphabet))]...)
	}
	return text.Char.Normalize(nil, string(b))
}

func TestPassagesAgainstDefinition(t *testing.T) {
	const seed = 1
	r := rand.New(rand.NewPCG(seed, seed))
	for i := range 20_000 {
		alphabet := alphabets[i%len(alphabets)]
		p := randomText(r, alphabet, r.IntN(40))
		c := randomText(r, alphabet, r.IntN(40))
		for range r.IntN(3) { // pieces of P in C
			if starts := plainStarts(p); len(starts) > 0 {
				c = append(c, p[starts[r.IntN(len(starts))]:]...)
			}
		}
		if d := diffPassages(p, c, r.IntN(18)-1); d != "" {
			t.Fatalf("seed %d, texts %d: %s", seed, i, d)
		}
	}
}

// Self-repeating texts with a mismatch at their end, at which a scan or a sort could
// restart again and again.
func TestPassagesOfPeriodicTexts(t *testing.T) {
	for _, period := range []string{"a", "ab", "a ", "ab ", "ab a ", "é ", "aé é "} {
		p := bytes.Repeat([]byte(period), 60)
		for _, doc := range []string{string(p), string(p) + "x", string(p[:len(p)/2]) + "x " + string(p), "x" + string(p)} {
			c := text.Char.Normalize(nil, doc)
			for _, min := range []int{0, 1, 6, 7, 15, 59, 100, 300} {
				for _, p := range [][]byte{text.Char.Normalize(nil, string(p)), p} { // p may end in a space
					if d := diffPassages(p, c, min); d != "" {
						t.Fatal(d)
					}
				}
			}
		}
	}
}

// All of a real text, in order, is found in itself.
func TestPassagesOfRealTexts(t *testing.T) {
	docs := realtext.Lines(t, "nsf.jsonl.gz", 400)
	for i, doc := range docs {
		p := text.Char.Normalize(nil, doc)
		s := measure.NewSiStrings(p)
		if got, want := s.Passages(p, 15), []measure.Passage{{Bytes: len(p), Chars: s.Len()}}; s.Len() > 15 && !slices.Equal(got, want) {
			t.Errorf("text %d in itself: %+v, want %+v", i, got, want)
		}
		c := text.Char.Normalize(nil, docs[(i+1)%len(docs)])
		p, c = p[:min(len(p), 1500)], c[:min(len(c), 1500)]
		if d := diffPassages(bytes.ToValidUTF8(p, nil), bytes.ToValidUTF8(c, nil), 10); d != "" {
			t.Errorf("texts %d and %d: %s", i, i+1, d)
		}
	}
}

// Texts that are not normalised may give any result, but the calls must end.
func FuzzPassages(f *testing.F) {
	f.Add("uma rosa é uma rosa é uma rosa.", "nunca uma rosa é uma rosa é uma violeta.", 15)
	f.Add("a a a", "a  a", 0)
	f.Add("é", "è\xc3", 1)
	f.Fuzz(func(t *testing.T, p, c string, min int) {
		if d := diffPassages(text.Char.Normalize(nil, p), text.Char.Normalize(nil, c), min); d != "" {
			t.Fatal(d)
		}
		measure.NewSiStrings([]byte(p)).Passages([]byte(c), min)
	})
}

func TestMatchedDoesNotAllocate(t *testing.T) {
	p, c := []byte("a rose is a rose is a rose"), []byte("that a rose is a rose is known")
	s := measure.NewSiStrings(p)
	for _, min := range []int{3, 15} {
		if got := testing.AllocsPerRun(10, func() { s.Matched(c, min) }); got != 0 {
			t.Errorf("Matched(%d) allocates %v times, want 0", min, got)
		}
	}
}

func ExampleSiStrings_Passages() {
	p := text.Char.Normalize(nil, "Uma rosa é uma rosa é uma rosa.")
	c := text.Char.Normalize(nil, "Nunca uma rosa é uma rosa é uma violeta.")
	s := measure.NewSiStrings(p)
	for _, passage := range s.Passages(c, 15) {
		fmt.Printf("%q\n", c[passage.C:passage.C+passage.Bytes])
	}
	fmt.Printf("%d of %d\n", s.Matched(c, 15), s.Len())
	// Output:
	// "uma rosa é uma rosa é uma "
	// 26 of 31
}

// megabyteTexts returns the texts of the benchmarks.
func megabyteTexts(b *testing.B) map[string][]byte {
	const size = 1 << 20
	cut := func(doc string) []byte { return text.Char.Normalize(nil, doc[:size]) }
	random := make([]byte, size)
	r := rand.New(rand.NewPCG(1, 1))
	for i := range random {
		random[i] = "ab "[r.IntN(3)]
	}
	numbered := make([]byte, 0, 2*size) // texts of one length with a long common start
	for i := range uint64(size / 1000) {
		numbered = append(numbered, strings.Repeat("a", 1000)...)
		numbered = binary.AppendUvarint(numbered, i+1)
		numbered = append(numbered, ' ')
	}
	nsf := strings.Join(realtext.Lines(b, "nsf.jsonl.gz", 15), "\n\n")
	return map[string][]byte{
		"nsf":      cut(nsf),
		"nsf2":     cut(nsf[size:]),
		"a":        bytes.Repeat([]byte("a"), size),
		"abab":     bytes.Repeat([]byte("ab"), size/2),
		"a a":      bytes.Repeat([]byte("a "), size/2),
		"word":     bytes.Repeat([]byte("word "), size/5),
		"words x":  bytes.Repeat([]byte("ab ab ab ab ab x"), size/16),
		"random":   text.Char.Normalize(nil, string(random)),
		"numbered": text.Char.Normalize(nil, string(numbered)),
	}
}

func BenchmarkNewSiStrings(b *testing.B) {
	texts := megabyteTexts(b)
	for _, name := range []string{"nsf", "a", "abab", "a a", "word", "words x", "random", "numbered"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				measure.NewSiStrings(texts[name])
			}
			perByte(b, len(texts[name]))
		})
	}
}

func BenchmarkMatched(b *testing.B) {
	texts := megabyteTexts(b)
	for _, bm := range []struct {
		p, c string
		min  int
	}{
		{"nsf", "nsf2", 15}, {"nsf", "nsf2", 3}, {"nsf", "nsf", 15}, {"nsf2", "a", 15},
		{"a", "a", 15}, {"a", "abab", 15}, {"abab", "abab", 15}, {"a a", "a a", 15}, {"word", "word", 15}, {"a a", "words x", 15},
		{"words x", "words x", 15}, {"random", "random", 15}, {"random", "words x", 15}, {"word", "words x", 15},
	} {
		s := measure.NewSiStrings(texts[bm.p])
		b.Run(fmt.Sprintf("%s/%s/%d", bm.p, bm.c, bm.min), func(b *testing.B) {
			for b.Loop() {
				s.Matched(texts[bm.c], bm.min)
			}
			perByte(b, len(texts[bm.c]))
		})
	}
}

// The worst case of a scan: every term of C starts a match of nearly sufficient length.
func BenchmarkMatchedNearly(b *testing.B) {
	const size = 1 << 20
	for _, min := range []int{15, 150, 1_500, 15_000} {
		nearly := strings.Repeat("ab ", (min-3)/3)
		p := bytes.Repeat([]byte(nearly+"y "), size/(len(nearly)+2))
		c := bytes.Repeat([]byte(nearly+"x "), size/(len(nearly)+2))
		s := measure.NewSiStrings(p)
		b.Run(fmt.Sprint(min), func(b *testing.B) {
			for b.Loop() {
				if got := s.Matched(c, min); got != 0 {
					b.Fatalf("Matched = %d, want 0", got)
				}
			}
			perByte(b, len(c))
		})
	}
}

// perByte reports nanoseconds per byte of the text.
func perByte(b *testing.B, size int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(size), "ns/byte")
}
