package corpus

// Pages of two forms: long templates with a small part of their own. Most pages are
// unrelated, and similar all the same, as the pages of a shop or a register are.

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"strings"
)

const (
	formWords  = 240  // words of a template
	slideWords = 64   // own words of a page of form A
	slideStep  = 5    // words by which the own part of the next page of form A begins later
	ownWords   = 56   // most own words of a page of form B
	copyEvery  = 1000 // one page of so many is a copy of the page before it
)

// Forms yields n pages of form A and n/10 of form B, as a pure function of the seed.
//
//   - The own part of a page of form A is a window on one long text, which moves on with
//     each page. A page shares words with the twelve pages after it, and only the
//     template with all others: similar pages form a long chain.
//   - The own part of a page of form B has 1 to 56 random words: pages with few words are
//     similar to each other and to many other pages, and pages with many words are not. The number
//     of similar pairs grows with the square of the number of pages.
func Forms(seed uint64, n int) iter.Seq[Doc] {
	templates := [...]string{template(seed, 0), template(seed, 1)}
	return func(yield func(Doc) bool) {
		for i := range n {
			if !pages(fmt.Sprintf("a-%07d", i), templates[0]+slide(seed, i), i, yield) {
				return
			}
			if i%10 == 9 && !pages(fmt.Sprintf("b-%07d", i/10), templates[1]+own(seed, i/10), i/10, yield) {
				return
			}
		}
	}
}

// pages yields page i of a form, and perhaps a copy of it.
func pages(id, text string, i int, yield func(Doc) bool) bool {
	d := Doc{ID: id, Text: text}
	if !yield(d) {
		return false
	}
	return i%copyEvery != copyEvery-1 || yield(Doc{ID: id + "_" + string(Dup), Text: text, Kind: Dup, Of: id})
}

// template returns the template of a form. Its source differs from those of documents, which have small numbers.
func template(seed uint64, which int) string {
	return strings.Join(compose(random(seed, -1-which), formWords), "")
}

// slide returns the own part of page i of form A.
func slide(seed uint64, i int) string {
	var text strings.Builder
	for at := i * slideStep; at < i*slideStep+slideWords; at++ {
		text.WriteString(pick(rand.New(rand.NewPCG(^seed, uint64(at)))).with(space))
	}
	return text.String()
}

// own returns the own part of page i of form B.
func own(seed uint64, i int) string {
	r := rand.New(rand.NewPCG(^seed, 1<<63|uint64(i)))
	var text strings.Builder
	for range 1 + r.IntN(ownWords) {
		text.WriteString(pick(r).with(space))
	}
	return text.String()
}
