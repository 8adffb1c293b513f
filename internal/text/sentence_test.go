package text_test

// Sentences and paragraphs: by example, and that no text, however strange, loses or
// repeats a piece.

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/clipperhouse/uax29/v2/sentences"

	"github.com/simdb/simdb/internal/realtext"
	"github.com/simdb/simdb/internal/text"
)

// pieces returns the texts of tokens.
func pieces(doc string, tokens iter.Seq[text.Token]) (s []string) {
	for t := range tokens {
		s = append(s, doc[t.Start:t.End])
	}
	return s
}

func TestSentences(t *testing.T) {
	for _, c := range []struct {
		doc  string
		want []string
	}{
		{"", nil},
		{" \n\t\n", nil},
		{"One. Two! Three?", []string{"One.", "Two!", "Three?"}},
		{"It cost 3.14 dollars, e.g. here. He left.", []string{"It cost 3.14 dollars, e.g. here.", "He left."}},
		{"A wrapped\nsentence goes\r\non. Next\u2028one.", []string{"A wrapped\nsentence goes\r\non.", "Next\u2028one."}},
		{"No full stop\n\nhere\u2029nor here\fnor here", []string{"No full stop", "here", "nor here", "nor here"}},
		{"\"Quoted.\" She said (so.) Then", []string{"\"Quoted.\"", "She said (so.)", "Then"}},
		{"Things:\n- one\n- two\n  goes on\n3. three\n(b) four\niv end", []string{"Things:", "- one", "- two\n  goes on", "3. three", "(b) four\niv end"}},
		{"The year was\n1984. a book\n- and-\n-not a list", []string{"The year was\n1984. a book", "- and-\n-not a list"}},
		{"# Title\ntext of it\n## Next ##\nmore\n#hash tag\n#######", []string{"# Title", "text of it", "## Next ##", "more\n#hash tag"}},
		{"Title\n=====\nText of it\n+---+---+\n| a | b |\n+---+---+", []string{"Title", "Text of it", "| a | b |"}},
		{"我们来了。你好！", []string{"我们来了。", "你好！"}},
		{"… --- …\n?!\n🙂 🙂", []string{"🙂 🙂"}},
		{"a\xff b\n\xc2\x85\xe2", []string{"a\xff b", "\xe2"}},
		{"2.1. Scope\n2.13) Range\n12.2012. no item", []string{"2.1. Scope", "2.13) Range\n12.2012. no item"}},
	} {
		if got := pieces(c.doc, text.Sentences(c.doc)); !slices.Equal(got, c.want) {
			t.Errorf("Sentences(%q) = %q, want %q", c.doc, got, c.want)
		}
	}
}

func TestParagraphs(t *testing.T) {
	for _, c := range []struct {
		doc  string
		want []string
	}{
		{"", nil},
		{"\n \n", nil},
		{"one", []string{"one"}},
		{"\n\n  one\ntwo  \n \t \nthree\n\n", []string{"one\ntwo", "three"}},
		{"one\r\n\r\ntwo\r\rthree\u0085\u0085four", []string{"one", "two", "three", "four"}},
		{"one\ftwo\u2029three\u2028still", []string{"one", "two", "three\u2028still"}},
		{"one\u00a0\n\u00a0\u3000\ntwo", []string{"one", "two"}},
		{"\xff\n\n\xe2\x80", []string{"\xff", "\xe2\x80"}},
	} {
		if got := pieces(c.doc, text.Paragraphs(c.doc)); !slices.Equal(got, c.want) {
			t.Errorf("Paragraphs(%q) = %q, want %q", c.doc, got, c.want)
		}
	}
}

// badPieces returns the first fault in the sentences and paragraphs of doc, "" if there
// is none. They must be trimmed, not empty and in order, no sentence may cross a
// paragraph, and no letter or number may be left out.
func badPieces(doc string) string {
	for name, tokens := range map[string]iter.Seq[text.Token]{"sentence": text.Sentences(doc), "paragraph": text.Paragraphs(doc)} {
		end, outside := 0, ""
		for p := range tokens {
			if p.Start < end || p.End <= p.Start || p.End > len(doc) {
				return fmt.Sprintf("%s %v after %d", name, p, end)
			}
			if s := doc[p.Start:p.End]; s != strings.TrimSpace(s) {
				return fmt.Sprintf("%s %q is not trimmed", name, s)
			}
			outside += doc[end:p.Start]
			end = p.End
		}
		outside += doc[end:]
		if strings.ContainsFunc(outside, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) {
			return fmt.Sprintf("no %s has all of %q", name, outside)
		}
	}
	paragraphs := slices.Collect(text.Paragraphs(doc))
	for s := range text.Sentences(doc) {
		if !slices.ContainsFunc(paragraphs, func(p text.Token) bool { return p.Start <= s.Start && s.End <= p.End }) {
			return fmt.Sprintf("sentence %q lies in no paragraph", doc[s.Start:s.End])
		}
	}
	return ""
}

func TestPiecesOfRandomTexts(t *testing.T) {
	const seed = 41
	rng := rand.New(rand.NewPCG(seed, 0))
	parts := []string{"a", "B", "b", "7", ".", "?", " ", " ", "\n", "\n", "\r", "\t", "\f", "\u0085", "\u2028", "\u2029", "\u3000", "-", "#", "=", "(", ")", "\"", "é", "我", "。", "🙂", "\u0301", "\xe2", "\x80", "\xc2"}
	for range 20_000 {
		var doc strings.Builder
		for range rng.IntN(20) {
			doc.WriteString(parts[rng.IntN(len(parts))])
		}
		if bad := badPieces(doc.String()); bad != "" {
			t.Fatalf("seed %d: %q: %s", seed, doc.String(), bad)
		}
	}
}

// Within a line the sentences equal those of UAX #29, though the rules start late.
func TestSentencesOfOneLine(t *testing.T) {
	const seed = 43
	rng := rand.New(rand.NewPCG(seed, 0))
	parts := []string{"a", "B", "b", "Mr", "7", ".", ".", "?", "!", " ", " ", "\t", ",", ":", "-", "(", ")", "\"", "é", "É", "我", "。", "…", "\u0301", "\u200d", "\u00ad", "\u3000", "\xe2", "\x80"}
	for range 20_000 {
		doc := "so" // one letter might be a list mark
		for range rng.IntN(20) {
			doc += parts[rng.IntN(len(parts))]
		}
		var want []string
		for s := sentences.FromString(doc); s.Next(); {
			if v := strings.TrimSpace(s.Value()); strings.ContainsFunc(v, func(r rune) bool {
				return r < 0x80 && (unicode.IsLetter(r) || unicode.IsDigit(r)) || r >= 0x80 && !unicode.IsSpace(r) && !unicode.IsPunct(r)
			}) {
				want = append(want, v)
			}
		}
		if got := pieces(doc, text.Sentences(doc)); !slices.Equal(got, want) {
			t.Fatalf("seed %d: Sentences(%q) = %q, want %q", seed, doc, got, want)
		}
	}
}

func TestPiecesOfRealTexts(t *testing.T) {
	for _, doc := range realtext.Lines(t, "linuxdoc.jsonl.gz", 97) {
		if bad := badPieces(doc); bad != "" {
			t.Fatalf("%.60q: %s", doc, bad)
		}
	}
}

// A caller may stop at any piece.
func TestPiecesStop(t *testing.T) {
	doc := "One. Two.\n\n# Three\n- four\n\nfive\fsix"
	for name, tokens := range map[string]iter.Seq[text.Token]{"sentences": text.Sentences(doc), "paragraphs": text.Paragraphs(doc)} {
		all := pieces(doc, tokens)
		for n := range all {
			var got []string
			for p := range tokens {
				if got = append(got, doc[p.Start:p.End]); len(got) > n {
					break
				}
			}
			if !slices.Equal(got, all[:n+1]) {
				t.Errorf("the first %d %s are %q, want %q", n+1, name, got, all[:n+1])
			}
		}
	}
}

func ExampleSentences() {
	doc := "Shopping\n--------\nWe need\nmilk. And then:\n- bread\n- 1.5 kg of rice"
	for s := range text.Sentences(doc) {
		fmt.Printf("%q\n", doc[s.Start:s.End])
	}
	// Output:
	// "Shopping"
	// "We need\nmilk."
	// "And then:"
	// "- bread"
	// "- 1.5 kg of rice"
}

func FuzzSentences(f *testing.F) {
	f.Add("One. Two\n\n# three\n- four\r\n\xe2\x80\xa8five")
	f.Fuzz(func(t *testing.T, doc string) {
		if bad := badPieces(doc); bad != "" {
			t.Error(bad)
		}
	})
}
