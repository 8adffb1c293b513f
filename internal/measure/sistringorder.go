package measure

// Sorting the sistrings of a text, in n log n steps even if the text repeats itself.

import (
	"bytes"
	"hash/maphash"
	"slices"
	"unicode"
	"unicode/utf8"
)

// sortTerms sorts starts, the ascending starts of the terms of p, by the text from
// there to its end.
//
// It divides the text into letters of several characters each, which begin at the terms
// and possibly elsewhere. No letter is a proper prefix of another, except the last
// letter of the text, which sorts before the letters that it begins. So texts compare
// byte by byte as their letters do. The first round ranks the letters. Each further
// round ranks prefixes of 2, 4, 8, … letters by the ranks of their two halves. Sorting
// by comparison of whole texts would be quadratic for a text that repeats itself.
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
		// Sort by the second halves: first the letters without one, then the others in
		// the order of the letters n positions later.
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

// cuts defines the ends of letters other than spaces, each of which ends a letter:
// after some characters, and before others. In comparisons a letter includes the
// character before which it ends. So the end of a letter depends only on its
// characters: its last character satisfies the condition, and no earlier one but the
// first may. Hence no letter is a proper prefix of another.
type cuts struct{ after, before chars }

// cutsAt returns cuts such that letters begin at all the starts, nil if spaces alone
// suffice: then only a sixth of an English text has to be sorted.
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
			c.before.add(next) // a cut after a letter would cut every word that contains it
		} else {
			c.after.add(last)
		}
	}
	return c
}

// letters returns the starts of the letters of p, ascending.
func (c *cuts) letters(p []byte) (starts []uint32) {
	open := false // inside a letter
	for i := 0; i < len(p); {
		r, size := rune(p[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(p[i:])
		}
		if !open || c.before.has(r) {
			starts = append(starts, uint32(i))
		}
		open = r != ' ' && !c.after.has(r)
		i += size
	}
	return starts
}

// end returns the end, in comparisons, of the letter before the letter at next.
func (c *cuts) end(p []byte, next int) int {
	if c == nil || p[next-1] == ' ' {
		return next
	}
	if last, _ := utf8.DecodeLastRune(p[:next]); c.after.has(last) {
		return next
	}
	return nextChar(p, next)
}

// chars is a set of characters. The zero value is empty.
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

// rankLetters returns the rank of each letter, and the number of distinct letters.
func rankLetters(p []byte, starts []uint32, cuts *cuts) (ranks []uint32, distinct int) {
	var letters [][]byte // by id
	ranks = make([]uint32, len(starts))
	table := make([]uint32, 1024) // hash table: id + 1 of a letter, or 0
	seed := maphash.MakeSeed()    // the result does not depend on it
	// slotOf returns the slot of a letter, or the free slot for it.
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

// sortByRank writes the terms to order by rank, stably. All ranks must be below the
// number of terms. places is scratch memory for one number more.
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

// rerank ranks the terms by twice as many letters, into next. Neighbours in the order
// have different ranks if a half differs, or if only one of them has a
// second half, as in a text that ends in a space because it is not fully normalised.
// rerank returns the new ranks, the memory of the old ones, and the number of distinct
// ranks.
func rerank(order, ranks, next []uint32, letters int) (now, free []uint32, distinct int) {
	second := func(t uint32) uint32 { // 0: none
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
