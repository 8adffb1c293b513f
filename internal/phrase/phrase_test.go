package phrase

// Round trips of texts, and the safety of decoding damaged bytes.

import (
	"errors"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/simdb/simdb/internal/corpus"
)

func generated(n int) (texts []string) {
	for _, d := range corpus.Texts(1, n) {
		texts = append(texts, d.Text)
	}
	return texts
}

// wild returns texts outside of the kind of any dictionary, and texts at the limits of
// the encoding.
func wild(rng *rand.Rand) []string {
	random := func(n, alphabet int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(rng.IntN(alphabet))
		}
		return string(b)
	}
	return []string{
		"", "a", "\x00", "\x00\x00\x00\x00", "th", "the", "the\x00", strings.Repeat("\x00", 100), strings.Repeat("\xff", MaxText),
		strings.Repeat("a", 9), strings.Repeat("a", 10), strings.Repeat("ab", 5000), random(1, 256), random(7, 256), random(300, 256),
		random(MaxText, 256), random(MaxText, 2), random(5000, 3),
		random(40000, 256) + strings.Repeat("far away and long ago ", 900), "x" + strings.Repeat("yz", MaxText/2),
		"漢字かな交じり文 漢字かな交じり文", "\ufffd\xff\xfe",
	}
}

// Every text round-trips through every dictionary, and every dictionary through its
// stored form.
func TestThereAndBack(t *testing.T) {
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 1))
	known := generated(60)
	for name, sample := range map[string][]string{
		"nothing": nil, "one letter": {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}, "texts": known[:40], "wild": wild(rng),
	} {
		for _, size := range []int{0, 256, 300, 2048, 1 << 20} {
			learnt := Learn(sample, size)
			stored := learnt.Append(nil)
			dictionary, err := Parse(stored)
			if err != nil || !slices.Equal(dictionary.Append(nil), stored) {
				t.Fatalf("%s, %d: Parse: %v", name, size, err)
			}
			for _, text := range append(known, wild(rng)...) {
				code := learnt.Encode(nil, text)
				if other := dictionary.Encode(nil, text); !slices.Equal(other, code) {
					t.Fatalf("seed %d, %s, %d: a parsed dictionary encodes %.20q… otherwise", seed, name, size, text)
				}
				if got, err := dictionary.Decode(code); err != nil || got != text {
					t.Fatalf("seed %d, %s, %d: Decode(Encode(%.20q… of %d)) = %.20q…, %v", seed, name, size, text, len(text), got, err)
				}
				for _, bad := range [][]byte{code[:len(code)-1], append(slices.Clone(code), 0)} {
					if got, err := dictionary.Decode(bad); err == nil && (got == text || len(text) > 0) {
						t.Fatalf("seed %d, %s, %d: Decode of %d bytes instead of %d gives %.20q…", seed, name, size, len(bad), len(code), got)
					}
				}
			}
		}
	}
}

// A dictionary with codes of all 15 bits, and a code of it, written when dictionaries
// still had codes longer than 14 bits, must decode.
func TestEarlier(t *testing.T) {
	stored, err := os.ReadFile("testdata/earlier.dictionary")
	if err != nil {
		t.Fatal(err)
	}
	code, err := os.ReadFile("testdata/earlier.code")
	if err != nil {
		t.Fatal(err)
	}
	dictionary, err := Parse(stored)
	if err != nil || slices.Max(dictionary.lengths) != maxCode {
		t.Fatalf("Parse: %v", err)
	}
	if got, err := dictionary.Decode(code); err != nil || got != earlierText {
		t.Errorf("Decode = %q, %v", got, err)
	}
	if got, err := dictionary.Decode(dictionary.Encode(nil, earlierText)); err != nil || got != earlierText {
		t.Errorf("Decode(Encode) = %q, %v", got, err)
	}
}

// The dictionary of a sample shrinks texts of its kind to a third, and texts with
// repetitions further.
func TestShort(t *testing.T) {
	texts := generated(300)
	dictionary := Learn(texts[:200], 4096)
	long, short := 0, 0
	for _, text := range texts[200:] {
		long += len(text)
		short += len(dictionary.Encode(nil, text))
	}
	if short*5 > long*2 {
		t.Errorf("%d bytes of text take %d, want two fifths at most", long, short)
	}
	if once, twice := dictionary.Encode(nil, texts[250]), dictionary.Encode(nil, texts[250]+texts[250]); len(twice) > len(once)*5/4 {
		t.Errorf("a text takes %d bytes, twice the same %d", len(once), len(twice))
	}
}

func TestLearnIsRepeatable(t *testing.T) {
	texts := generated(50)
	if a, b := Learn(texts, 1000).Append(nil), Learn(texts, 1000).Append(nil); !slices.Equal(a, b) {
		t.Error("two dictionaries of one sample differ")
	}
}

func TestParseRefuses(t *testing.T) {
	good := Learn(generated(20), 500).Append(nil)
	for n := range good {
		if _, err := Parse(good[:n]); !errors.Is(err, ErrCorrupt) {
			t.Fatalf("Parse of the first %d bytes of %d = %v, want ErrCorrupt", n, len(good), err)
		}
	}
	if _, err := Parse(append(slices.Clone(good), 1)); !errors.Is(err, ErrCorrupt) {
		t.Errorf("Parse with a byte more = %v, want ErrCorrupt", err)
	}
}

// The lengths of repetitions agree with their classes.
func TestLengths(t *testing.T) {
	for n := minRepeat; n <= MaxText; n++ {
		class, extra, extraBits := classOf(n)
		least, bits := lengthOf(class)
		if class >= lengthClasses || bits != extraBits || extra>>bits != 0 || least+int(extra) != n {
			t.Fatalf("length %d: class %d with %d in %d bits; back: from %d with %d bits", n, class, extra, extraBits, least, bits)
		}
	}
}

// Code lengths are Huffman's while they fit, and always decode.
func TestHuffman(t *testing.T) {
	fibonacci := []int{1, 1}
	for len(fibonacci) < 60 {
		fibonacci = append(fibonacci, fibonacci[len(fibonacci)-1]+fibonacci[len(fibonacci)-2])
	}
	for _, counts := range [][]int{{0, 0}, {1, 1, 1}, {5, 1, 1, 1}, make([]int, MaxPhrases+lengthClasses), fibonacci} {
		if l := huffman(counts); !fills(l) {
			t.Errorf("huffman(%d symbols) = %v, which does not fill the code space", len(counts), l)
		}
	}
	if got, want := huffman([]int{8, 4, 2, 1, 1}), []uint8{1, 2, 3, 4, 4}; !slices.Equal(got, want) {
		t.Errorf("huffman = %v, want %v", got, want)
	}
}

func FuzzEncode(f *testing.F) {
	for _, text := range wild(rand.New(rand.NewPCG(1, 1))) {
		if len(text) < 1000 {
			f.Add(text)
		}
	}
	dictionaries := []*Dictionary{Learn(nil, 256), Learn(generated(30), 2000)}
	f.Fuzz(func(t *testing.T, text string) {
		text = text[:min(len(text), MaxText)]
		for i, b := range dictionaries {
			if got, err := b.Decode(b.Encode(nil, text)); err != nil || got != text {
				t.Errorf("dictionary %d: Decode(Encode(%q)) = %q, %v", i, text, got, err)
			}
		}
	})
}

func FuzzDecode(f *testing.F) {
	b := Learn(generated(30), 2000)
	for _, text := range append(wild(rand.New(rand.NewPCG(1, 1))), generated(5)...) {
		if len(text) < 3000 {
			f.Add(b.Encode(nil, text))
		}
	}
	f.Add([]byte{0xff, 0xff, 3})
	f.Fuzz(func(t *testing.T, code []byte) {
		if text, err := b.Decode(code); err == nil {
			if again, err := b.Decode(b.Encode(nil, text)); err != nil || again != text {
				t.Errorf("Decode(Encode(%q)) = %q, %v", text, again, err)
			}
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add(Learn(nil, 256).Append(nil))
	f.Add(Learn(generated(3), 400).Append(nil))
	f.Fuzz(func(t *testing.T, stored []byte) {
		b, err := Parse(stored)
		if err != nil {
			return
		}
		text := "some text, some text, some text \x00\xff"
		if got, err := b.Decode(b.Encode(nil, text)); err != nil || got != text {
			t.Errorf("Decode(Encode(%q)) = %q, %v", text, got, err)
		}
	})
}
