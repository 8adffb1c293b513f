package measure

// This file sorts the sistrings of a text, in n log n steps however much the
// text repeats itself.

import (
	"bytes"
	"slices"
)

// sortTerms sorts the starts of the terms of p, given ascending, by the text
// from there to the end.
//
// A term with the space behind it is taken as one letter. No such letter is the
// start of another but the last, which has no space and comes before those it
// starts; so texts compare byte by byte as their letters do, and only a sixth
// of an English text has to be sorted. The letters are ranked, then prefixes of
// 1, 2, 4, 8, … letters, each round by two halves ranked before. Sorting with
// comparisons of whole texts would be quadratic for a text that repeats itself.
func sortTerms(p []byte, starts []uint32) {
	ranks, distinct := rankTerms(p, starts)
	order, spare := make([]uint32, len(starts)), make([]uint32, len(starts))
	for i := range spare {
		spare[i] = uint32(i)
	}
	places := make([]uint32, len(starts)+1)
	sortByRank(order, spare, ranks, places)
	for letters := 1; distinct < len(starts); letters *= 2 {
		// By their second halves: first those that have none, then the
		// others as what starts letters further on was ordered.
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

// rankTerms returns the rank of each term, with the space behind it, among the
// distinct ones, and how many these are.
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

// sortByRank writes the terms to order by rank, those of one rank as they stand
// in terms. All ranks are below the number of terms; places is memory for one
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

// rerank ranks the terms by twice as many letters, into next: neighbours in
// the order differ if one of their halves do, or only one has a second, which
// happens where a text not quite normalised ends in a space. It returns the new ranks, the
// memory of the old ones, and how many ranks there are.
func rerank(order, ranks, next []uint32, letters int) (now, free []uint32, distinct int) {
	second := func(t uint32) uint32 { // 0 is for none
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
