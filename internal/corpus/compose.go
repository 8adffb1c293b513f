package corpus

// Composing original texts from random words.

import (
	"math"
	"math/rand/v2"
)

// original returns the words of original i, each with the space or the punctuation
// after it. Lengths are log-normal around 330 words, about 2 kB.
func original(seed uint64, i int) []string {
	r := random(seed, i)
	n := int(math.Exp(r.NormFloat64()*0.7 + 5.55))
	return compose(r, min(max(n, 8), 20_000))
}

// compose returns n words in sentences and paragraphs.
func compose(r *rand.Rand, n int) []string {
	words := make([]string, n)
	left, sentences := 0, 0 // remaining words of the sentence, remaining sentences of the paragraph
	for i := range words {
		w := pick(r)
		if left == 0 {
			left = 5 + r.IntN(20)
			w += upper
			if sentences == 0 {
				sentences = 2 + r.IntN(6)
			}
		}
		switch left--; {
		case i == n-1:
			words[i] = w.with(last)
		case left > 0 && left%9 == 4:
			words[i] = w.with(comma)
		case left > 0:
			words[i] = w.with(space)
		default:
			words[i] = w.with(stop)
			if sentences--; sentences == 0 {
				words[i] = w.with(end)
			}
		}
	}
	return words
}
