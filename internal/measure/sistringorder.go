package measure

// This file sorts the sistrings of a text, in n log n steps even if the text
// repeats itself.

import (
	"bytes"
	"slices"
)

// sortTerms sorts the starts of the terms of p, which ascend, by the text from
// there to the end.
//
// A term with the space after it is taken as one letter. The last letter has no
// space. No other letter is the start of another one, and the last one comes
// before those that it starts. So texts compare byte by byte as their letters
// do, and only a sixth of an English text has to be sorted. The letters are
// ranked first. Then prefixes of 1, 2, 4, 8, … letters are ranked, in each
// round by two halves that were ranked before. Sorting by comparisons of whole
// texts would be quadratic for a text that repeats itself.
func sortTerms(p []byte, starts []uint32) {
	ranks, distinct := rankTerms(p, starts)
	order, spare := make([]uint32, len(starts)), make([]uint32, len(starts))
	for i := range spare {
		spare[i] = uint32(i)
	}
	places := make([]uint32, len(starts)+1)
	sortByRank(order, spare, ranks, places)
	for letters := 1; distinct < len(starts); letters *= 2 {
		// This sorts by the second halves. First come the terms that have none,
		// then the others in the order of the terms that start so many letters
		// later.
		n := 0
		for i := len(starts) - letters; i < len(starts); i++ {
			spare[n] = uint32(i)
			n++
		}
		for _, term := range order {
			if int(term) >= letters {
				spare[n] = term - uint32(letters)
				n++
			}
		}
		sortByRank(order, spare, ranks, places)
		ranks, spare, distinct = rerank(order, ranks, spare, letters)
	}
	for i, term := range order {
		spare[i] = starts[term]
	}
	copy(starts, spare)
}

// rankTerms returns the rank of each term, with the space after it, and how
// many distinct terms there are.
func rankTerms(p []byte, starts []uint32) (ranks []uint32, distinct int) {
	term := func(i int) []byte {
		if i+1 == len(starts) {
			return p[starts[i]:]
		}
		return p[starts[i]:starts[i+1]]
	}
	ids := make(map[string]uint32)
	var terms [][]byte // by id
	ranks = make([]uint32, len(starts))
	for i := range starts {
		t := term(i)
		id, ok := ids[string(t)]
		if !ok {
			id = uint32(len(terms))
			ids[string(t)] = id
			terms = append(terms, t)
		}
		ranks[i] = id
	}
	order := make([]uint32, len(terms))
	for id := range order {
		order[id] = uint32(id)
	}
	slices.SortFunc(order, func(a, b uint32) int { return bytes.Compare(terms[a], terms[b]) })
	rankOf := make([]uint32, len(terms))
	for rank, id := range order {
		rankOf[id] = uint32(rank)
	}
	for i, id := range ranks {
		ranks[i] = rankOf[id]
	}
	return ranks, len(terms)
}

// sortByRank writes the terms to order by rank. Terms of one rank stay in their
// order. All ranks are below the number of terms. places is memory for one
// number more.
func sortByRank(order, terms, ranks, places []uint32) {
	clear(places)
	for _, r := range ranks {
		places[r+1]++
	}
	for r := 1; r < len(places); r++ {
		places[r] += places[r-1]
	}
	for _, t := range terms {
		r := ranks[t]
		order[places[r]] = t
		places[r]++
	}
}

// rerank ranks the terms by twice as many letters, into next. Neighbours in the
// order differ if one of their halves differs, or if only one has a second half.
// The latter happens if a text that is not quite normalised ends in a space. It
// returns the new ranks, the memory of the old ones, and the number of ranks.
func rerank(order, ranks, next []uint32, letters int) (now, free []uint32, distinct int) {
	second := func(t uint32) uint32 { // 0 stands for none
		if i := int(t) + letters; i < len(ranks) {
			return ranks[i] + 1
		}
		return 0
	}
	for i, t := range order {
		if i == 0 || ranks[t] != ranks[order[i-1]] || second(t) != second(order[i-1]) {
			distinct++
		}
		next[t] = uint32(distinct - 1)
	}
	return next, ranks, distinct
}
