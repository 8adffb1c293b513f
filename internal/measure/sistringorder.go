package measure

// This file sorts the sistrings of a text, in n log n steps even if the text
// repeats itself.

import (
	"bytes"
	"hash/maphash"
	"slices"
	"unicode"
	"unicode/utf8"
)

// sortTerms sorts the starts of the terms of p, which ascend, by the text from
// there to the end.
//
// The text is written in letters of some characters each, which begin at the terms and
// perhaps elsewhere. No letter is the start of another one, but for the last one, which
// comes before those that it starts. So texts compare byte by byte as their letters
// do. The letters are ranked first. Then prefixes of 1, 2, 4, 8, … letters are ranked, in each
// round by two halves that were ranked before. Sorting by comparisons of whole
// texts would be quadratic for a text that repeats itself.
func sortTerms(p []byte, starts []uint32) {
	cuts := cutsAt(p, starts)
	letters := starts
	if cuts != nil {
		letters = cuts.letters(p)
	}
	ranks, distinct := rankLetters(p, letters, cuts)
	order, spare := make([]uint32, len(letters)), make([]uint32, len(letters))
	for i := range spare {
		spare[i] = uint32(i)
	}
	places := make([]uint32, len(letters)+1)
	sortByRank(order, spare, ranks, places)
	for n := 1; distinct < len(letters); n *= 2 {
		// This sorts by the second halves. First come the letters that have none,
		// then the others in the order of those that stand n letters later.
		k := 0
		for i := len(letters) - n; i < len(letters); i++ {
			spare[k] = uint32(i)
			k++
		}
		for _, x := range order {
			if int(x) >= n {
				spare[k] = x - uint32(n)
				k++
			}
		}
		sortByRank(order, spare, ranks, places)
		ranks, spare, distinct = rerank(order, ranks, spare, n)
	}
	isTerm := make([]bool, len(letters))
	for i, n := 0, 0; n < len(starts); i++ {
		if letters[i] == starts[n] {
			isTerm[i] = true
			n++
		}
	}
	n := 0
	for _, x := range order {
		if isTerm[x] {
			spare[n] = letters[x]
			n++
		}
	}
	copy(starts, spare[:n])
}

// cuts says where letters end beside spaces, each of which is the last character of one: behind
// some characters, and before others. The one before which a letter ends is taken with it where
// letters are compared. So where a letter ends depends on its characters alone, the last of which
// no other character of it is like, but for its first: none is the start of another one.
type cuts struct{ behind, before chars }

// cutsAt returns the cuts by which letters begin at all the starts, nil if letters end
// with spaces alone: then only a sixth of an English text has to be sorted.
func cutsAt(p []byte, starts []uint32) *cuts {
	var c *cuts
	for _, at := range starts {
		if at == 0 || p[at-1] == ' ' {
			continue
		}
		if c == nil {
			c = &cuts{}
		}
		last, _ := utf8.DecodeLastRune(p[:at])
		if unicode.IsLetter(last) || unicode.IsNumber(last) || unicode.IsMark(last) {
			next, _ := utf8.DecodeRune(p[at:])
			c.before.add(next) // a cut behind a letter would cut every word that has it
		} else {
			c.behind.add(last)
		}
	}
	return c
}

// letters returns where the letters of p start, ascending.
func (c *cuts) letters(p []byte) (starts []uint32) {
	open := false // a letter has begun, and goes on
	for i := 0; i < len(p); {
		r, size := rune(p[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(p[i:])
		}
		if !open || c.before.has(r) {
			starts = append(starts, uint32(i))
		}
		open = r != ' ' && !c.behind.has(r)
		i += size
	}
	return starts
}

// end returns where the letter ends, for comparisons, that the one at next follows.
func (c *cuts) end(p []byte, next int) int {
	if c == nil || p[next-1] == ' ' {
		return next
	}
	if last, _ := utf8.DecodeLastRune(p[:next]); c.behind.has(last) {
		return next
	}
	return nextChar(p, next)
}

// chars is a set of characters.
type chars struct {
	ascii [utf8.RuneSelf]bool
	more  map[rune]bool
}

func (c *chars) add(r rune) {
	if r < utf8.RuneSelf {
		c.ascii[r] = true
		return
	}
	if c.more == nil {
		c.more = map[rune]bool{}
	}
	c.more[r] = true
}

func (c *chars) has(r rune) bool { return r < utf8.RuneSelf && c.ascii[r] || c.more[r] }

// rankLetters returns the rank of each letter, and how many distinct letters there are.
func rankLetters(p []byte, starts []uint32, cuts *cuts) (ranks []uint32, distinct int) {
	var letters [][]byte // distinct, by id
	ranks = make([]uint32, len(starts))
	table := make([]uint32, 1024) // by hash: id + 1 of a letter, or 0
	seed := maphash.MakeSeed()    // nothing that is returned depends on it
	// slotOf returns where a letter is in the table, or the empty place for it.
	slotOf := func(letter []byte) uint64 {
		slot := maphash.Bytes(seed, letter) & uint64(len(table)-1)
		for table[slot] != 0 && !bytes.Equal(letters[table[slot]-1], letter) {
			slot = (slot + 1) & uint64(len(table)-1)
		}
		return slot
	}
	for i, at := range starts {
		end := len(p)
		if i+1 < len(starts) {
			end = cuts.end(p, int(starts[i+1]))
		}
		letter := p[at:end]
		slot := slotOf(letter)
		if table[slot] == 0 {
			letters = append(letters, letter)
			table[slot] = uint32(len(letters))
			ranks[i] = uint32(len(letters)) - 1
			if 2*len(letters) > len(table) {
				table = make([]uint32, 4*len(table))
				for id, letter := range letters {
					table[slotOf(letter)] = uint32(id) + 1
				}
			}
			continue
		}
		ranks[i] = table[slot] - 1
	}
	order := make([]uint32, len(letters))
	for id := range order {
		order[id] = uint32(id)
	}
	slices.SortFunc(order, func(a, b uint32) int { return bytes.Compare(letters[a], letters[b]) })
	rankOf := make([]uint32, len(letters))
	for rank, id := range order {
		rankOf[id] = uint32(rank)
	}
	for i, id := range ranks {
		ranks[i] = rankOf[id]
	}
	return ranks, len(letters)
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
