package main

// Forms and quotations by definition (docs/language.md): words of two texts, one by one.

import (
	"slices"
	"strings"
	"unicode"

	"github.com/simdb/simdb/bench/definition"
)

// A blank is a word of a text that is read as a form.
type blank struct {
	word   string
	entry  bool // a number, a name or an identifier; otherwise the word is of the frame
	number bool
}

// blanks are the words of a text with its capitals. A word is an entry everywhere if it stands as an
// identifier somewhere.
func (d *Document) blanks() []blank {
	return derived(d, "blanks", 0, func() (out []blank) {
		chars := definition.CasedChars(d.Text)
		words := definition.Words(chars)
		names := map[string]bool{}
		for _, w := range words {
			if isName(chars, w) {
				names[w.Text] = true
			}
		}
		capitals, small := 0, 0
		for _, c := range chars {
			switch {
			case unicode.In(c.Rune, unicode.Lu, unicode.Lt):
				capitals++
			case unicode.Is(unicode.Ll, c.Rune):
				small++
			}
		}
		for _, w := range words {
			runes := []rune(w.Text)
			b := blank{word: definition.String(definition.Normal(w.Text, "")), number: slices.ContainsFunc(runes, unicode.IsNumber)}
			named := capitals < small && slices.ContainsFunc(runes, func(r rune) bool { return unicode.In(r, unicode.Lu, unicode.Lt) })
			if b.word == "" {
				continue
			}
			b.entry = b.number || names[w.Text] || named || strings.Contains(w.Text, "_")
			out = append(out, b)
		}
		return out
	})
}

// isName says whether a word stands as names do in code.
func isName(chars []definition.Char, w definition.Token) bool {
	at := func(i int) rune {
		if i < 0 || i >= len(chars) {
			return 0
		}
		return chars[i].Rune
	}
	ofName := func(r rune) bool {
		return r == '_' || r > unicode.MaxASCII || unicode.IsLetter(r) || unicode.IsDigit(r)
	}
	end := w.At + len([]rune(w.Text))
	if !ofName(at(w.At)) {
		return false
	}
	switch at(end) {
	case '(', '[', '=':
		return true
	case ' ':
		if at(end+1) == '=' {
			return true
		}
	case '.':
		if ofName(at(end + 1)) {
			return true
		}
	}
	before := at(w.At - 1)
	return (before == '(' || before == '[' || before == '.') && ofName(at(w.At-2))
}

// sameForm says whether two texts have one frame with other entries.
func sameForm(a, b *Document) bool {
	x, y := a.blanks(), b.blanks()
	changedX, changedY := changed(x, y), changed(y, x)
	if !enough(x, changedX) || !enough(y, changedY) {
		return false
	}
	half := func(of []blank, changed []bool, least int, counts func(blank) bool) bool {
		all, others := 0, 0
		for i, b := range of {
			if counts(b) {
				all++
				if changed[i] {
					others++
				}
			}
		}
		return others >= least && 2*others >= all
	}
	both := func(least int, counts func(blank) bool) bool {
		return half(x, changedX, least, counts) && half(y, changedY, least, counts)
	}
	if !both(3, func(b blank) bool { return b.number }) && !both(1, func(b blank) bool { return b.entry }) {
		return false
	}
	f, g := frame(x), frame(y)
	shared := 0
	for piece := range f {
		if g[piece] {
			shared++
		}
	}
	return 3*shared >= 2*(len(f)+len(g)-shared)
}

// changed marks the entries that the other text does not have as often: of a word that stands there n
// times, those after the first n.
func changed(of, other []blank) []bool {
	out := make([]bool, len(of))
	for i, b := range of {
		same := func(o blank) bool { return o.entry && o.word == b.word }
		out[i] = b.entry && count(of[:i+1], same) > count(other, same)
	}
	return out
}

func count(of []blank, counts func(blank) bool) (n int) {
	for _, b := range of {
		if counts(b) {
			n++
		}
	}
	return n
}

// enough says whether a text has a frame, and enough of its entries changed in enough runs of entries.
func enough(of []blank, changed []bool) bool {
	fixed, others, places := 0, 0, 0
	different := map[string]bool{}
	for i := 0; i < len(of); i++ {
		if !of[i].entry {
			fixed++
			continue
		}
		end := i
		for end < len(of) && of[end].entry {
			end++
		}
		here := 0
		for j, is := range changed[i:end] {
			if is {
				here++
				different[of[i+j].word] = true
			}
		}
		others += here
		places += min(here, 1)
		i = end - 1
	}
	return fixed >= 5 && len(different) >= 4 && places >= 3 && 20*others >= len(of)
}

// frame is the shingles of three of a text in which each run of entries is one gap.
func frame(of []blank) map[string]bool {
	var words []string
	for _, b := range of {
		switch {
		case !b.entry:
			words = append(words, "word "+b.word)
		case len(words) == 0 || words[len(words)-1] != "gap":
			words = append(words, "gap")
		}
	}
	pieces := map[string]bool{}
	for i := range len(words) - 2 {
		pieces[strings.Join(words[i:i+3], "\x00")] = true
	}
	return pieces
}

// allWords are the words of a normal form, in their order.
func (d *Document) allWords(c *Collection) []string {
	return derived(d, "all words "+c.normalize(), 0, func() (out []string) {
		for _, w := range definition.Words(definition.Normal(d.Text, c.normalize())) {
			out = append(out, w.Text)
		}
		return out
	})
}

// anyRow says whether a text has a row of words that counts.
func anyRow(words []string, least int) bool {
	for i := range len(words) - least + 1 {
		if counts(words[i : i+least]) {
			return true
		}
	}
	return false
}

// counts says whether half or more of the words of a row are different ones.
func counts(row []string) bool { return 2*len(names(row)) >= len(row) }

// quoted counts the words of a text in rows that count and that another one has, and those of the
// longest piece of such words.
func quoted(words, other []string, least int) (n, longest uint64) {
	in := make([]bool, len(words))
	for i := range len(words) - least + 1 {
		row := words[i : i+least]
		if !counts(row) {
			continue
		}
		for j := range len(other) - least + 1 {
			if slices.Equal(row, other[j:j+least]) {
				for k := i; k < i+least; k++ {
					in[k] = true
				}
				break
			}
		}
	}
	piece := uint64(0)
	for _, is := range in {
		if !is {
			piece = 0
			continue
		}
		n, piece = n+1, piece+1
		longest = max(longest, piece)
	}
	return n, longest
}
