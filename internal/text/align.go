package text

// Mapping a normalised text back to its original bytes, so that passages can be shown
// in their own spelling.

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Alignment is a text normalised for the unit Char, with a map back to the original
// bytes. It takes nine times the memory of the text: build it only for the few texts
// that show passages.
type Alignment struct {
	Norm    []byte // the result of Char.Normalize
	origins []span // for each byte of Norm, its source in the original
}

// span is a range of bytes of a text.
type span struct{ start, end uint32 }

// Align normalises a text like Char.Normalize and records the source of each byte. The
// text must be shorter than 4 GiB.
func Align(doc string) Alignment { return Form(0).Align(doc) }

// Align is the function Align for the result of f.Chars. It panics for Papers, which
// records no sources.
func (f Form) Align(doc string) Alignment {
	if f&Papers != 0 {
		panic("text: the form of the papers has no alignment")
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
		a = f.reduce(a)
	}
	a.collapse()
	return a
}

// align appends the normal form of doc, which begins at byte from of the original.
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

// reduce returns the normal form a after the removals and substitutions of f.
func (f Form) reduce(a Alignment) (out Alignment) {
	var left Alignment
	for i, r := range string(a.Norm) {
		n := len(left.Norm)
		left.Norm = f.append(left.Norm, r)
		left.leadOn(n, a.origins[i])
	}
	out.addNFC(left)
	return out
}

// Raw returns the smallest byte range of the original that Norm[start:end] came from. A
// composed character maps to all its parts and to invisible characters after it, a
// space to the whole run of white space. White space at both ends of the original
// belongs to no range. Raw panics unless 0 ≤ start ≤ end ≤ len(Norm).
func (a Alignment) Raw(start, end int) (rawStart, rawEnd int) {
	from := a.origins[start:end]
	if len(from) > 0 {
		return int(from[0].start), int(from[len(from)-1].end)
	}
	// An empty range has a position only: the end of the character before it.
	if start > 0 {
		rawStart = int(a.origins[start-1].end)
	} else if len(a.origins) > 0 {
		rawStart = int(a.origins[0].start)
	}
	return rawStart, rawStart
}

// add appends a character with its source.
func (a *Alignment) add(r rune, from span) {
	a.Norm = utf8.AppendRune(a.Norm, r)
	a.lead(from)
}

// lead sets the source of the bytes appended since the last call.
func (a *Alignment) lead(from span) {
	for len(a.origins) < len(a.Norm) {
		a.origins = append(a.origins, from)
	}
}

// leadOn sets the source of the bytes after byte n. If nothing was appended, it extends
// the source of the character before.
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

// foldAligned returns the normal form of s before NFC. s begins at byte at of the
// original.
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

// addNFC appends the NFC of folded. A segment that NFC leaves unchanged maps back
// character by character. A segment that it changes is a character with its marks, in
// any order, and maps back as a whole.
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

// collapse is Collapse on a text with sources.
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

// spaceEnd returns the end of the run of white space that starts at i.
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
