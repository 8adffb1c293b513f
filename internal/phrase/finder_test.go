package phrase

// The finder against a linear search, and cutting texts with it.

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// singles returns the phrases of one byte.
func singles() []string {
	var out []string
	for i := range 256 {
		out = append(out, string([]byte{byte(i)}))
	}
	return out
}

// A finder finds the same phrase as a linear search, with its value.
func TestFinder(t *testing.T) {
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 1))
	random := func(n, alphabet int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(rng.IntN(alphabet))
		}
		return string(b)
	}
	var few, wild []string
	for range 2000 {
		few = append(few, random(2+rng.IntN(7), 3))
		wild = append(wild, random(2+rng.IntN(7), 256))
	}
	for name, phrases := range map[string][]string{
		"none": nil, "few letters": few, "any letters": wild, "learnt": Learn(generated(30), 2000).phrases,
		"zeros": {"\x00\x00", "\x00\x00\x00", "\x00\x00\x00\x00\x00\x00\x00\x00"}, "the same": slices.Repeat([]string{"same"}, 5000),
	} {
		phrases = append(singles(), phrases...)
		f := newFinder(phrases, numbers(len(phrases)))
		first := map[string]uint32{}
		for i := len(phrases) - 1; i >= 0; i-- {
			first[phrases[i]] = uint32(i)
		}
		lost := 0
		for p, i := range first {
			if got, _ := f.longest(number(p), len(p)); got.length() != len(p) {
				lost++
				delete(first, p)
			} else if got.value() != i {
				t.Fatalf("seed %d, %s: longest(%q) = %d, want %d", seed, name, p, got.value(), i)
			}
		}
		if lost > len(phrases)/200 {
			t.Errorf("seed %d, %s: %d phrases of %d are not found", seed, name, lost, len(phrases))
		}
		for range 5000 {
			text := random(8, 3)
			if rng.IntN(2) == 0 {
				text = (phrases[rng.IntN(len(phrases))] + phrases[rng.IntN(len(phrases))] + text)[:8]
			}
			n := 1 + rng.IntN(maxPhrase)
			got, _ := f.longest(number(text), n)
			for first[text[:n]] == 0 && text[:n] != "\x00" {
				n--
			}
			if got.length() != n || got.value() != first[text[:n]] {
				t.Fatalf("seed %d, %s: longest(%q) = %q, want %q", seed, name, text, phrases[got.value()], text[:n])
			}
		}
	}
}

// More phrases of similar hashes than a finder has places for affect neither
// correctness nor, by much, time, and single bytes remain found.
func TestFinderHostile(t *testing.T) {
	var phrases []string
	for v := uint64(0); len(phrases) < MaxPhrases-256; v++ {
		if bucket(hash(v, 3)) < 1<<8 {
			phrases = append(phrases, string([]byte{byte(v), byte(v >> 8), byte(v >> 16), byte(v >> 24)}))
		}
	}
	phrases = append(phrases, singles()...)
	f := newFinder(phrases, numbers(len(phrases)))
	for i, p := range phrases {
		got, _ := f.longest(number(p), len(p))
		if got.length() == len(p) && got.value() != uint32(i) || got.length() != 1 && got.length() != len(p) {
			t.Fatalf("longest(%q) = %d of %d bytes, want %d", p, got.value(), got.length(), i)
		}
	}
}

// Single bytes are found in finders of all sizes.
func TestFinderSingles(t *testing.T) {
	for n := 256; n <= MaxPhrases; n *= 2 {
		phrases := append(slices.Repeat([]string{"more"}, n-256), singles()...)
		f := newFinder(phrases, numbers(n))
		for i := range 256 {
			if got, _ := f.longest(uint64(i), 1); got.length() != 1 || got.value() != uint32(n-256+i) {
				t.Fatalf("%d phrases: byte %d is %d", n, i, got.value())
			}
		}
	}
}

// cuttable returns texts of all short lengths, and texts with streams that meet late or
// never.
func cuttable(rng *rand.Rand) []string {
	texts := append(generated(60), wild(rng)...)
	for n := range 4 * shortText {
		texts = append(texts, (texts[n%60] + texts[0])[:n], strings.Repeat("a", n), strings.Repeat("\x00", n), strings.Repeat("abc", n)[:n])
	}
	return append(texts, strings.Repeat("a", 8<<10), strings.Repeat("a", 3000)+texts[0]+strings.Repeat("\x00", 999), texts[1]+strings.Repeat("b", 7000))
}

// Streams cut a text in the same places as a single pass.
func TestCut(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	long := Learn([]string{strings.Repeat("a", 1000), strings.Repeat("\x00", 1000), strings.Repeat("b", 1000)}, 2000)
	for _, dictionary := range []*Dictionary{Learn(generated(30), 2000), Learn(nil, 256), long} {
		var c cutter
		for _, text := range cuttable(rng) {
			c.cut(dictionary.finder, text)
			var want []step
			for at := 0; at < len(text); {
				p, _ := dictionary.finder.longest(number(text[at:min(at+maxPhrase, len(text))]), min(len(text)-at, maxPhrase))
				want = append(want, step{p, uint32(at)})
				at += p.length()
			}
			if !slices.Equal(c.phrases, want) {
				t.Fatalf("%.20q… of %d is cut otherwise", text, len(text))
			}
		}
	}
}

// earlierText contains text outside of the sample, and repeats itself.
var earlierText = strings.Repeat("Nothing of this was in the sample: \x00\xff\xfe, 漢字. ", 20) + "The end, and \x01\x02\x03 no more"
