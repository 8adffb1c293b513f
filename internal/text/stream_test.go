package text_test

// The streams of paper 000 against its figure and a plain definition.

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/simdb/simdb/internal/text"
)

const gettysburg = "Four score and seven years ago our fathers brought forth on this continent, a new nation, " +
	"conceived in Liberty, and dedicated to the proposition that all men are created equal."

func grams(s text.Stream, k, n int) (first []string) {
	for g := range s.Grams(k) {
		if len(first) == n {
			break
		}
		first = append(first, string(g))
	}
	return first
}

// The 4-grams that paper 000 shows in Figure 1, page 4.
func TestFigure1(t *testing.T) {
	want := strings.Fields("four ours ursc rsco scor core orea rean eand")
	if got := grams(text.ReadStream(gettysburg, text.CharStream, 'A'), 4, 9); !slices.Equal(got, want) {
		t.Errorf("character 4-grams = %q, want %q", got, want)
	}
	want = []string{"four score and seven", "score and seven years", "and seven years ago", "seven years ago our"}
	if got := grams(text.ReadStream(gettysburg, text.WordStream, 'A'), 4, 4); !slices.Equal(got, want) {
		t.Errorf("word 4-grams = %q, want %q", got, want)
	}
}

// Paper 000, pages 8 and 9, tables 3 and 4: the variations of the three streams.
func TestReadStream(t *testing.T) {
	const doc = "The rain, the Ruin;\tthe RAIN of Été 1776!"
	for _, c := range []struct {
		kind      text.StreamKind
		variation text.Variation
		want      string
	}{
		{text.CharStream, 'A', "therain,theruin;therainofété1776!"},
		{text.CharStream, 'B', "rain,ruin;rainété1776!"},
		{text.CharStream, 'C', "thrn,thrn;thrnft1776!"},
		{text.CharStream, 'D', "rn,rn;rnt1776!"},
		{text.WordStream, 'A', "the rain the ruin the rain of été 1776"},
		{text.WordStream, 'B', "rain ruin rain été 1776"},
		{text.WordStream, 'C', "the rain ruin of été 1776"},
		{text.WordStream, 'D', "rain ruin été 1776"},
		{text.SoundexStream, 'A', "T000 R500 T000 R500 T000 R500 O100 E300 1776"},
		{text.SoundexStream, 'B', "R500 R500 R500 E300 1776"},
		{text.SoundexStream, 'C', "T000 R500 R500 O100 E300 1776"}, // two words, one code
		{text.SoundexStream, 'D', "R500 R500 E300 1776"},
		{text.WordStream, 'x', "the rain the ruin the rain of été 1776"},
	} {
		s := text.ReadStream(doc, c.kind, c.variation)
		if string(s.Text) != c.want {
			t.Errorf("ReadStream(%q, %d, %c) = %q, want %q", doc, c.kind, c.variation, s.Text, c.want)
		}
	}
}

// plainStream is the definition, on strings.
func plainStream(doc string, kind text.StreamKind, v text.Variation) (tokens []string) {
	norm := plainSimple(doc)
	words := plainSimpleWords(norm)
	noStop, more := v == 'B' || v == 'D', v == 'C' || v == 'D'
	if kind == text.CharStream {
		for i := len(words) - 1; i >= 0 && noStop; i-- {
			if w := words[i]; text.IsStopWord(norm[w.Start:w.End]) {
				norm = norm[:w.Start] + norm[w.End:]
			}
		}
		for _, r := range norm {
			if !unicode.IsSpace(r) && !(more && text.IsVowel(r)) {
				tokens = append(tokens, string(r))
			}
		}
		return tokens
	}
	var seen []string
	for _, w := range words {
		word := norm[w.Start:w.End]
		if noStop && text.IsStopWord(word) || more && slices.Contains(seen, word) {
			continue
		}
		seen = append(seen, word)
		if kind == text.SoundexStream {
			word = text.Soundex(word)
		}
		tokens = append(tokens, word)
	}
	return tokens
}

// streamDiff returns the first difference of ReadStream from the definition, "" if
// there is none.
func streamDiff(doc string, k int) string {
	for kind, space := range []string{"", " ", " "} {
		for _, v := range []text.Variation{'A', 'B', 'C', 'D'} {
			s := text.ReadStream(doc, text.StreamKind(kind), v)
			tokens := plainStream(doc, text.StreamKind(kind), v)
			if want := strings.Join(tokens, space); string(s.Text) != want || len(s.Tokens) != len(tokens) {
				return fmt.Sprintf("ReadStream(%q, %d, %c) = %q in %d tokens, want %q in %d", doc, kind, v, s.Text, len(s.Tokens), want, len(tokens))
			}
			if !utf8.Valid(s.Text) {
				return fmt.Sprintf("ReadStream(%q, %d, %c) = %q, not UTF-8", doc, kind, v, s.Text)
			}
			var want []string
			for i := 0; i+k <= len(tokens); i++ {
				want = append(want, strings.Join(tokens[i:i+k], space))
			}
			if got := grams(s, k, -1); !slices.Equal(got, want) {
				return fmt.Sprintf("%d-grams of ReadStream(%q, %d, %c) = %q, want %q", k, doc, kind, v, got, want)
			}
		}
	}
	return ""
}

func TestStreamDefinition(t *testing.T) {
	for _, doc := range append(hostile, gettysburg) {
		if d := streamDiff(doc, 3); d != "" {
			t.Fatal(d)
		}
	}
	const seed = 3
	rng := rand.New(rand.NewPCG(seed, seed))
	pieces := append(strings.Fields("the The and rain ruin ÉTÉ of, 17 \xff 漢字 ά o\u0301f \U0001D400 'tis don't"), " ", " ", "\n", "\u00a0")
	for i := range 2000 {
		var doc strings.Builder
		for range rng.IntN(30) {
			doc.WriteString(pieces[rng.IntN(len(pieces))])
		}
		if d := streamDiff(doc.String(), 1+rng.IntN(5)); d != "" {
			t.Fatalf("seed %d, text %d: %s", seed, i, d)
		}
	}
}

func FuzzReadStream(f *testing.F) {
	for _, doc := range hostile {
		f.Add(doc, uint8(2))
	}
	f.Fuzz(func(t *testing.T, doc string, k uint8) {
		if d := streamDiff(doc, int(k)+1); d != "" {
			t.Fatal(d)
		}
	})
}

func TestIsVowel(t *testing.T) {
	for r, want := range map[rune]bool{'a': true, 'e': true, 'i': true, 'o': true, 'u': true, 'y': false, 'b': false,
		'é': true, 'ü': true, 'ǖ': true, 'ç': false, 'α': false, '1': false, ' ': false, 'æ': false, 0xfffd: false} {
		if got := text.IsVowel(r); got != want {
			t.Errorf("IsVowel(%q) = %v, want %v", r, got, want)
		}
	}
}

func TestIsStopWord(t *testing.T) {
	for w, want := range map[string]bool{"the": true, "and": true, "shall": true, "into": true, "men": false, "liberty": false, "The": false, "": false} {
		if got := text.IsStopWord(w); got != want {
			t.Errorf("IsStopWord(%q) = %v, want %v", w, got, want)
		}
	}
}

func ExampleReadStream() {
	for _, kind := range []text.StreamKind{text.CharStream, text.WordStream, text.SoundexStream} {
		fmt.Printf("%s\n", text.ReadStream("Four score and seven", kind, 'B').Text)
	}
	// Output:
	// fourscoreseven
	// four score seven
	// F600 S600 S150
}
