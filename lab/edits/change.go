package edits

// This file changes texts.

import (
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/simdb/simdb/internal/text"
)

// parts cuts a text at white space. Joined by blanks they are the text again, but
// for its lines.
func parts(s string) []string { return strings.Fields(s) }

// replaceWords puts words of the other text in the place of so many percent.
func replaceWords(r *rand.Rand, s, other string, percent int) string {
	words, others := parts(s), parts(other)
	for _, at := range someOf(r, words, percent) {
		words[at] = others[r.IntN(len(others))]
	}
	return strings.Join(words, " ")
}

// mistype puts a wrong letter into so many percent of the words.
func mistype(r *rand.Rand, s, _ string, percent int) string {
	words := parts(s)
	for _, at := range someOf(r, words, percent) {
		letters := []rune(words[at])
		letters[r.IntN(len(letters))] = 'a' + r.Int32N(26)
		words[at] = string(letters)
	}
	return strings.Join(words, " ")
}

// moveSentences puts so many percent of the sentences elsewhere.
func moveSentences(r *rand.Rand, s, _ string, percent int) string {
	var sentences []string
	s = strings.Join(parts(s), " ")
	for at := range text.Sentences(s) {
		sentences = append(sentences, s[at.Start:at.End])
	}
	for range share(len(sentences), percent) {
		from := r.IntN(len(sentences))
		moved := sentences[from]
		sentences = slices.Delete(sentences, from, from+1)
		sentences = slices.Insert(sentences, r.IntN(len(sentences)+1), moved)
	}
	return strings.Join(sentences, " ")
}

// leaveOut cuts off so many percent of the words at the end.
func leaveOut(_ *rand.Rand, s, _ string, percent int) string {
	words := parts(s)
	return strings.Join(words[:len(words)-share(len(words), percent)], " ")
}

// putInside puts words of the other text before and after, until they are so many
// percent of all.
func putInside(_ *rand.Rand, s, other string, percent int) string {
	words, others := parts(s), parts(other)
	more := len(words) * percent / (100 - percent)
	others = slices.Repeat(others, more/len(others)+1)[:more]
	return strings.Join(slices.Concat(others[:more/2], words, others[more/2:]), " ")
}

// someOf returns so many percent of the places in words, each once.
func someOf(r *rand.Rand, words []string, percent int) []int {
	return r.Perm(len(words))[:share(len(words), percent)]
}

// share is so many percent of n, rounded to the nearest.
func share(n, percent int) int { return (n*percent + 50) / 100 }
