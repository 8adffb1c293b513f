package phrase

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// singles are the phrases of one byte.
func singles() []string {
	var out []string
	for i := range 256 {
		out = append(out, string([]byte{byte(i)}))
	}
	return out
}

// A finder finds what comparing with all phrases would, and gives its value.
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
		lost := 0
		for i := len(phrases) - 1; i >= 0; i-- {
			first[phrases[i]] = uint32(i)
		}
		for p := range first {
			if f.begins(number(p))>>(len(p)-1)&1 == 0 {
				lost++
			}
		}
		if lost > len(first)/500 {
			t.Errorf("seed %d, %s: %d phrases of %d are not found", seed, name, lost, len(first))
		}
		for range 5000 {
			text := random(8, 3)
			if rng.IntN(2) == 0 {
				text = (phrases[rng.IntN(len(phrases))] + phrases[rng.IntN(len(phrases))] + text)[:8]
			}
			v := number(text)
			got := f.begins(v)
			for n := 1; n <= maxPhrase; n++ {
				want, is := first[text[:n]]
				if has := got>>(n-1)&1 == 1; has && !is || is && !has && lost == 0 {
					t.Fatalf("seed %d, %s: begins(%q) = %b, but %q is a phrase: %v", seed, name, text, got, text[:n], is)
				} else if has && f.value(v, uint8(n)) != want {
					t.Fatalf("seed %d, %s: value(%q) = %d, want %d", seed, name, text[:n], f.value(v, uint8(n)), want)
				}
			}
		}
	}
}

// More phrases of one length than a table takes, and such as were made to share a
// group, cost neither correctness nor much time.
func TestFinderHostile(t *testing.T) {
	phrases := singles()
	for v := uint64(0); len(phrases) < MaxPhrases; v++ {
		if group(v) < 20 {
			phrases = append(phrases, string([]byte{byte(v), byte(v >> 8), byte(v >> 16), byte(v >> 24)}))
		}
	}
	f := newFinder(phrases, numbers(len(phrases)))
	found := 0
	for i, p := range phrases {
		if f.begins(number(p))>>(len(p)-1)&1 == 1 {
			found++
			if got := f.value(number(p), uint8(len(p))); got != uint32(i) {
				t.Fatalf("value(%q) = %d, want %d", p, got, i)
			}
		}
	}
	if found < 256+20 {
		t.Errorf("%d phrases are found", found)
	}
}

// Texts are cut as comparing would cut them, from the beginning and the middle.
func TestCut(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	book := Learn(generated(30), 2000)
	var c cutter
	for _, text := range append(generated(60), wild(rng)...) {
		c.phrases(book.finder, text)
		var want []uint8
		half := len(text) / 2
		for at := 0; at < len(text); {
			end := len(text)
			if at < half {
				end = half
			}
			n := bits.Len64(book.finder.begins(number(text[at:min(at+maxPhrase, end)])))
			n = min(n, end-at)
			for n > 1 && !slices.Contains(book.phrases, text[at:at+n]) {
				n--
			}
			want = append(want, uint8(n))
			at += n
		}
		if !slices.Equal(c.sizes, want) {
			t.Fatalf("%.20q… of %d is cut otherwise", text, len(text))
		}
	}
}

// earlierText holds what books had not learnt, and repeats itself.
var earlierText = strings.Repeat("Nothing of this was in the sample: \x00\xff\xfe, 漢字. ", 20) + "The end, and \x01\x02\x03 no more"
