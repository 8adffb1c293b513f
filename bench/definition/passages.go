package definition

// Passages that two texts have in common.

import "slices"

// A Passage stands in both texts: its places in the code points of their collapsed forms, and its
// length. If several places of P have it, P is any of them.
type Passage struct{ P, C, Chars int }

// Terms are the code points of a collapsed form where a passage may begin: the first, those
// behind white space, and the beginnings of words.
func Terms(chars []Char) (out []int) {
	words := map[int]bool{}
	for _, w := range Words(chars) {
		words[w.At] = true
	}
	for i := range chars {
		if i == 0 || chars[i-1].Rune == ' ' || words[i] {
			out = append(out, i)
		}
	}
	return out
}

// Passages goes through c from left to right: the longest piece from here on that begins with a
// term of p is a passage if it has more than least characters, and is skipped.
func Passages(p, c []Char, least int) (out []Passage) {
	in, from := []rune(String(p)), []rune(String(c))
	terms := Terms(p)
	slices.SortFunc(terms, func(a, b int) int { return slices.Compare(in[a:], in[b:]) })
	for at := 0; at < len(from); {
		best := Passage{C: at}
		next, _ := slices.BinarySearchFunc(terms, from[at:], func(term int, s []rune) int { return slices.Compare(in[term:], s) })
		for _, term := range terms[max(next-1, 0):min(next+1, len(terms))] { // in order, the longest match is beside
			n := 0
			for term+n < len(in) && at+n < len(from) && in[term+n] == from[at+n] {
				n++
			}
			if n > 0 && n >= best.Chars {
				best.P, best.Chars = term, n
			}
		}
		if best.Chars > least {
			out = append(out, best)
			at += best.Chars
		} else {
			at++
		}
	}
	return out
}
