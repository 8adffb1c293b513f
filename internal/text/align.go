package text

// This file leads from a normalised text back to the text as it was given, so
// that passages can be shown in their own spelling.

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Alignment is a text as the unit Char reads it, with the way back to the text
// as it was given. It takes nine times the memory of the text, so it is for the
// few texts whose passages are shown.
type Alignment struct {
	Norm    []byte // what Char.Normalize returns
	origins []span // of each byte of Norm, the part of the text it came from
}

// span is a range of bytes of a text.
type span struct{ start, end uint32 }

// Align normalises a text, shorter than 4 GiB, as Char.Normalize does and keeps
// the way back.
func Align(doc string) Alignment { return Form(0).Align(doc) }

// Align is the function Align for what f.Chars returns. It panics for Papers.
func (f Form) Align(doc string) Alignment {
	if f&Papers != 0 {
		panic("text: nothing leads back from what the papers read")
	}
	a := Alignment{Norm: make([]byte, 0, len(doc)), origins: make([]span, 0, len(doc))}
	at := 0
	if f&Hyphenation != 0 {
		for t := range hyphenations(doc) {
			a.align(doc[at:t.Start], at)
			at = t.End
		}
	}
	a.align(doc[at:], at)
	if f&^Hyphenation != 0 {
		a = f.left(a)
	}
	a.collapse()
	return a
}

// align appends the normal form of doc, which stands at byte from of the text.
func (a *Alignment) align(doc string, from int) {
	for at := 0; at < len(doc); {
		if doc[at] < utf8.RuneSelf && (at+1 == len(doc) || doc[at+1] < utf8.RuneSelf) {
			a.add(unicode.ToLower(rune(doc[at])), span{uint32(from + at), uint32(from + at + 1)})
			at++
			continue
		}
		end := at + 1
		for end < len(doc) && doc[end] >= utf8.RuneSelf {
			end++
		}
		a.addNFC(foldAligned(doc[at:end], from+at))
		at = end
	}
}

// left returns what f leaves of a normal form.
func (f Form) left(a Alignment) (out Alignment) {
	var left Alignment
	for i, r := range string(a.Norm) {
		n := len(left.Norm)
		left.Norm = f.append(left.Norm, r)
		left.leadOn(n, a.origins[i])
	}
	out.addNFC(left)
	return out
}

// Raw returns the smallest range of bytes of the text that Norm[start:end] came
// from. A composed character leads back to all it was composed of and to what is
// invisible behind it, a space to the whole run of white space; nothing leads back
// to the white space at both ends of the text. It panics unless 0 ≤ start ≤ end ≤ len(Norm).
func (a Alignment) Raw(start, end int) (rawStart, rawEnd int) {
	from := a.origins[start:end]
	if len(from) > 0 {
		return int(from[0].start), int(from[len(from)-1].end)
	}
	// Nothing came from nothing, but from a place: where the character
	// before ends.
	if start > 0 {
		rawStart = int(a.origins[start-1].end)
	} else if len(a.origins) > 0 {
		rawStart = int(a.origins[0].start)
	}
	return rawStart, rawStart
}

// add appends a character.
func (a *Alignment) add(r rune, from span) {
	a.Norm = utf8.AppendRune(a.Norm, r)
	a.lead(from)
}

// lead leads what was appended back to a part of the text.
func (a *Alignment) lead(from span) {
	for len(a.origins) < len(a.Norm) {
		a.origins = append(a.origins, from)
	}
}

// leadOn leads what was appended behind byte n back to a part of the text. If that
// is nothing, the part belongs to the character before.
func (a *Alignment) leadOn(n int, from span) {
	if n < len(a.Norm) {
		a.lead(from)
		return
	}
	if n == 0 {
		return
	}
	was := a.origins[n-1].end
	for i := n - 1; i >= 0 && a.origins[i].end == was; i-- {
		a.origins[i].end = from.end
	}
}

// foldAligned returns what Normalize makes of s before NFC, for s at byte at of the
// text.
func foldAligned(s string, at int) (a Alignment) {
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		p := pageOf(r)
		n := len(a.Norm)
		a.Norm = p.append(a.Norm, p.of(r))
		a.leadOn(n, span{uint32(at + i), uint32(at + i + size)})
		i += size
	}
	return a
}

// addNFC appends NFC of what foldAligned returned. What NFC leaves as it is leads
// back character by character. What it changes is a character with its marks, in
// whatever order they were, and leads back as a whole.
func (a *Alignment) addNFC(folded Alignment) {
	var it norm.Iter
	it.Init(norm.NFC, folded.Norm)
	for !it.Done() {
		start := it.Pos()
		piece := string(it.Next())
		origins := folded.origins[start:it.Pos()]
		same := piece == string(folded.Norm[start:it.Pos()])
		for i, r := range piece {
			if same {
				a.add(r, origins[i])
			} else {
				a.add(r, span{origins[0].start, origins[len(origins)-1].end})
			}
		}
	}
}

// collapse does what Collapse does.
func (a *Alignment) collapse() {
	n := 0
	for i := 0; i < len(a.Norm); {
		end := spaceEnd(a.Norm, i)
		if end == i {
			_, size := utf8.DecodeRune(a.Norm[i:])
			copy(a.Norm[n:], a.Norm[i:i+size])
			copy(a.origins[n:], a.origins[i:i+size])
			n += size
			i += size
			continue
		}
		if n > 0 && end < len(a.Norm) {
			a.Norm[n] = ' '
			a.origins[n] = span{a.origins[i].start, a.origins[end-1].end}
			n++
		}
		i = end
	}
	a.Norm, a.origins = a.Norm[:n], a.origins[:n]
}

// spaceEnd returns where the run of white space that starts at i ends.
func spaceEnd(norm []byte, i int) int {
	for i < len(norm) {
		r, size := utf8.DecodeRune(norm[i:])
		if !unicode.IsSpace(r) {
			break
		}
		i += size
	}
	return i
}
