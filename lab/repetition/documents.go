package repetition

// This file reads texts as the paper does: shingles stay strings with a place in
// one alphabet, so that no two are mistaken for each other as hashes could be.

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/simdb/simdb/internal/shingle"
	"github.com/simdb/simdb/internal/text"
	"github.com/simdb/simdb/lab/corpora"
)

// k is the paper's shingle length, in characters.
const k = 5

// document is a text as the paper indexes it. Its symbols, the members of
// bag.Set, are not hashes here but places in the alphabetical list of all
// shingles of all documents, so that the set in ascending order is the paper's
// sorted string, and no two shingles share a number.
type document struct {
	id  string
	bag shingle.Bag
}

func (d document) len() int { return len(d.bag.Set) }

// shingles returns the k-grams of characters of a text, as text.Char reads it,
// each with its repetition. A text shorter than k is one shingle, even if it is empty.
func shingles(doc string, k int) map[string]uint32 {
	norm := text.Char.Normalize(nil, doc)
	var starts []int
	for c := range text.Chars(norm) {
		starts = append(starts, c.Start)
	}
	bag := map[string]uint32{}
	if len(starts) < k {
		bag[string(norm)] = 1
	}
	starts = append(starts, len(norm))
	for i := 0; i+k < len(starts); i++ {
		bag[string(norm[starts[i]:starts[i+k]])]++
	}
	return bag
}

// readDocuments shingles all texts and numbers the shingles alphabetically:
// bytewise, which for UTF-8 is the order of code points.
func readDocuments(ctx context.Context, texts []corpora.Doc, k int) (docs []document, alphabet []string, err error) {
	number := map[string]uint64{} // by first appearance
	for _, t := range texts {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		d := document{id: t.ID}
		counts := shingles(t.Text, k)
		d.bag.Set = make(shingle.Set, 0, len(counts))
		d.bag.Counts = make([]uint32, 0, len(counts))
		for s, r := range counts {
			n, ok := number[s]
			if !ok {
				n = uint64(len(number))
				number[s] = n
			}
			d.bag.Set = append(d.bag.Set, n)
			d.bag.Counts = append(d.bag.Counts, r)
			d.bag.Total += uint64(r)
		}
		docs = append(docs, d)
	}
	alphabet = slices.Sorted(maps.Keys(number))
	place := make([]uint64, len(alphabet))
	for i, s := range alphabet {
		place[number[s]] = uint64(i)
	}
	for _, d := range docs {
		renumber(d.bag, place)
	}
	return docs, alphabet, nil
}

// renumber replaces the members n of a bag by place[n] and sorts them.
func renumber(b shingle.Bag, place []uint64) {
	type member struct {
		symbol     uint64
		repetition uint32
	}
	members := make([]member, len(b.Set))
	for i, n := range b.Set {
		members[i] = member{place[n], b.Counts[i]}
	}
	slices.SortFunc(members, func(x, y member) int { return cmp.Compare(x.symbol, y.symbol) })
	for i, m := range members {
		b.Set[i], b.Counts[i] = m.symbol, m.repetition
	}
}
