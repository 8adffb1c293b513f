package simdb_test

// These tests import texts in other spellings, as typesetters, browsers and scanners write
// them, and ask whether they are equal.

import (
	"strings"
	"testing"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

// simOf compares two texts in a collection of these settings.
func simOf(t *testing.T, db *simdb.DB, in, a, b string) float64 {
	t.Helper()
	scores, err := db.Compare(t.Context(), api.ByText(a), api.ByText(b), simdb.In(in))
	if err != nil {
		t.Fatal(err)
	}
	return scores[0].Sim
}

func TestSpellingsOfOneText(t *testing.T) {
	const (
		english = "It wasn't the keeper's lamp that failed, the inspectors said, but the wire that fed it. \"We'd oiled the hinges,\" " +
			"one of them recalled - and nobody had found the final office flag until the fifth of May."
		french  = "L'été n'avait rien d'un hiver, et l'eau qu'on puisait n'était plus qu'un filet d'argent."
		german  = "Der Fußweg zur großen Straße ist weiß, und draußen heißt es, man müsse das Maß halten."
		arabic  = "ذهب الطالب الى السوق في المساء وعاد قبل الليل"
		persian = "کتابی که دیروز خریدم روی میز است"
		hebrew  = "הילד הלך אל הגן וחזר אל הבית"
		kana    = "ガラスのビルとバスのドア"
	)
	between := func(s, sign string) string { // behind each third letter
		var b strings.Builder
		for i, r := range []rune(s) {
			b.WriteRune(r)
			if i%3 == 2 && r > ' ' {
				b.WriteString(sign)
			}
		}
		return b.String()
	}
	wide := func(s string) string {
		return strings.Map(func(r rune) rune {
			if ' ' < r && r < 0x7f {
				return r + 0xfee0
			}
			return r
		}, s)
	}
	curly := strings.NewReplacer("'", "’", `"We`, "“We", `s,"`, "s,”", " - ", " – ").Replace
	for what, pair := range map[string][3]string{
		"curly apostrophes":         {"", english, curly(english)},
		"curly French apostrophes":  {"", french, curly(french)},
		"modifier apostrophes":      {"", french, strings.ReplaceAll(french, "'", "ʼ")},
		"soft hyphens":              {"", english, between(english, "\u00ad")},
		"zero-width spaces":         {"", english, between(english, "\u200b")},
		"byte order marks":          {"", english, "\ufeff" + between(english, "\ufeff")},
		"no-break spaces":           {"", english, strings.ReplaceAll(english, " ", "\u00a0")},
		"ss":                        {"", german, strings.ReplaceAll(german, "ß", "ss")},
		"capitals":                  {"", german, strings.ToUpper(strings.ReplaceAll(german, "ß", "ẞ"))},
		"ligatures":                 {"", english, strings.NewReplacer("ffi", "ﬃ", "fi", "ﬁ", "fl", "ﬂ").Replace(english)},
		"full width":                {"", english, wide(english)},
		"presentation forms":        {"", arabic, strings.NewReplacer("ذ", "\ufeab", "ه", "\ufeeb", "ب", "\ufe90", "لا", "\ufefb", "م", "\ufee3", "ق", "\ufed6").Replace(arabic)},
		"tatweel":                   {"", arabic, between(arabic, "\u0640\u0640")},
		"directions":                {"", hebrew, "\u202b" + between(hebrew, "\u200f") + "\u202c"},
		"zero-width joiners":        {"", persian, between(persian, "\u200c")},
		"half-width kana":           {"", kana, strings.NewReplacer("ガ", "ｶﾞ", "ラ", "ﾗ", "ス", "ｽ", "ビ", "ﾋﾞ", "ル", "ﾙ", "バ", "ﾊﾞ", "ド", "ﾄﾞ", "ア", "ｱ").Replace(kana)},
		"decomposed":                {"", french, strings.ReplaceAll(french, "é", "e\u0301")},
		"no accents":                {"diacritics", french, strings.ReplaceAll(french, "é", "e")},
		"no vowel points":           {"diacritics", hebrew, strings.NewReplacer("ה", "ה\u05b7", "ל", "ל\u05b6").Replace(hebrew)},
		"Arabic vowels and letters": {"arabic", arabic, strings.NewReplacer("ب", "ب\u064e", "الى", "إلي", "السوق", "السوق\u0652").Replace(arabic)},
		"Arabic yeh and kaf":        {"persian", persian, strings.NewReplacer("ی", "ي", "ک", "ك").Replace(persian)},
		"columns":                   {"hyphenation", english, strings.NewReplacer("keeper", "kee-\nper", "inspectors", "inspec-\n  tors", "recalled", "re\u2010\r\ncalled").Replace(english)},
	} {
		db := openTest(t, t.TempDir())
		if err := db.CreateCollection(t.Context(), "docs", api.Settings{Normalize: pair[0]}); err != nil {
			t.Fatal(err)
		}
		if pair[1] == pair[2] {
			t.Errorf("%s: the texts are equal", what)
		}
		if sim := simOf(t, db, "docs", pair[1], pair[2]); sim != 1 {
			t.Errorf("%s: sim is %v:\n%s\n%+q", what, sim, pair[1], pair[2])
		}
	}
}

// Symbols tell short texts apart, and texts of symbols are equal to themselves.
func TestSymbols(t *testing.T) {
	db := openTest(t, t.TempDir())
	if err := db.CreateCollection(t.Context(), "docs", api.Settings{}); err != nil {
		t.Fatal(err)
	}
	for _, others := range [][]string{
		{"C", "C++", "C#"}, {"+1", "-1", "1"}, {"$5.00", "£5.00", "5.00"}, {"5%", "5"}, {"😂😂😂", "👍", "😂😂"}, {"...", "?!", "", "…?"}, {"a < b", "a > b", "a = b"},
	} {
		for i, a := range others {
			for j, b := range others {
				if sim := simOf(t, db, "docs", a, b); (sim == 1) != (i == j) {
					t.Errorf("sim of %q and %q is %v", a, b, sim)
				}
			}
		}
	}
	if sim := simOf(t, db, "docs", "-1", "\u22121"); sim != 1 {
		t.Errorf("sim of -1 with a hyphen and with a minus is %v", sim)
	}
	if sim := simOf(t, db, "docs", "> so it said\n> > and so", "so it said\nand so"); sim != 1 {
		t.Errorf("sim of a text and its quotation is %v", sim)
	}
}

func TestUnknownNormalize(t *testing.T) {
	db := openTest(t, t.TempDir())
	err := db.CreateCollection(t.Context(), "docs", api.Settings{Normalize: "accents"})
	if err == nil || !strings.Contains(err.Error(), `normalize: unknown name "accents": want some of 'diacritics, arabic, persian, hyphenation'`) {
		t.Errorf("normalize = 'accents': %v", err)
	}
}
