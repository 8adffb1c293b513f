// Package corpus turns a seed into English-like texts whose relations are
// known: originals, exact copies and variants with a stated share of words
// deleted, inserted or replaced. Document i is a pure function of the seed and
// i, so a corpus of any size can be streamed without being held. The package
// knows nothing of shingles or stores, and copies no text: its words are built
// from a small list of its own.
package corpus

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"strings"
)

// Kind says how a document was made from its original.
type Kind string

const (
	Original Kind = ""
	Dup      Kind = "dup" // the same text
	Deleted  Kind = "d"   // one passage of Percent of the words left out
	Inserted Kind = "i"   // one passage of Percent of the words put in
	Edited   Kind = "e"   // Percent of the words, scattered, replaced by others
)

// Doc is one generated document and what is known of it.
type Doc struct {
	ID      string // "doc-0000120"; of a variant the original's, then "_dup", "_d_10", "_i_10" or "_e_10"
	Text    string
	Kind    Kind
	Of      string // id of the original, "" for an original; it always has a smaller number
	Percent int    // share of the words of the original that a variant changes
}

// block is the period of the corpus: six originals, then a copy, a deletion,
// an insertion and an edit.
const (
	block     = 10
	originals = 6
)

// percents are the shares by which variants differ.
var percents = [...]int{1, 2, 5, 10, 20, 40}

// Texts returns the first n documents.
func Texts(seed uint64, n int) []Doc {
	docs := make([]Doc, n)
	for i := range docs {
		docs[i] = At(seed, i)
	}
	return docs
}

// All goes through the documents from number 0 on, without end.
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

func id(i int) string { return fmt.Sprintf("doc-%07d", i) }

// random returns the random source of document i.
func random(seed uint64, i int) *rand.Rand { return rand.New(rand.NewPCG(seed, uint64(i))) }

// originalOf picks the original of variant i. A copy is near its original; the
// other variants are half the corpus away, so that joins cross segments. Two
// blocks share one block of originals and take different halves of it, so no
// two variants have the same id.
func originalOf(r *rand.Rand, i int) int {
	b := i / block
	if i%block == originals {
		return b*block + r.IntN(originals)
	}
	const half = originals / 2
	return b/2*block + b%2*half + r.IntN(half)
}

func deletePassage(r *rand.Rand, words []string, n int) []string {
	at := r.IntN(len(words) - n + 1)
	return append(words[:at:at], words[at+n:]...)
}

func insertPassage(r *rand.Rand, words []string, n int) []string {
	at := r.IntN(len(words) + 1)
	out := append(words[:at:at], compose(r, n)...)
	return append(out, words[at:]...)
}

// replaceWords changes n words at different places.
func replaceWords(r *rand.Rand, words []string, n int) []string {
	for _, at := range r.Perm(len(words))[:n] {
		words[at] = pick(r).with(space)
	}
	return words
}
