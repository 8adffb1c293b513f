// Package corpus generates English-like texts with known relations: originals, exact
// copies and variants with a given share of words deleted, inserted or replaced.
// Document i is a pure function of the seed and i, so a corpus of any size can be
// streamed. The package knows neither shingles nor stores; its words derive from a
// small list of its own. Begin with Texts.
package corpus

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"strings"
)

// Kind is the relation of a document to its original.
type Kind string

const (
	Original Kind = ""
	Dup      Kind = "dup" // the same text
	Deleted  Kind = "d"   // one passage of Percent of the words deleted
	Inserted Kind = "i"   // one passage of Percent of the words inserted
	Edited   Kind = "e"   // Percent of the words, scattered, replaced
)

// Doc is a generated document with the truth about it.
type Doc struct {
	ID      string // "doc-0000120"; for a variant the id of the original, then "_dup", "_d_10", "_i_10" or "_e_10"
	Text    string
	Kind    Kind
	Of      string // id of the original, "" for an original; it always has a smaller number
	Percent int    // share of the words of the original that a variant changes
}

// block is the period of the corpus: six originals, then a copy, a deletion, an
// insertion and an edit.
const (
	block     = 10
	originals = 6
)

// percents are the changed shares of variants.
var percents = [...]int{1, 2, 5, 10, 20, 40}

// Texts returns the first n documents.
func Texts(seed uint64, n int) []Doc {
	docs := make([]Doc, n)
	for i := range docs {
		docs[i] = At(seed, i)
	}
	return docs
}

// All yields the documents from number 0 on, endlessly.
func All(seed uint64) iter.Seq2[int, Doc] {
	return func(yield func(int, Doc) bool) {
		for i := 0; yield(i, At(seed, i)); i++ {
		}
	}
}

// At returns document i, i ≥ 0.
func At(seed uint64, i int) Doc {
	if i%block < originals {
		return Doc{ID: id(i), Text: strings.Join(original(seed, i), "")}
	}
	r := random(seed, i)
	d := Doc{Kind: Dup}
	of := originalOf(r, i)
	words := original(seed, of)
	if i%block != originals {
		d.Percent = percents[r.IntN(len(percents))]
	}
	switch n := len(words) * d.Percent / 100; i % block {
	case originals + 1:
		d.Kind = Deleted
		words = deletePassage(r, words, n)
	case originals + 2:
		d.Kind = Inserted
		words = insertPassage(r, words, n)
	case originals + 3:
		d.Kind = Edited
		words = replaceWords(r, words, n)
	}
	d.Of = id(of)
	d.ID = d.Of + "_" + string(d.Kind)
	if d.Kind != Dup {
		d.ID += fmt.Sprintf("_%d", d.Percent)
	}
	d.Text = strings.Join(words, "")
	return d
}

// id returns the id of original i; ids sort by number.
func id(i int) string { return fmt.Sprintf("doc-%07d", i) }

// random returns the random source of document i.
func random(seed uint64, i int) *rand.Rand { return rand.New(rand.NewPCG(seed, uint64(i))) }

// originalOf picks the original of variant i. A copy is near its original; the other
// variants are half the corpus away, so that joins cross segments. Two blocks share a
// block of originals and use different halves of it, so no two variants have the same
// id.
func originalOf(r *rand.Rand, i int) int {
	b := i / block
	if i%block == originals {
		return b*block + r.IntN(originals)
	}
	const half = originals / 2
	return b/2*block + b%2*half + r.IntN(half)
}

// deletePassage removes n consecutive words at a random place.
func deletePassage(r *rand.Rand, words []string, n int) []string {
	at := r.IntN(len(words) - n + 1)
	return append(words[:at:at], words[at+n:]...)
}

// insertPassage inserts n composed words at a random place.
func insertPassage(r *rand.Rand, words []string, n int) []string {
	at := r.IntN(len(words) + 1)
	out := append(words[:at:at], compose(r, n)...)
	return append(out, words[at:]...)
}

// replaceWords replaces n words at different places.
func replaceWords(r *rand.Rand, words []string, n int) []string {
	for _, at := range r.Perm(len(words))[:n] {
		words[at] = pick(r).with(space)
	}
	return words
}
