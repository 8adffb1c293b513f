package definition

// The names of the setting normalize.

import (
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// settings replace code points of the normal form.
var settings = map[string]func(rune) []rune{
	"diacritics": func(r rune) (out []rune) {
		for _, x := range norm.NFD.String(string(r)) {
			if to, ok := strokes[x]; ok {
				x = to
			}
			if !unicode.Is(unicode.Mn, x) {
				out = append(out, x)
			}
		}
		return out
	},
	"arabic":  byTable(arabic),
	"persian": byTable(persian),
}

// strokes are letters with a mark that NFD does not take off.
var strokes = map[rune]rune{'ø': 'o', 'ł': 'l', 'đ': 'd', 'ħ': 'h', 'ŧ': 't', 'ı': 'i'}

const drop = rune(0)

// arabic is what ArabicNormalizer of Lucene does, and drops three marks more.
var arabic = map[rune]rune{
	'\u0622': '\u0627', '\u0623': '\u0627', '\u0625': '\u0627', // alef with madda, hamza above, hamza below: alef
	'\u0649': '\u064A',                                                                                                             // yeh maksura: yeh
	'\u0629': '\u0647',                                                                                                             // teh marbuta: heh
	'\u064B': drop, '\u064C': drop, '\u064D': drop, '\u064E': drop, '\u064F': drop, '\u0650': drop, '\u0651': drop, '\u0652': drop, // harakat
	'\u0653': drop, '\u0654': drop, '\u0655': drop, // madda, hamza above, hamza below
}

// persian is what PersianNormalizer of Lucene does.
var persian = map[rune]rune{
	'\u06CC': '\u064A', '\u06D2': '\u064A', // Farsi yeh, yeh barree: yeh
	'\u06A9': '\u0643',                                         // keheh: kaf
	'\u06C0': '\u0647', '\u06C1': '\u0647', '\u06C2': '\u0647', // heh with yeh above, heh goal, with hamza: heh
	'\u0654': drop, // hamza above
}

func byTable(table map[rune]rune) func(rune) []rune {
	return func(r rune) []rune {
		switch to, ok := table[r]; {
		case !ok:
			return []rune{r}
		case to == drop:
			return nil
		default:
			return []rune{to}
		}
	}
}

// joinLines takes out hyphens at line ends with the line ends, where a letter stands before and a
// letter in lower case behind.
func joinLines(chars []Char) (out []Char) {
	at := func(i int) rune {
		if i < len(chars) {
			return chars[i].Rune
		}
		return 0
	}
	blanks := func(i int) int {
		for unicode.Is(unicode.White_Space, at(i)) && !endsLine(at(i)) {
			i++
		}
		return i
	}
	for i := 0; i < len(chars); i++ {
		if r := at(i); (r == '-' || r == '\u2010' || r == '\u00AD') && i > 0 && unicode.Is(unicode.L, at(i-1)) {
			line := blanks(i + 1)
			if endsLine(at(line)) {
				if at(line) == '\r' && at(line+1) == '\n' {
					line++
				}
				if next := blanks(line + 1); unicode.Is(unicode.Ll, at(next)) {
					i = next - 1
					continue
				}
			}
		}
		out = append(out, chars[i])
	}
	return out
}
