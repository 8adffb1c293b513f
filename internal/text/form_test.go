package text_test

// The optional folds: texts of one article in other spellings become equal.

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/simdb/simdb/internal/text"
)

func TestParseForm(t *testing.T) {
	for s, want := range map[string]text.Form{
		"": 0, " ": 0, "diacritics": text.Diacritics, "hyphenation,persian": text.Persian | text.Hyphenation,
		"diacritics, arabic, persian, hyphenation": text.Diacritics | text.Arabic | text.Persian | text.Hyphenation,
	} {
		got, err := text.ParseForm(s)
		if err != nil || got != want {
			t.Errorf("ParseForm(%q) = %v, %v, want %v", s, got, err, want)
		}
		if again, err := text.ParseForm(got.String()); err != nil || again != got {
			t.Errorf("ParseForm(%q) = %v, %v, want %v", got.String(), again, err, got)
		}
	}
	for _, s := range []string{"accents", "diacritics,", "arabic persian", "papers"} {
		if _, err := text.ParseForm(s); err == nil || !strings.Contains(err.Error(), "'diacritics, arabic, persian, hyphenation'") {
			t.Errorf("ParseForm(%q): error %v, want the names", s, err)
		}
	}
}

// Spellings of one text, by the fold that equates them.
func TestOneForm(t *testing.T) {
	const all = text.Diacritics | text.Arabic | text.Persian | text.Hyphenation
	for _, c := range []struct {
		form text.Form
		a, b string
	}{
		{0, "It wasn't the baker's dog", "It wasn\u2019t the baker\u02bcs dog"},
		{0, "L'eau n'est pas \"chaude\"", "L\u2019eau n\u02b9est pas \u201cchaude\u201d"},
		{0, "well-known 1999-2001 -5", "well\u2010known 1999\u20132001 \u22125"},
		{0, "the harbour wall", "the har\u00adbour\u200b wa\ufeffll\u200e"},
		{0, "die große Straße", "DIE GROSSE STRASSE"},
		{0, "a fine office flag", "a ﬁne oﬃce ﬂag"},
		{0, "Full width 42!", "Ｆｕｌｌ　ｗｉｄｔｈ　４２！"},
		{0, "ガラスのビル", "ｶﾞﾗｽのﾋﾞﾙ"},
		{0, "\u0644\u0627 \u0643\u062a\u0627\u0628", "\ufefb \ufedb\ufe98\ufe8e\ufe8f"},
		{0, "\u0643\u062a\u0627\u0628", "\u0643\u0640\u0640\u062a\u0640\u0627\u0628"},
		{0, "dots... and ½", "dots\u2026 and 1\u20442"},
		{0, "\u05d0\u05d1 \u05e6\"\u05dc", "\u202b\u05d0\u05d1\u202c \u05e6\u05f4\u05dc"},
		{text.Diacritics, "a cafe in Lodz, Malmo and Istanbul", "a café in Łódź, Malmö and Ístanbul"},
		{text.Diacritics, "\u05e9\u05dc\u05d5\u05dd", "\u05e9\u05c1\u05b8\u05dc\u05d5\u05b9\u05dd"},
		{text.Arabic, "\u0627\u062d\u0645\u062f \u0641\u064a \u0645\u062f\u0631\u0633\u0647", "\u0623\u064e\u062d\u0652\u0645\u064e\u062f \u0641\u0649 \u0645\u064e\u062f\u0631\u0633\u0629"},
		{text.Persian, "\u0643\u062a\u0627\u0628\u064a", "\u06a9\u062a\u0627\u0628\u06cc"},
		{text.Hyphenation, "the whole market was closed", "the whole mar-\nket was clo\u00ad \r\n  sed"},
		{all, "The cafe was closed", "The café was clo\u2010\nsed"},
	} {
		a, b := c.form.Chars(c.a), c.form.Chars(c.b)
		if string(a) != string(b) {
			t.Errorf("%v: %+q and %+q become %+q and %+q", c.form, c.a, c.b, a, b)
		}
	}
	for _, c := range []struct {
		form text.Form
		a, b string
	}{
		{0, "café", "cafe"}, {0, "well-\nknown", "wellknown"}, {text.Hyphenation, "Jean-\nPaul", "JeanPaul"},
		{text.Hyphenation, "1-\na", "1a"}, {text.Hyphenation, "a -\nb", "ab"}, {text.Hyphenation, "a-\n\nb", "ab"},
		{0, "C++", "C"}, {0, "+1", "1"}, {0, "$5.00", "£5.00"},
	} {
		if a, b := c.form.Chars(c.a), c.form.Chars(c.b); string(a) == string(b) {
			t.Errorf("%v: %+q and %+q both become %+q", c.form, c.a, c.b, a)
		}
	}
}

// plainForm is the definition of a form.
func plainForm(f text.Form, doc string) string {
	if f&text.Hyphenation != 0 {
		for plainHyphenation.MatchString(doc) { // matches share letters
			doc = plainHyphenation.ReplaceAllString(doc, "$1$2")
		}
	}
	s := plainNormalize(doc)
	if f&text.Arabic != 0 {
		s = strings.Map(func(r rune) rune {
			if 0x64b <= r && r <= 0x655 {
				return -1
			}
			return r
		}, strings.NewReplacer("آ", "ا", "أ", "ا", "إ", "ا", "ى", "ي", "ة", "ه").Replace(s))
	}
	if f&text.Persian != 0 {
		s = strings.NewReplacer("ی", "ي", "ے", "ي", "ک", "ك", "\u06c0", "ه", "\u06c1", "ه", "\u06c2", "ه", "\u0654", "").Replace(s)
	}
	if f&text.Diacritics != 0 {
		s = strings.Map(func(r rune) rune {
			if unicode.Is(unicode.Mn, r) {
				return -1
			}
			return r
		}, norm.NFD.String(s))
		s = strings.NewReplacer("ø", "o", "ł", "l", "đ", "d", "ħ", "h", "ŧ", "t", "ı", "i").Replace(s)
	}
	return norm.NFC.String(s)
}

// plainHyphenation matches the division of a word.
var plainHyphenation = regexp.MustCompile(`(\pL)[-\x{2010}\x{ad}][\t \x{a0}\x{1680}\x{2000}-\x{200a}\x{202f}\x{205f}\x{3000}]*(?:\r\n|[\n-\r\x{85}\x{2028}\x{2029}])[\t \x{a0}\x{1680}\x{2000}-\x{200a}\x{202f}\x{205f}\x{3000}]*(\p{Ll})`)

// diffForm returns the first difference of a form from its definition, or the first
// fault of its alignment, "" if there is none.
func diffForm(f text.Form, doc string) string {
	want := plainForm(f, doc)
	if got := string(f.Normalize([]byte("kept"), doc)); got != "kept"+want {
		return "Normalize(" + doc + ") = " + got + ", want " + want
	}
	a := f.Align(doc)
	if string(a.Norm) != plainCollapse(want) {
		return "Align(" + doc + ") = " + string(a.Norm) + ", want " + plainCollapse(want)
	}
	end, start := 0, 0
	for i := range a.Norm {
		from, to := a.Raw(i, i+1)
		if from < start || to < end || from >= to || to > len(doc) {
			return "Align(" + doc + "): ranges are not in order"
		}
		start, end = from, to
	}
	return ""
}

func TestFormsOnRandomTexts(t *testing.T) {
	const seed = 3
	r := rand.New(rand.NewPCG(seed, seed))
	pieces := append(strings.Split("a B é e\u0301 ø Ł ı - -\n \u2010\r\n \u00ad\n \n \u2028 ß ﬁ \u0627 \u0622 \u0623 \u0653 \u0654 \u0655 \u064e \u0640 \u06cc \u06a9 \u06c1 \u06d2 \u06d5 \u0629 \u05d0 \u05b8 \ufefb ｶ ﾞ \u1112 \u1161 \u11ab \u09c7 \u09bc \u09be 漢 \xff \u200d … \u00b4", " "), " ", "  ", "- \n", "-\n x", "word")
	for i := range 20_000 {
		var doc strings.Builder
		for range r.IntN(20) {
			doc.WriteString(pieces[r.IntN(len(pieces))])
		}
		if d := diffForm(text.Form(r.IntN(16)), doc.String()); d != "" {
			t.Fatalf("seed %d, text %d: %+q", seed, i, d)
		}
	}
}

func FuzzForms(f *testing.F) {
	for i, doc := range hostile {
		f.Add(uint8(i), doc)
	}
	f.Fuzz(func(t *testing.T, form uint8, doc string) {
		if d := diffForm(text.Form(form%16), doc); d != "" {
			t.Fatalf("%d: %+q", form%16, d)
		}
	})
}
