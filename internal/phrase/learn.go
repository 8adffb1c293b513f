package phrase

// Learning a dictionary from a sample of texts.

import (
	"cmp"
	"slices"
)

const (
	// rounds is the number of selections of phrases. Each round can double their
	// length, and reads more of the sample than the round before.
	rounds = 6
	// rare is the number of texts in which two neighbours must meet to become a phrase.
	// So no phrase reveals content of only one or two texts: a dictionary outlives the
	// texts of its sample, erased ones included (docs/decisions/0071).
	rare = 3
)

// Learn chooses at most size phrases for texts like those in the sample, with a code
// for each. Half a megabyte is enough for 4,096 phrases. Equal samples give equal
// dictionaries.
//
// It begins with single bytes. Each round cuts the sample into the current phrases, and
// weighs each phrase, and each pair of neighbours as a phrase, by the bytes that it
// saves. The best are kept.
func Learn(sample []string, size int) *Dictionary {
	size = min(max(size, 256), MaxPhrases)
	phrases := make([]string, 256)
	for i := range phrases {
		phrases[i] = string([]byte{byte(i)})
	}
	for round := range rounds {
		phrases = selectPhrases(sample[:len(sample)*(round+1)/rounds], phrases, size)
	}
	counts := usage(sample, phrases)
	return newDictionary(byCode(phrases, huffman(counts)))
}

// selectPhrases returns the phrases with the greatest savings, among the given ones and
// pairs of them.
func selectPhrases(sample []string, phrases []string, size int) []string {
	f := newFinder(phrases, numbers(len(phrases)))
	single := make([]int, len(phrases))
	pairs := newPairs()
	var c cutter
	for i, text := range sample {
		c.cut(f, text)
		before, room := uint32(0), 0
		for _, s := range c.phrases {
			p, n := s.phrase.value(), s.phrase.length()
			single[p]++
			if n <= room {
				pairs.add(before<<16|p, uint32(i))
			}
			before, room = p, maxPhrase-n
		}
	}
	gains := make(map[string]int, 2*size)
	for s, n := range single[256:] {
		gains[phrases[256+s]] += n * saving(len(phrases[256+s]))
	}
	for i, n := range pairs.counts {
		if pairs.texts[i] >= rare {
			k := pairs.keys[i]
			p := phrases[k>>16] + phrases[k&0xffff]
			gains[p] += int(n) * saving(len(p))
		}
	}
	type weighed struct {
		phrase string
		gain   int
	}
	all := make([]weighed, 0, len(gains))
	for p, g := range gains {
		all = append(all, weighed{p, g})
	}
	slices.SortFunc(all, func(a, b weighed) int {
		return cmp.Or(cmp.Compare(b.gain, a.gain), cmp.Compare(a.phrase, b.phrase))
	})
	out := slices.Clone(phrases[:256])
	for _, w := range all[:min(len(all), size-256)] {
		out = append(out, w.phrase)
	}
	return out
}

// saving estimates the saving of a phrase of n bytes per occurrence, in half bytes.
func saving(n int) int { return 2*n - 1 }

// usage counts the occurrences of each symbol in the encoded sample.
func usage(sample []string, phrases []string) []int {
	f := newFinder(phrases, numbers(len(phrases)))
	counts := make([]int, len(phrases)+lengthClasses)
	var c cutter
	for _, text := range sample {
		c.cut(f, text[:min(len(text), MaxText)])
		for some, r := range c.pieces {
			for _, s := range some {
				counts[s.phrase.value()]++
			}
			if r.length > 0 {
				class, _, _ := classOf(r.length)
				counts[len(phrases)+class]++
			}
		}
	}
	return counts
}

// numbers returns 0 to n-1.
func numbers(n int) []uint32 {
	out := make([]uint32, n)
	for i := range out {
		out[i] = uint32(i)
	}
	return out
}

// pairs counts, in a growing hash table, occurrences of keys and the texts that contain
// them.
type pairs struct {
	keys   []uint32
	counts []uint32 // 0: free slot
	texts  []uint32
	last   []uint32 // last text with the key
	used   int
}

func newPairs() *pairs { return newPairsFor(1 << 14) }

// newPairsFor returns a table with n slots, a power of two.
func newPairsFor(n int) *pairs {
	return &pairs{keys: make([]uint32, n), counts: make([]uint32, n), texts: make([]uint32, n), last: make([]uint32, n)}
}

// add counts an occurrence of a key in a text. Texts must come one after another.
func (p *pairs) add(key, text uint32) {
	i := p.slot(key)
	if p.counts[i] == 0 {
		if p.used >= len(p.keys)/2 {
			p.grow()
			i = p.slot(key)
		}
		p.keys[i] = key
		p.used++
	}
	if p.counts[i] == 0 || p.last[i] != text {
		p.texts[i]++
		p.last[i] = text
	}
	p.counts[i]++
}

// slot returns the slot of a key, or the free slot for it.
func (p *pairs) slot(key uint32) int {
	i := int(uint64(key)*hashFactor>>32) & (len(p.keys) - 1)
	for p.counts[i] > 0 && p.keys[i] != key {
		i = (i + 1) & (len(p.keys) - 1)
	}
	return i
}

// grow doubles the table.
func (p *pairs) grow() {
	old := *p
	*p = *newPairsFor(2 * len(old.keys))
	p.used = old.used
	for i, n := range old.counts {
		if n > 0 {
			j := p.slot(old.keys[i])
			p.keys[j], p.counts[j], p.texts[j], p.last[j] = old.keys[i], n, old.texts[i], old.last[i]
		}
	}
}
