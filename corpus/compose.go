package corpus

import (
	"math"
	"math/rand/v2"
	"strings"
)

// original returns the words of original i, each with the space or the stop
// that follows it. Lengths are log-normal around 330 words, about 2 kB.
func original(seed uint64, i int) []string {
	r := random(seed, i)
	n := int(math.Exp(r.NormFloat64()*0.7 + 5.55))
	return compose(r, min(max(n, 8), 20_000))
}

// compose returns n words in sentences and paragraphs.
func compose(r *rand.Rand, n int) []string {
	words := make([]string, n)
	left, sentences := 0, 0 // words left in the sentence, sentences left in the paragraph
	for i := range words {
		w := pick(r)
		if left == 0 {
			left = 5 + r.IntN(20)
			w = strings.ToUpper(w[:1]) + w[1:]
			if sentences == 0 {
				sentences = 2 + r.IntN(6)
			}
		}
		switch left--; {
		case i == n-1:
			w += ".\n"
		case left > 0 && left%9 == 4:
			w += ", "
		case left > 0:
			w += " "
		default:
			w += ". "
			if sentences--; sentences == 0 {
				w = w[:len(w)-1] + "\n\n"
			}
		}
		words[i] = w
	}
	return words
}
