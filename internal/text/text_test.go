package text_test

// The fast paths of normalisation and words against plain calls of the libraries.

import (
	"fmt"
	"github.com/simdb/simdb/internal/realtext"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"
	"golang.org/x/text/unicode/norm"

	"github.com/simdb/simdb/internal/text"
	"github.com/simdb/simdb/internal/torture"
)

// The definition, literally and without regard to speed.

func plainNormalize(doc string) string {
	var s strings.Builder
	for _, r := range doc {
		s.WriteString(text.PlainFold(r))
	}
	return norm.NFC.String(s.String())
}

func plainWords(norm string) []text.Token {
	var ws []text.Token
	is := func(s string, in ...*unicode.RangeTable) bool {
		return strings.ContainsFunc(s, func(r rune) bool { return unicode.In(r, in...) })
	}
	end, inLine := 0, false // whether the line up to end has more than white space and >
	for seg := words.FromString(norm); seg.Next(); {
		before, _ := utf8.DecodeLastRuneInString(norm[:seg.Start()])
		s, first := seg.Value(), seg.Value()[0]
		after, _ := utf8.DecodeRuneInString(norm[seg.Start()+1:])
		for _, r := range norm[end:seg.Start()] {
			switch {
			case strings.ContainsRune("\n\v\f\r\u0085\u2028\u2029", r):
				inLine = false
			case r != '>' && !unicode.IsSpace(r):
				inLine = true
			}
		}
		end = seg.Start()
		isWord := is(s, unicode.L, unicode.N) || is(s, unicode.Sm, unicode.Sc, unicode.So)
		switch {
		case is(s, unicode.L, unicode.N):
		case first == '>':
			isWord = inLine
		case first == '#':
			isWord = isWord || unicode.In(before, unicode.L, unicode.N)
		case first == '%':
			isWord = isWord || unicode.In(before, unicode.N)
		case first == '-':
			isWord = isWord || unicode.In(after, unicode.N) && !unicode.In(before, unicode.L, unicode.N) && before != '_'
		}
		if isWord {
			ws = append(ws, text.Token{Start: seg.Start(), End: seg.End()})
		}
	}
	return ws
}

func plainSimple(doc string) string {
	return strings.ToLower(norm.NFC.String(string([]rune(doc))))
}

func plainSimpleWords(norm string) []text.Token {
	return slices.DeleteFunc(plainWords(norm), func(t text.Token) bool {
		return !strings.ContainsFunc(norm[t.Start:t.End], func(r rune) bool { return unicode.In(r, unicode.L, unicode.N) })
	})
}

func plainCollapse(norm string) string {
	return strings.Join(strings.FieldsFunc(norm, unicode.IsSpace), " ")
}

// diff returns where the fast code leaves the definition, "" if nowhere.
func diff(doc string) string {
	norm := plainNormalize(doc)
	got := text.Word.Normalize(nil, doc)
	if string(got) != norm {
		return fmt.Sprintf("Normalize(%q) = %q, want %q", doc, got, norm)
	}
	for _, norm := range []string{norm, plainSimple(doc)} {
		if got, want := slices.Collect(text.Words([]byte(norm))), plainWords(norm); !slices.Equal(got, want) {
			return fmt.Sprintf("words of %q = %v, want %v", norm, got, want)
		}
		if got, want := slices.Collect(text.Papers.Words([]byte(norm))), plainSimpleWords(norm); !slices.Equal(got, want) {
			return fmt.Sprintf("words of %q as papers read it = %v, want %v", norm, got, want)
		}
	}
	if again := text.Normalize(nil, norm); string(again) != norm {
		return fmt.Sprintf("Normalize(%q) = %q, which becomes %q", doc, norm, again)
	}
	if got, want := text.Papers.Normalize(nil, doc), plainSimple(doc); string(got) != want {
		return fmt.Sprintf("Papers.Normalize(%q) = %q, want %q", doc, got, want)
	}
	norm = plainCollapse(norm)
	if got = text.Char.Normalize(got[:0], doc); string(got) != norm {
		return fmt.Sprintf("collapsed %q = %q, want %q", doc, got, norm)
	}
	end := 0
	for t := range text.Char.Tokens(got) {
		if _, size := utf8.DecodeRuneInString(norm[end:]); t.Start != end || t.End != end+size {
			return fmt.Sprintf("chars of %q: %v after %d, want %d bytes", norm, t, end, size)
		}
		end = t.End
	}
	if end != len(norm) {
		return fmt.Sprintf("chars of %q end at %d", norm, end)
	}
	return ""
}

// hostile texts, each for a rule that a shorter way could miss.
var hostile = []string{
	"", " ", "\n\r\n", "\x00", "a\x00b",
	"can't won't 3.14 1,000.5 a.b.c a..b 1.a a.1 x_y __ _1 'tis rock'n'roll", "a:b;c 1:2 1;2 1'2 a,b",
	"I\u0307 İstanbul DİYARBAKIR", "ΟΔΟΣ Σ σς", "Straße ẞ ǅ ǆ",
	"e\u0301 E\u0301 é", "a \u0301b", "a  \u0301b", "a.\u0301b", "a\n\u0301b", "\u0301", " \uff9e", "  \uff9e x", "(\uff9e", ".\uff9e",
	"a\u200db", "👩\u200d👩\u200d👧 family", "🇩🇪🇫🇷🇮 x", "👍🏽",
	"שלום עולם צ\"ל צ'ל", "مرحبا بالعالم", "สวัสดีชาวโลก", "한국어 \u1112\u1161\u11ab", "漢字かなカタカナ ｶﾞ",
	"a\xffb", "\xff\xfe", "\xe2\x82", "\xe2\x82a", "\xc0\x80", "\xed\xa0\x80", "e\xcc", "e\xcc\x81",
	"a\u00a0b\u2003\u2003c\u3000", "\u2028x\u2029y\u0085z", "a\u00adb", "a\ufeffb", "a\u034fb",
	"K Å Ω", "ﬁ ﬂ", "ⅷ ½ ² ①", "1\u06602", "x\u2019y don\u2019t",
	"a" + strings.Repeat("\u0301", 70), " " + strings.Repeat("\u0323\u0301", 40) + "a",
	strings.Repeat("\u0301", 35) + "\xff" + strings.Repeat("\u0316", 35),
	"foo-bar-é foo bar é,b c", "C# C++ 漢# é#x # # 1# _# a\u0301#", "5% 1.5% % a% 漢% ½%", "-1 a-1 1-1 _-1 é-1 漢-1 --1 - 1 -½ -a $-1", "\u2212\u0662 2024-01",
	"> a > b\n> c\n >> d\n \u00a0> e\u2028> f\r\n> g", ">>>", "漢> x", "漢 > x", "漢\n > x", "é\n > é > é", "> > > > é", "\u00a0> x\u0301>", "a>b <c> d=e a|b ~f $5.00 €5 +1 < >", "x\u0301+ +\u0301 #\u0301 1#\u0301 -\u03011 1%\u0301 >\u0301 x",
	"漢，字。か：は 漢，\u0301x 漢， \u0301", "👍🏽+👩‍👧 😂😂😂 © ° 5° ± ^ `", "１％ Ｃ＃ －１ ＞x\n＞x", "│ ─ ■ │", "x ─\u0301", "é'a a'é 1.é é.1 a'\u0301b", "\U0001D400 𝟘𝟙 𐐀", "a\ufffdb", "ŉ'n ß's",
}

func TestDefinitionOnHostileTexts(t *testing.T) {
	for _, a := range hostile {
		for _, b := range append(hostile, "b", " b", "B ", "'", "_") {
			for _, doc := range []string{a, a + b, a + " " + b + " end", "Start " + a + "." + b} {
				if d := diff(doc); d != "" {
					t.Fatal(d)
				}
			}
		}
	}
}

// One character of each class and its neighbours, in every order up to six
// characters.
func TestWordsOnShortASCII(t *testing.T) {
	alphabet, length := "a1_:.', \n->#%$", 6
	if torture.Short() {
		length = 5
	}
	s := make([]byte, length)
	var extend func(n int)
	extend = func(n int) {
		doc := string(s[:n])
		if got, want := slices.Collect(text.Words(s[:n])), plainWords(doc); !slices.Equal(got, want) {
			t.Fatalf("words of %q = %v, want %v", doc, got, want)
		}
		for i := range len(alphabet) * min(length-n, 1) {
			s[n] = alphabet[i]
			extend(n + 1)
		}
	}
	extend(0)
}

// Every pair and every framed single of the ASCII characters: their classes.
func TestWordsOnASCIIPairs(t *testing.T) {
	for a := range byte(utf8.RuneSelf) {
		for b := range byte(utf8.RuneSelf) {
			for _, doc := range []string{string([]byte{a, b}), string([]byte{'x', a, b, 'x'}), string([]byte{'1', a, '1', b, '1'}), string([]byte{a, 'x', b, '1'})} {
				if d := diff(doc); d != "" {
					t.Fatal(d)
				}
			}
		}
	}
}

func TestDefinitionOnRandomTexts(t *testing.T) {
	const seed = 1
	rng := rand.New(rand.NewPCG(seed, seed))
	pieces := append(strings.Split("a b C 1 2 _ . , ' : ; \" - \t \n \r é \u0301 \u200d \uff9e ｶ \u05d0 漢 字 か 、 ， ： ー カ 한 “ ─ \u3099 \ufe00 ก 👩 🇩 \u00ad \xff \u2019 \u00a0 + $ > # % - − > # % - １ ％ \u2028 ß ﬁ … \u0345 α \u0640 \u0327 ㄱ \u1161 \u11a8 가", " "), " ", "  ", "word")
	for i := range 20000 {
		var doc strings.Builder
		for range rng.IntN(30) {
			doc.WriteString(pieces[rng.IntN(len(pieces))])
		}
		if d := diff(doc.String()); d != "" {
			t.Fatalf("seed %d, text %d: %s", seed, i, d)
		}
	}
}

func TestDefinitionOnEveryRune(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if d := diff("a " + string(r) + "'b." + string(r) + "1"); d != "" {
			t.Fatalf("%U: %s", r, d)
		}
		if r == 0x33ff && torture.Short() {
			return
		}
		if r == 0x3400 || r == 0xac10 || r == 0x20000 {
			r += 0x2000 // ideographs and syllables, all alike
		}
		if r == 0x32000 {
			r = 0xdffff
		}
		if r == 0xe0200 {
			r = 0x10fff0
		}
	}
}

func TestDefinitionOnCorpora(t *testing.T) {
	nth := 1
	if torture.Short() {
		nth = 50
	}
	for _, texts := range [][]string{
		realtext.Files(t, "roth"), realtext.Files(t, "spdx"),
		realtext.Lines(t, "nsf.jsonl.gz", nth), realtext.Lines(t, "linuxdoc.jsonl.gz", nth),
	} {
		if len(texts) == 0 {
			t.Error("a corpus is empty")
		}
		for _, doc := range texts {
			if d := diff(doc); d != "" {
				t.Fatal(d[:min(len(d), 2000)])
			}
		}
	}
}

// Characters and marks of their own, wherever a piece of them ends.
func TestNormalizeDenseMarks(t *testing.T) {
	for _, marked := range []string{"a\u0301", "A\u0323\u0301", "\u0301", "e\u0301\u0323x", "\u1100\u1161b", "\u03a9\u0301 ", "\xffa\u0301"} {
		for n := range 140 {
			for _, doc := range []string{
				strings.Repeat("x", n) + strings.Repeat(marked, 150),
				marked + strings.Repeat("X", n) + marked + strings.Repeat("é", n) + marked,
			} {
				if got, want := string(text.Normalize(nil, doc)), plainNormalize(doc); got != want {
					t.Fatalf("Normalize(%q) = %q, want %q", doc, got, want)
				}
			}
		}
	}
}

func TestNormalizeAppends(t *testing.T) {
	for _, doc := range []string{"ABC", "É", "x\xff", ""} {
		want := "Kept " + plainNormalize(doc)
		if got := string(text.Normalize([]byte("Kept "), doc)); got != want {
			t.Errorf("Normalize(\"Kept \", %q) = %q, want %q", doc, got, want)
		}
	}
}

func TestParseUnit(t *testing.T) {
	for _, u := range []text.Unit{text.Word, text.Char} {
		if got, err := text.ParseUnit(u.String()); got != u || err != nil {
			t.Errorf("ParseUnit(%q) = %v, %v", u, got, err)
		}
	}
	if _, err := text.ParseUnit("byte"); err == nil {
		t.Error("ParseUnit(\"byte\") gave no error")
	}
}

func TestNoAllocationPerToken(t *testing.T) {
	doc := strings.Repeat("the quick brown fox can't jump ", 1000)
	norm := text.Normalize(nil, doc)
	n := 0
	if allocs := testing.AllocsPerRun(10, func() {
		norm = text.Normalize(norm[:0], doc)
		for t := range text.Words(norm) {
			n += t.End - t.Start
		}
	}); allocs > 5 {
		t.Errorf("a text of 6,000 words costs %v allocations, want at most 5", allocs)
	}
}

func FuzzWords(f *testing.F) {
	for _, doc := range hostile {
		f.Add(doc)
	}
	f.Fuzz(func(t *testing.T, doc string) {
		if d := diff(doc); d != "" {
			t.Fatal(d)
		}
	})
}

func BenchmarkNormalize(b *testing.B) {
	texts := realtext.Lines(b, "linuxdoc.jsonl.gz", 50)
	b.SetBytes(realtext.Size(texts))
	var norm []byte
	for b.Loop() {
		for _, doc := range texts {
			norm = text.Normalize(norm[:0], doc)
		}
	}
}

func BenchmarkTokens(b *testing.B) {
	texts := realtext.Lines(b, "linuxdoc.jsonl.gz", 50)
	for _, u := range []text.Unit{text.Word, text.Char} {
		b.Run(u.String(), func(b *testing.B) {
			b.SetBytes(realtext.Size(texts))
			var norms [][]byte
			for _, doc := range texts {
				norms = append(norms, u.Normalize(nil, doc))
			}
			n := 0
			for b.Loop() {
				for _, norm := range norms {
					for range u.Tokens(norm) {
						n++
					}
				}
			}
			b.ReportMetric(float64(n)/float64(b.N), "tokens/op")
		})
	}
}
