package measure

// The measure quotes: the words of a text in rows that another text contains. A row is a
// number of consecutive words.

import (
	"slices"

	"github.com/cespare/xxhash/v2"

	"github.com/simdb/simdb/internal/text"
)

// Quotes finds the rows of min words of a text that other texts contain literally. A
// row counts if the number of its distinct words is at least half of min: columns of
// zeros, lines of dashes and the like are no quotations. The score with another text is the
// share of words of this text in common rows. A Quotes is safe for concurrent use.
type Quotes struct {
	form  text.Form
	min   int
	words []uint64
	rows  map[uint64][]int32 // start positions of the rows by hash
}

// NewQuotes indexes the rows of min words of a text.
func NewQuotes(doc string, form text.Form, min int) *Quotes {
	q := &Quotes{form: form, min: min, words: wordHashes(doc, form), rows: map[uint64][]int32{}}
	eachRow(q.words, min, func(at int, hash uint64, distinct int) {
		if 2*distinct >= min {
			q.rows[hash] = append(q.rows[hash], int32(at))
		}
	})
	return q
}

// None reports whether no row counts.
func (q *Quotes) None() bool { return len(q.rows) == 0 }

// Score compares another text. longest is the number of words in the longest piece of
// this text that common rows cover.
func (q *Quotes) Score(doc string) (s Score, longest int) {
	s.Union, s.Of = uint64(len(q.words)), uint64(len(q.words))
	if q.None() {
		return Score{}, 0
	}
	words := wordHashes(doc, q.form)
	covered := make([]bool, len(q.words))
	known := map[uint64]bool{}
	eachRow(words, q.min, func(at int, hash uint64, distinct int) {
		if known[hash] {
			return
		}
		for _, start := range q.rows[hash] {
			if !slices.Equal(q.words[start:int(start)+q.min], words[at:at+q.min]) {
				continue
			}
			known[hash] = true
			for i := range q.min {
				covered[int(start)+i] = true
			}
		}
	})
	run := 0
	for _, yes := range covered {
		if !yes {
			run = 0
			continue
		}
		s.Shared++
		run++
		longest = max(longest, run)
	}
	return s, longest
}

// Least returns a lower bound on the number of distinct shingles of k words that any
// text with a common row shares with this text; 0 if there is no useful bound.
func (q *Quotes) Least(k int) uint64 {
	if q.min < k || q.None() {
		return 0
	}
	shingles := make([]uint64, 0, len(q.words))
	eachRow(q.words, k, func(_ int, hash uint64, _ int) { shingles = append(shingles, hash) })
	least := q.min
	distinct := map[int]int{} // distinct shingles in the rows from each position
	eachRow(shingles, q.min-k+1, func(at int, _ uint64, n int) { distinct[at] = n })
	for _, starts := range q.rows {
		for _, at := range starts {
			least = min(least, distinct[int(at)])
		}
	}
	return uint64(least)
}

// wordHashes returns the hashes of the words of a text, in order.
func wordHashes(doc string, form text.Form) (hashes []uint64) {
	norm := form.Normalize(nil, doc)
	for t := range form.Words(norm) {
		hashes = append(hashes, xxhash.Sum64(norm[t.Start:t.End]))
	}
	return hashes
}

// eachRow calls yield for each n consecutive words: their position, hash and number of
// distinct words.
func eachRow(words []uint64, n int, yield func(at int, hash uint64, distinct int)) {
	const factor = 0x9e3779b97f4a7c15
	first := uint64(1) // multiplier to the power of n
	for range n {
		first *= factor
	}
	count := make(map[uint64]int, n)
	hash := uint64(0)
	for i, w := range words {
		hash = hash*factor + w
		count[w]++
		if i >= n {
			old := words[i-n]
			hash -= old * first
			if count[old]--; count[old] == 0 {
				delete(count, old)
			}
		}
		if i >= n-1 {
			yield(i-n+1, hash, len(count))
		}
	}
}
