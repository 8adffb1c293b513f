package definition

// Passages that two texts have in common.

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// A Passage stands in both texts: its places in the bytes of their collapsed forms, and its
// length. The place in P is any of those that have it.
type Passage struct{ P, C, Bytes, Chars int }

// Terms are the bytes of a collapsed form where a passage may begin: its start, those behind
// white space, and the beginnings of words.
func Terms(chars []Char) (out []int) {
	words := map[int]bool{}
	for _, w := range Words(chars) {
		words[w.At] = true
	}
	at := 0
	for i, c := range chars {
		if i == 0 || chars[i-1].Rune == ' ' || words[i] {
			out = append(out, at)
		}
		at += utf8.RuneLen(c.Rune)
	}
	return out
}

// Passages goes through c from left to right: the longest piece from here on that begins with a
// term of p is a passage if it has more than least characters, and is skipped.
func Passages(p, c []Char, least int) (out []Passage) {
	in, from := String(p), String(c)
	terms := Terms(p)
	slices.SortFunc(terms, func(a, b int) int { return strings.Compare(in[a:], in[b:]) })
	for at := 0; at < len(from); {
		best := Passage{C: at}
		next, _ := slices.BinarySearchFunc(terms, from[at:], func(term int, s string) int { return strings.Compare(in[term:], s) })
		for _, i := range []int{next - 1, next} { // in order, the longest match is beside
			if i < 0 || i >= len(terms) {
				continue
			}
			if n := common(in[terms[i]:], from[at:]); n > best.Bytes {
				best.P, best.Bytes, best.Chars = terms[i], n, utf8.RuneCountInString(from[at:at+n])
			}
		}
		if best.Chars > least {
			out = append(out, best)
			at += best.Bytes
		} else {
			_, n := utf8.DecodeRuneInString(from[at:])
			at += n
		}
	}
	return out
}

// common counts the bytes of the code points that two texts begin with.
func common(a, b string) (n int) {
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	for n > 0 && n < len(a) && !utf8.RuneStart(a[n]) || n > 0 && n < len(b) && !utf8.RuneStart(b[n]) {
		n--
	}
	return n
}
