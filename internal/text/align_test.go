package text_test

// The map back to the original bytes, on hostile, random and real texts.

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/simdb/simdb/internal/realtext"
	"github.com/simdb/simdb/internal/text"
)

// diffAlign returns the first fault of an alignment, "" if there is none: Norm must
// equal Char.Normalize, and each character must map to a part of the text that yields
// it when read alone, at or after the part of the character before, with only white
// space skipped. With marks, parts may overlap and read otherwise alone: marks may
// stand on a space, or exceed the number that NFC takes at once.
func diffAlign(doc string, marks bool) string {
	a := text.Align(doc)
	if want := text.Char.Normalize(nil, doc); string(a.Norm) != string(want) {
		return fmt.Sprintf("Align(%q) = %q, want %q", doc, a.Norm, want)
	}
	end, last := 0, [2]int{}
	for i, r := range string(a.Norm) {
		from, to := a.Raw(i, i+utf8.RuneLen(r))
		if here := [2]int{from, to}; here != last || i == 0 {
			if from < last[0] || to < end || !marks && from < end || to <= from || to > len(doc) {
				return fmt.Sprintf("Align(%q): %q at %d leads to %d:%d, after %d", doc, r, i, from, to, end)
			}
			if gap := text.Char.Normalize(nil, doc[end:max(from, end)]); len(gap) > 0 {
				return fmt.Sprintf("Align(%q): %q at %d, nothing leads to %q", doc, r, i, gap)
			}
			last, end = here, to
		}
		if marks {
			continue
		}
		alone := string(text.Normalize(nil, doc[from:to]))
		if white := strings.TrimSpace(alone) == ""; white != (r == ' ') || !white && !strings.ContainsRune(alone, r) {
			return fmt.Sprintf("Align(%q): %q at %d leads to %q", doc, r, i, doc[from:to])
		}
	}
	if rest := text.Char.Normalize(nil, doc[end:]); len(rest) > 0 {
		return fmt.Sprintf("Align(%q): nothing leads to %q", doc, rest)
	}
	return ""
}

func TestAlignRaw(t *testing.T) {
	for _, c := range []struct {
		doc, norm, raw string // raw is the source of norm
	}{
		{"Uma ROSA é", "rosa", "ROSA"},
		{"Uma ROSA é", "é", "é"},
		{"uma \t\n rosa", "a r", "a \t\n r"},
		{" uma\u00a0\u2003rosa ", "uma rosa", "uma\u00a0\u2003rosa"},
		{"caf" + "E\u0301" + "s", "é", "E\u0301"},
		{"x q\u0301\u0323 y", "q\u0323\u0301", "q\u0301\u0323"},
		{"x q\u0323\u0301 y", "\u0323", "\u0323"},
		{"\u1112\u1161\u11ab \u1100\u1173\u11af", "글", "\u1100\u1173\u11af"},
		{"a\xffb", "\ufffd", "\xff"},
		{"a\xe2\x82b", "\ufffd\ufffdb", "\xe2\x82b"},
		{"İs", "i", "İ"},
		{"\u212a 5", "k 5", "\u212a 5"},
	} {
		a := text.Align(c.doc)
		at := strings.Index(string(a.Norm), c.norm)
		if at < 0 {
			t.Errorf("Align(%q) = %q, want it to have %q", c.doc, a.Norm, c.norm)
			continue
		}
		if from, to := a.Raw(at, at+len(c.norm)); c.doc[from:to] != c.raw {
			t.Errorf("Align(%q): %q leads to %q, want %q", c.doc, c.norm, c.doc[from:to], c.raw)
		}
	}
}

// A range that ends inside a character maps to the whole character, an empty range to
// an empty one.
func TestAlignRawOfPartsAndNothing(t *testing.T) {
	a := text.Align("  aé  b ")
	for _, c := range []struct{ start, end, rawStart, rawEnd int }{
		{1, 2, 3, 5}, {2, 3, 3, 5}, {0, 2, 2, 5}, {2, 4, 3, 7},
		{0, 0, 2, 2}, {1, 1, 3, 3}, {5, 5, 8, 8},
	} {
		if from, to := a.Raw(c.start, c.end); from != c.rawStart || to != c.rawEnd {
			t.Errorf("Raw(%d, %d) of %q = %d, %d, want %d, %d", c.start, c.end, a.Norm, from, to, c.rawStart, c.rawEnd)
		}
	}
	if from, to := text.Align(" \n").Raw(0, 0); from != 0 || to != 0 {
		t.Errorf("Raw(0, 0) of white space = %d, %d, want 0, 0", from, to)
	}
}

func TestAlignOfHostileTexts(t *testing.T) {
	for _, a := range hostile {
		for _, b := range append(hostile, "b", " b ") {
			for _, doc := range []string{a, a + b, "Start " + a + "." + b + "  end\n"} {
				if d := diffAlign(doc, true); d != "" {
					t.Fatal(d)
				}
			}
		}
	}
}

func TestAlignOfRandomTexts(t *testing.T) {
	const seed = 1
	r := rand.New(rand.NewPCG(seed, seed))
	pieces := append(strings.Split("a B \t \n é É e\u0301 q\u0301\u0323 \u00a0 \u2000 漢 \xff \xe2\x82 İ \u1112\u1161\u11ab 👩 \u212a", " "), " ", "  ", "word ")
	for i := range 20_000 {
		var doc strings.Builder
		for range r.IntN(30) {
			doc.WriteString(pieces[r.IntN(len(pieces))])
		}
		if d := diffAlign(doc.String(), false); d != "" {
			t.Fatalf("seed %d, text %d: %s", seed, i, d)
		}
	}
}

func TestAlignOfRealTexts(t *testing.T) {
	docs := append(realtext.Lines(t, "nsf.jsonl.gz", 200), realtext.Lines(t, "linuxdoc.jsonl.gz", 400)...)
	for i, doc := range docs {
		if d := diffAlign(doc, true); d != "" {
			t.Fatalf("text %d: %s", i, d)
		}
	}
}

func FuzzAlign(f *testing.F) {
	for _, doc := range hostile {
		f.Add(doc)
	}
	f.Fuzz(func(t *testing.T, doc string) {
		if d := diffAlign(doc, true); d != "" {
			t.Fatal(d)
		}
	})
}

func ExampleAlign() {
	doc := "Uma  ROSA\né uma rosa."
	a := text.Align(doc)
	start := strings.Index(string(a.Norm), "rosa é")
	from, to := a.Raw(start, start+len("rosa é"))
	fmt.Printf("%q\n%q\n", a.Norm, doc[from:to])
	// Output:
	// "uma rosa é uma rosa."
	// "ROSA\né"
}

func BenchmarkAlign(b *testing.B) {
	docs := realtext.Lines(b, "nsf.jsonl.gz", 50)
	for b.Loop() {
		for _, doc := range docs {
			text.Align(doc)
		}
	}
	b.SetBytes(realtext.Size(docs))
}
