package plagiarism

// This file measures what the paper leaves to later: to choose keywords of a
// query, and to look only at texts that have one of them. Here the keywords are the
// rarest shingles of the query that any text has.

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/simdb/simdb/internal/corpus"
	"github.com/simdb/simdb/internal/report"
	"github.com/simdb/simdb/internal/shingle"
	"github.com/simdb/simdb/internal/text"
)

// rareCounts are how many keywords a query may have; 0 means all its shingles.
var rareCounts = []int{5, 10, 20, 50, 100, 200, 0}

// rareQueries is how many queries are enough.
const rareQueries = 200

// rareWords are the shingle lengths that are tried, in words, and rareReplaced the
// per cent of the words of a query that other words of it replace.
var (
	rareWords    = []int{1, 3}
	rareReplaced = []int{0, 20, 40}
)

// A keyworded sums what queries find by their keywords.
type keyworded struct {
	sources, found int   // sources of all queries, and those that have a keyword
	close, kept    int   // texts that hold a tenth of a query's shingles, and those that have a keyword
	postings       int64 // of the keywords
	candidates     int64 // texts that have one
}

// A lexicon has for each shingle of the queries the texts that have it.
type lexicon map[uint64][]int32

// rare measures keywords on composed texts: queries of them, each from ten of the
// texts. Found are sources; what is close holds a tenth of the query's shingles.
func rare(ctx context.Context, texts []string, draw func(q int) []string, queries int) (rows [][]string, err error) {
	for _, words := range rareWords {
		a := shingle.Analysis{Unit: text.Word, K: words, Form: text.Papers}
		sets := make([]shingle.Set, len(texts))
		place := map[string]int32{}
		for i, t := range texts {
			if i%256 == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			sets[i], place[t] = a.Bag(t).Set, int32(i)
		}
		for _, percent := range rareReplaced {
			var probes []shingle.Set
			var from [][]int32
			lex := lexicon{}
			for q := range queries {
				sources := draw(q)
				terms := 0
				var numbers []int32
				for _, s := range sources {
					terms, numbers = terms+corpus.CountTerms(s), append(numbers, place[s])
				}
				p := corpus.Plagiarise(uint64(q), corpus.EqualShares(terms/len(sources), sources...)...)
				set := a.Bag(replaceWords(rand.New(rand.NewPCG(5, uint64(q))), p.Text, percent)).Set
				probes, from = append(probes, set), append(from, numbers)
				for _, hash := range set {
					lex[hash] = nil
				}
			}
			for i, set := range sets {
				for _, hash := range set {
					if list, asked := lex[hash]; asked {
						lex[hash] = append(list, int32(i))
					}
				}
			}
			sums := make([]keyworded, len(rareCounts))
			for q, set := range probes {
				if err := ctx.Err(); err != nil {
					return nil, err
				}
				lex.look(set, from[q], len(texts), sums)
			}
			for i, n := range rareCounts {
				rows = append(rows, sums[i].row(words, percent, n, queries))
			}
		}
	}
	return rows, nil
}

// look adds what one query finds, by each number of keywords.
func (l lexicon) look(query shingle.Set, sources []int32, texts int, sums []keyworded) {
	var known []uint64 // shingles that some text has, the rarest first
	shared := make([]int32, texts)
	for _, hash := range query {
		if len(l[hash]) > 0 {
			known = append(known, hash)
		}
		for _, d := range l[hash] {
			shared[d]++
		}
	}
	slices.SortFunc(known, func(a, b uint64) int { return cmp.Or(cmp.Compare(len(l[a]), len(l[b])), cmp.Compare(a, b)) })
	for i, n := range rareCounts {
		if n == 0 || n > len(known) {
			n = len(known)
		}
		met := make([]bool, texts)
		for _, hash := range known[:n] {
			sums[i].postings += int64(len(l[hash]))
			for _, d := range l[hash] {
				if !met[d] {
					met[d] = true
					sums[i].candidates++
				}
			}
		}
		for _, s := range sources {
			sums[i].sources++
			if met[s] {
				sums[i].found++
			}
		}
		for d, s := range shared {
			if s > 0 && 10*int(s) >= len(query) {
				sums[i].close++
				if met[d] {
					sums[i].kept++
				}
			}
		}
	}
}

// reportRare writes the section on keywords.
func reportRare(r *report.Report, queries, texts int, rows [][]string) {
	r.Printf("## Keywords of a query")
	r.Printf(`The paper leaves to later which words of a text to ask for. Here a query looks only at texts that have one of its rarest
shingles: keywords. Of %d queries, composed as above of ten of the %d eligible texts, some have a part of their words replaced by others of the
same text. "Sources found" is the share of the ten sources that have a keyword, "texts with a tenth found" the share of all texts that hold a
tenth of the query's shingles or more. Postings read and candidates are means.`, queries, texts)
	r.Table("keywords", rareHead, rows)
}

var rareHead = []string{"words", "replaced", "keywords", "sources found", "texts with a tenth found", "postings read", "candidates"}

func (k keyworded) row(words, percent, n, queries int) []string {
	name := fmt.Sprint(n)
	if n == 0 {
		name = "all"
	}
	share := func(part, all int) string {
		if all == 0 {
			return ""
		}
		return fmt.Sprintf("%.3f", float64(part)/float64(all))
	}
	return []string{fmt.Sprint(words), fmt.Sprintf("%d %%", percent), name, share(k.found, k.sources), share(k.kept, k.close),
		fmt.Sprintf("%.0f", float64(k.postings)/float64(queries)), fmt.Sprintf("%.0f", float64(k.candidates)/float64(queries))}
}
