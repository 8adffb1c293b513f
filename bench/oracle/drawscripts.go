package main

// How texts are drawn as people have them: in several scripts, with symbols, emoji and signs, and
// one text in several forms. Code points of which Unicode 15.0 and 17.0 say different things are
// left out.

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/simdb/simdb/bench/definition"
	"golang.org/x/text/unicode/norm"
)

// scriptWords are words of scripts, and what stands in the place of words.
var scriptWords = map[string]string{
	"marks":    "Éclair naïve façade Ångström señor coöperate ḍa i\u0307 İ ıl Øre Łódź đak ﬁnd ofﬁce ﬂow Ĳssel ǅ a\u0328\u0301 q\u0301\u0323",
	"german":   "Straße MASSE Maß groß Größe Fluß STRASSE Strasse daß ẞ für",
	"french":   "l'eau d'été L’Art aujourd'hui qu'il c'est l´an «Oui» 'non' \"si\" Œuvre",
	"greek":    "λόγος ΛΟΓΟΣ Σίσυφος ὀξύς Ὅμηρος ᾳ ΐ ϐ Ω µ σς",
	"cyrillic": "мир МИР ёлка Ё й Йод ї Ѓ",
	"arabic":   "كتاب كـتـاب مدرسة أحمد إلى آن على مُحَمَّد ﻛﺘﺎﺏ ﷲ ﻻ ـ ـَ ٣٤ يد",
	"persian":  "می\u200cخواهم کتاب یک خانۀ ۀ ہے ے هٔ ۴۵ ك",
	"hebrew":   "שָׁלוֹם שלום צה״ל צה\"ל ג׳ורג ג'ורג בית־ספר ﬡ",
	"hindi":    "नमस्ते हिन्दी क़लम क्\u200dष क़ १२ ज़",
	"chinese":  "中文 漢字 我们。 你好, 㐀 ㈱ ⼀ 一",
	"japanese": "カタカナ ｶﾀｶﾅ ﾊﾟｿｺﾝ パソコン ひらがな 日本語 ガギ カ\u3099 ー ｰ 々 ㌔",
	"korean":   "한국어 \u1112\u1161\u11ab\u1100\u116e\u11a8 ㅎㅏㄴ ﾡ 글 \u1100\u1161 가 가\u11a8",
	"thai":     "ภาษาไทย กำ น้ำ ก\u0e4d\u0e32 ๑๒",
	"khmer":    "ភាសាខ្មែរ ក\u17b4ក ១២",
	"lao":      "ພາສາລາວ ຳ ໜ ໑໒",
	"signs":    "+1 -1 1 C C++ C# F# $5.00 £5.00 €5 5% 100 % 10%% a# # 1# -a a-1 1-2 _-1 --1 (-2) \u22123 \u20135 \uff0d4 x=1 == != <= -> a<b a>b & @ \\ /",
	"symbols":  "± × = | ~ ^ ` _ © ™ ° ½ № x² ∑ → ☃ ♥ ¬ ⁄ 1⁄2 ¨ ´ ¸ ° ≠ =\u0338 >\u0338 ⌘ ₿ +\u0301 ￥ ㎏",
	"emoji":    "😂 😂😂😂 👍🏽 👍 🏽 👩\u200d👧 👩👧 🇩🇪 🇩🇪🇫🇷 🇩 ❤\ufe0f ❤ #\ufe0f\u20e3 1\ufe0f\u20e3 ☺\ufe0f 🏳\ufe0f\u200d🌈 a😂b",
	"quotes":   "> >> >a \n> \n>> \n\t> > > a> \r\n> \u2028> \v> \x0c> \u0085> ＞ \n＞",
	"punct":    "... … ?! ! — -- • « » „“ ؟ 。 ، ¿ ' ’ ` \" ( ) \u0301 \u0301\u0302 : ; , . \u2019\u2019 ’s",
	"numbers":  "1 2 3 3.14 1,000 -7 1e5 ０１２ ٣ ৪ 17 1.000,5 Ⅳ ⑦ 2024-01-02 12:30 0",
}

var scriptNames = slices.Sorted(keys(scriptWords))

// foreign draws the words of a store's texts.
func (d *drawer) foreign() {
	var words []string
	for range pick(d, []int{1, 1, 2, 3, 5}) {
		words = append(words, strings.FieldsFunc(scriptWords[pick(d, scriptNames)], func(r rune) bool { return r == ' ' })...)
	}
	d.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
	d.words = words[:min(len(words), d.vocab)]
}

var normalizeNames = []string{"diacritics", "arabic", "persian", "hyphenation"}

// normalize draws the setting of that name; empty: none.
func (d *drawer) normalize() string {
	var all []string
	for _, name := range normalizeNames {
		if d.one(3) {
			all = append(all, name)
		}
	}
	d.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return strings.Join(all, ", ")
}

// Code points that nobody sees, and signs that stand for one another.
var (
	invisible  = strings.Split("\u00ad \u200b \u200c \u200d \u2060 \ufeff \u200e \u200f \u202a \u202c \u2066 \u2069 \ufe0f \u034f \u115f \u180b \u3164 \u061c \U000e0041", " ")
	apostrophe = []rune("'\u2018\u2019\u201a\u201b\u02b9\u02bb\u02bc\u02bd\u2032\u05f3\u055a\ua78b\ua78c\u00b4\uff07")
	quotation  = []rune("\"\u201c\u201d\u201e\u201f\u05f4\uff02")
	dash       = []rune("-\u2010\u2011\u2012\u2013\u2014\u2015\u2043\u2212\u058a\u05be\uff0d\ufe58")
	spaces     = []string{"\t", "\n", "\r\n", "\u00a0", "\u3000", "\u2028", "\u2029", "\u0085", "\u2009", "  ", " \n ", "\v", "\x0c"}
)

// empties are texts that say nothing.
var empties = []string{"", "", " ", "\n\t ", "\u200b", "\u00a0\u200d", "\u00ad", "\u0301", "\ufeff\n", "\u0640", "\x00"}

// each replaces some of the characters of a text that a function has others for.
func (d *drawer) each(text string, odds int, other func(rune) string) string {
	var b strings.Builder
	for _, r := range text {
		if s := other(r); s != "" && d.one(odds) {
			b.WriteString(s)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// sign is another form of a sign.
func (d *drawer) sign(r rune) string {
	for _, of := range [][]rune{apostrophe, quotation, dash} {
		if slices.Contains(of, r) {
			return string(pick(d, of))
		}
	}
	return ""
}

// vary makes another form of a text, mostly one that reads alike.
func (d *drawer) vary(text string) string {
	if text == "" {
		return pick(d, empties)
	}
	for range pick(d, []int{0, 0, 1, 1, 2, 3}) {
		runes := []rune(text)
		at := d.IntN(len(runes) + 1)
		insert := func(s string) string { return string(runes[:at]) + s + string(runes[at:]) }
		switch d.IntN(15) {
		case 0, 1, 2:
			text = insert(pick(d, invisible))
		case 3:
			text = pick(d, []norm.Form{norm.NFC, norm.NFD, norm.NFKC, norm.NFKD}).String(text)
		case 4, 5:
			text = d.each(text, 2, d.sign)
		case 6:
			text = pick(d, []func(string) string{strings.ToUpper, strings.ToTitle, strings.ToLower})(text)
		case 7:
			text = d.each(text, 1, func(r rune) string {
				if r > ' ' && r < 0x7f {
					return string(r + 0xfee0)
				}
				return ""
			})
		case 8:
			text = pick(d, []*strings.Replacer{strings.NewReplacer("fi", "ﬁ", "fl", "ﬂ", "ss", "ß"), strings.NewReplacer("ß", "ss", "ﬁ", "fi"),
				strings.NewReplacer("カ", "ｶ", "ナ", "ﾅ", "パ", "ﾊﾟ", "ガ", "ｶﾞ"), strings.NewReplacer("ك", "\ufedb", "ت", "\ufe98", "ا", "\ufe8e")}).Replace(text)
		case 9, 10:
			text = strings.ReplaceAll(text, " ", pick(d, spaces))
		case 11:
			text = insert(pick(d, []string{"-\n", "- \n  ", "\u2010\r\n", "\u00ad\n", "-\n\n", "\n> ", "\n"}))
		case 12:
			text = insert(pick(d, []string{"\u0640", "\u0301", "\u0323", strings.Repeat("\u0301", 35), "\u20e3", "\x00"}))
		case 13:
			text = strings.ReplaceAll(text, " ", "")
		case 14:
			if d.one(2) {
				text = insert("\xff") // no UTF-8
			} else if len(text) > 1 {
				text = text[:len(text)-1]
			}
		}
		if text == "" {
			break
		}
	}
	return text
}

// visible is a text as a statement can hold it.
func visible(text string) string {
	return strings.Map(func(r rune) rune {
		if r == 0 {
			return unicode.ReplacementChar
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
}

// stated says whether a statement can hold all texts.
func stated(docs []Document) bool {
	return !slices.ContainsFunc(docs, func(d Document) bool { return !utf8.ValidString(d.Text) || strings.Contains(d.Text, "\x00") })
}

// meetScripts is what a long run must meet of such texts.
var meetScripts = []string{"text empty", "text of characters", "text of no UTF-8", "setting normalize",
	"script Arabic", "script Cyrillic", "script Devanagari", "script Greek", "script Han", "script Hangul", "script Hebrew", "script Hiragana",
	"script Katakana", "script Khmer", "script Lao", "script Latin", "script Thai", "text of symbols", "text of marks", "text of curly quotes", "text of digits", "text of lines",
	"text of 0 shingles", "text of 1 shingles", "text of 2 shingles", "text of 3 shingles"}

// coverScripts notes the scripts and kinds of characters of a text.
func coverScripts(met coverage, text string) {
	if met == nil {
		return
	}
	for _, x := range meetScripts {
		if script, ok := strings.CutPrefix(x, "script "); ok && strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Scripts[script], r) }) {
			met.met("%s", x)
		}
	}
	for what, is := range map[string]func(rune) bool{"symbols": unicode.IsSymbol, "marks": unicode.IsMark, "digits": unicode.IsDigit,
		"curly quotes": func(r rune) bool { return strings.ContainsRune("\u2018\u2019\u201c\u201d", r) }} {
		if strings.ContainsFunc(text, is) {
			met.met("text of %s", what)
		}
	}
	if strings.Count(text, "\n") > 3 {
		met.met("text of lines")
	}
}

// coverTexts notes which texts a step stored.
func (w *World) coverTexts(met coverage, s *Step) {
	name, docs := s.Collection, s.Docs
	if st := s.Statement; st != nil {
		if name, docs = st.Name, st.Rows; st.Kind == "create" && st.Settings["normalize"] != "" {
			met.met("setting normalize")
		}
	}
	c := w.collection(name)
	if c == nil {
		return
	}
	for _, d := range docs {
		coverScripts(met, d.Text)
		n := len(d.bag(c.reading(), c.k()))
		if _, none := d.bag(c.reading(), c.k())[""]; none {
			n = 0
		}
		met.met("text of %d shingles", min(n, 4))
		for shingle := range d.bag(c.reading(), c.k()) {
			switch {
			case shingle == "":
				met.met("text empty")
			case c.unit() != "char" && definition.OfCharacters(shingle):
				met.met("text of characters")
			default:
				continue
			}
			break
		}
		if !utf8.ValidString(d.Text) {
			met.met("text of no UTF-8")
		}
	}
}
