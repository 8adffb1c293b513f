package shingle

// Texts with words hashed in several blocks.

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/simdb/simdb/internal/text"
)

// TestWordsInBlocks compares the hashes with those of all words at once, with blocks
// that end anywhere, and with a first block unlike the others.
func TestWordsInBlocks(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	parts := []string{"a ", "b c ", "longer ", "a word that has more than sixteen: incomprehensibilities ", "é ", "中文 ", "e\u0301\u0301 ", "can't 3.14 ", " \n", "\xff\xfe", "👩‍👩‍👧 "}
	texts := []string{
		strings.Repeat("a ", wordsBlock), strings.Repeat("a ", wordsBlock+1), strings.Repeat("a ", 3*wordsBlock-1),
		strings.Repeat("x", 100_000) + strings.Repeat(" y", 2*wordsBlock),
		strings.Repeat("\n", 100_000) + strings.Repeat("中", 2*wordsBlock) + "e\u0301",
	}
	for range 20 {
		var b strings.Builder
		few := parts[:1+rnd.IntN(len(parts))]
		for range rnd.IntN(4 * wordsBlock) {
			b.WriteString(few[rnd.IntN(len(few))])
		}
		texts = append(texts, b.String())
	}
	for i, doc := range texts {
		norm := text.Word.Normalize(nil, doc)
		words, _ := text.Form(0).AppendWordsFrom(nil, norm, 0, len(norm)+1)
		want := make([]uint64, len(words))
		hashWords(want, append(slices.Clone(norm), make([]byte, shortWord)...), words)
		if got := new(scratch).appendWords(nil, norm, 0); !slices.Equal(got, want) {
			t.Fatalf("text %d: %d hashes in blocks, %d at once, or others", i, len(got), len(want))
		}
	}
}
