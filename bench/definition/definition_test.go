package definition

// The definition is checked by hand, as all else is checked against it.

import (
	"slices"
	"strings"
	"testing"
)

func words(text, normalize string) (out []string) {
	for _, t := range Words(Normal(text, normalize)) {
		out = append(out, t.Text)
	}
	return out
}

func TestWords(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"", ""},
		{" \n.,;:!?()", ""},
		{"One, TWO three's 4!", "one|two|three's|4"},
		{"L\u2019\u00E9tude d\u02BCart \u2018so\u2019", "l'étude|d'art|so"},
		{"caf\u00B4s", "caf's"},
		{"Scho\u00ADko\u200Bla\u2060de \uFEFFx\uFE0F", "schokolade|x"},
		{"Straße STRASSE Maß", "strasse|strasse|mass"},
		{"ﬁnd ﬂow", "find|flow"},
		{"Ｆｕｌｌ ｗｉｄｔｈ１２", "full|width12"},
		{"\u202Bשלום\u202C \u200Fעולם", "שלום|עולם"},
		{"\uFEE3\uFEAE\uFEA3\uFE92\uFE8E مرحبا مـرحـبـا", "مرحبا|مرحبا|مرحبا"},
		{"ｶﾀｶﾅ カタカナ ｶﾞ ガ", "カタカナ|カタカナ|ガ|ガ"},
		{"C C++ C# F#, #x # 5#", "c|c|+|+|c|#|f|#|x|5|#"},
		{"+1 -1 1 a-1 1-2 _-1 - 1 (-2) \u22123", "+|1|-|1|1|a|1|1|2|1|1|-|2|-|3"},
		{"$5.00 £5.00 € 5% % x%", "$|5.00|£|5.00|€|5|%|x"},
		{"a<b a>b a=b ^ ` ~ | _", "a|<|b|a|>|b|a|=|b|~||"},
		{"> said\n > > he > she\n\t>>>", "said|he|>|she"},
		{"😂😂😂 👍🏽 🇩🇪🇫🇷 ❤\uFE0F", "😂|😂|😂|👍🏽|🇩🇪|🇫🇷|❤"},
		{"👩\u200D👧", "👩|👧"},
		{"½ ™ № x²", "1⁄2|tm|no|x2"},
		{"ΣΑΣ σας", "σασ|σασ"},
		{"e\u0301 \u00E9 E\u0301", "é|é|é"},
		{"\u1112\u1161\u11AB 한", "한|한"},
		{"a\xff\xfe", "a|\uFFFD|\uFFFD"},
		{"don't 3.14 foo-bar snake_case", "don't|3.14|foo|bar|snake_case"},
		{"日本語 中文", "日|本|語|中|文"},
	} {
		if got := strings.Join(words(tt.text, ""), "|"); got != tt.want {
			t.Errorf("words of %q = %q, want %q", tt.text, got, tt.want)
		}
	}
}

// One text as people have it in several forms is one text.
func TestVariantsAreAlike(t *testing.T) {
	for _, of := range [][]string{
		{"L'été, l'art", "L’été, l’art", "Lʼe\u0301te\u0301, l´art", "L'\u200Bété, l'a\u00ADrt"},
		{"\"so\" - 'no'", "“so” – ‘no’", "„so‟ — ‚no‛", "\u05F4so\u05F4 \u2212 ′no′"},
		{"straße", "STRASSE", "stra\u1E9Ee"},
		{"office", "oﬃce", "ＯＦＦＩＣＥ", "o\u200Dffice"},
		{"كتاب", "كـتـاب", "\uFEDB\uFE98\uFE8E\uFE8F", "\u200Fكتاب\u200E"},
		{"パソコン", "ﾊﾟｿｺﾝ", "ハ\u309Aソコン"},
	} {
		for _, other := range of[1:] {
			if a, b := String(Normal(of[0], "")), String(Normal(other, "")); a != b {
				t.Errorf("%q is %q, %q is %q", of[0], a, other, b)
			}
		}
	}
	for _, other := range [][2]string{{"C", "C++"}, {"C", "C#"}, {"+1", "-1"}, {"1", "-1"}, {"$5.00", "£5.00"}, {"5", "5%"}, {"a<b", "a>b"}} {
		if slices.Equal(words(other[0], ""), words(other[1], "")) {
			t.Errorf("%q and %q are alike", other[0], other[1])
		}
	}
}

func TestSettings(t *testing.T) {
	for _, tt := range []struct{ normalize, text, want string }{
		{"diacritics", "Crème brûlée Øre Ǿre Łódź đak ılık Việt", "creme|brulee|ore|ore|lodz|dak|ilik|viet"},
		{"diacritics", "שָׁלוֹם", "שלום"},
		{"", "أحمد", "أحمد"},
		{"arabic", "أحمد مدرسة على مُحَمَّد", "احمد|مدرسه|علي|محمد"},
		{"persian", "یک کتاب", "يك|كتاب"},
		{"hyphenation", "The co-\n  lumn and co\u2010 \r\nlumn, Left-\nRight, 1-\n2, a -\nb", "the|column|and|column|left|right|1|2|a|b"},
		{"", "co-\nlumn", "co|lumn"},
		{"arabic, diacritics", "أحمد é", "احمد|e"},
	} {
		if got := strings.Join(words(tt.text, tt.normalize), "|"); got != tt.want {
			t.Errorf("words of %q by %q = %q, want %q", tt.text, tt.normalize, got, tt.want)
		}
	}
}

func TestShingles(t *testing.T) {
	for _, tt := range []struct {
		unit string
		k    int
		text string
		want []string
	}{
		{"word", 3, "", []string{""}},
		{"word", 3, " \u200B\n", []string{""}},
		{"char", 3, " \n ", []string{""}},
		{"word", 3, " .,- ", []string{"characters .,-"}},
		{"word", 2, "...", []string{"characters ..", "characters .."}},
		{"word", 3, "One, TWO", []string{"one two"}},
		{"word", 3, "One two. Three's 4!", []string{"one two three's", "two three's 4"}},
		{"word", 1, "a b a", []string{"a", "b", "a"}},
		{"char", 3, "Ab", []string{"characters ab"}},
		{"char", 3, " A\t\n bc ", []string{"characters a b", "characters  bc"}},
		{"char", 2, "a\xff\xfe", []string{"characters a\uFFFD", "characters \uFFFD\uFFFD"}},
		{"char", 1, "e\u0301", []string{"characters \u00e9"}},
	} {
		var got []string
		Shingles(tt.text, tt.unit, "", tt.k, func(s string) { got = append(got, strings.ReplaceAll(s, "\x00", " ")) })
		if !slices.Equal(got, tt.want) {
			t.Errorf("shingles of %q by %s, %d = %q, want %q", tt.text, tt.unit, tt.k, got, tt.want)
		}
	}
}

// Code points lead back to the bytes that they came from.
func TestPlaces(t *testing.T) {
	for text, want := range map[string]string{
		"ab":             "a[0:1] b[1:2]",
		" a \t b ":       "a[1:2]  [2:5] b[5:6]",
		"a\u00ADb":       "a[0:3] b[3:4]",
		"e\u0301x":       "é[0:3] x[3:4]",
		"ßx":             "s[0:2] s[0:2] x[2:3]",
		"\xffz":          "\uFFFD[0:1] z[1:2]",
		"\u1112\u1161":   "하[0:6]",
		"q\u0301\u0323w": "q[0:5] \u0323[0:5] \u0301[0:5] w[5:6]",
	} {
		var got []string
		for _, c := range Collapsed(text, "") {
			got = append(got, string(c.Rune)+"["+itoa(c.Start)+":"+itoa(c.End)+"]")
		}
		if is := strings.Join(got, " "); is != want {
			t.Errorf("places of %q = %s, want %s", text, is, want)
		}
	}
}

func itoa(n int) string { return string(rune('0' + n)) }

// The normal form of a normal form is itself.
func TestNormalFormStays(t *testing.T) {
	for r := rune(0); r <= 0xE0FFF; r++ {
		if r == 0x20000 { // ideographs, and what is not assigned
			r = 0xE0000
		}
		once := String(Normal(string(r), ""))
		if again := String(Normal(once, "")); again != once {
			t.Errorf("U+%04X is %q, then %q", r, once, again)
		}
	}
}

func TestPassages(t *testing.T) {
	for _, tt := range []struct {
		p, c  string
		least int
		want  []Passage
	}{
		{"one two three", "two three one", 3, []Passage{{4, 0, 9}}},
		{"one two three", "two three one", 2, []Passage{{4, 0, 9}, {0, 10, 3}}},
		{"one two", "wo", 0, []Passage{{0, 1, 1}}},
		{"甲乙丙丁", "子乙丙丁", 2, []Passage{{1, 1, 3}}},
		{"a1 (b2)", "x b2)", 1, []Passage{{4, 2, 3}}},
		{"ab ab", "ab", 0, []Passage{{3, 0, 2}}},
		{"", "ab", 0, nil},
	} {
		if got := Passages(Collapsed(tt.p, ""), Collapsed(tt.c, ""), tt.least); !slices.Equal(got, tt.want) {
			t.Errorf("passages of %q and %q longer than %d = %v, want %v", tt.p, tt.c, tt.least, got, tt.want)
		}
	}
}
