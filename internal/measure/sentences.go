package measure

// Verification that two sentences with near fingerprints agree. A fingerprint of 32
// bits over pairs of letters discriminates poorly for sentences of few distinct
// letters: figures, DNA, hex dumps.

import (
	"iter"
	"slices"
	"unicode/utf8"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/shingle"
)

// agreeing is the least resemblance of the grams of two sentences that agree.
var agreeing = api.Ratio(1, 2)

// gramLengths are the lengths in characters of the grams of sentences: a sentence uses
// the least length at which at least 7 of 8 grams are distinct, or else the last. Then
// its n grams are so rare that another sentence has at most about a quarter of them by
// chance, and the resemblance of the two is a seventh.
var gramLengths = [...]int{3, 4, 6, 8, 12, 16, 24, 32}

// Sentences holds the sentences of a text by fingerprint. It caches grams, so it must
// not be used concurrently.
type Sentences struct {
	prints []uint32
	of     [][]*sentence // distinct sentences of each print
	bytes  int
}

// sentence is a sentence in normal form, with its grams by index in gramLengths,
// computed on first use.
type sentence struct {
	norm   string
	length int // index in gramLengths; −1: not computed
	grams  [len(gramLengths)]shingle.Set
}

// NewSentences collects fingerprints of sentences with their normal forms. It copies
// them.
func NewSentences(all iter.Seq2[uint32, []byte]) *Sentences {
	s := &Sentences{}
	known := map[string]bool{}
	by := map[uint32][]*sentence{}
	for print, norm := range all {
		if known[string(norm)] {
			continue
		}
		x := &sentence{norm: string(norm), length: -1}
		known[x.norm] = true
		by[print] = append(by[print], x)
		s.bytes += len(norm)
	}
	for print := range by {
		s.prints = append(s.prints, print)
	}
	slices.Sort(s.prints)
	for _, print := range s.prints {
		s.of = append(s.of, by[print])
	}
	return s
}

// Len returns the number of distinct fingerprints.
func (s *Sentences) Len() int { return len(s.prints) }

// Bytes returns the total length of the distinct sentences.
func (s *Sentences) Bytes() int { return s.bytes }

// MatchSentences is MatchChunksUntil with verification: a fingerprint has a partner if
// each of its sentences agrees with a sentence of the other text, at a fingerprint
// distance of at most dist bits. So its matches are a subset of the matches of
// MatchChunks.
func MatchSentences(query, doc *Sentences, dist int, stop func() error) (ChunkMatch, error) {
	left, right := query.unmatched(), doc.unmatched()
	// Most sentences of versions are equal.
	for i, j := 0, 0; i < len(query.prints) && j < len(doc.prints); {
		switch a, b := query.prints[i], doc.prints[j]; {
		case a < b:
			i++
		case b < a:
			j++
		default:
			for x, a := range query.of[i] {
				for y, b := range doc.of[j] {
					if a.norm == b.norm {
						left.found(i, x)
						right.found(j, y)
					}
				}
			}
			i++
			j++
		}
	}
	err := eachNear(query.prints, doc.prints, dist, stop, func(i, j int) error {
		for x, a := range query.of[i] {
			for y, b := range doc.of[j] {
				if left.has(i, x) && right.has(j, y) {
					continue
				}
				if err := stop(); err != nil {
					return err
				}
				if a.agrees(b) {
					left.found(i, x)
					right.found(j, y)
				}
			}
		}
		return nil
	})
	m := ChunkMatch{Query: len(query.prints), Doc: len(doc.prints), QueryMatched: left.whole(), DocMatched: right.whole()}
	return m, err
}

// matched records which sentences of each print agree with another.
type matched [][]bool

// unmatched returns the initial state: no sentence agrees.
func (s *Sentences) unmatched() matched {
	m := make(matched, len(s.of))
	for i, of := range s.of {
		m[i] = make([]bool, len(of))
	}
	return m
}

// found records that a sentence of a print agrees with another.
func (m matched) found(print, sentence int)    { m[print][sentence] = true }
func (m matched) has(print, sentence int) bool { return m[print][sentence] }

// whole counts the prints with only agreeing sentences.
func (m matched) whole() (n int) {
	for _, of := range m {
		if !slices.Contains(of, false) {
			n++
		}
	}
	return n
}

// Agree reports whether two sentences in normal form agree: they are equal, or the
// resemblance of their grams is at least a half. The grams have the greater of the two
// gram lengths.
func Agree(a, b string) bool {
	return (&sentence{norm: a, length: -1}).agrees(&sentence{norm: b, length: -1})
}

// agrees is Agree with cached grams.
func (a *sentence) agrees(b *sentence) bool {
	if a.norm == b.norm {
		return true
	}
	at := max(a.gramLength(), b.gramLength())
	x, y := a.gramsOf(at), b.gramsOf(at)
	q, d := Size{Distinct: uint64(len(x))}, Size{Distinct: uint64(len(y))}
	need, ok := Resemblance.Need(q, d, agreeing)
	return ok && shingle.Shared(x, y, int(need)) >= int(need)
}

// gramLength returns the index of the gram length of the sentence.
func (a *sentence) gramLength() int {
	if a.length < 0 {
		chars := utf8.RuneCountInString(a.norm)
		for a.length = 0; a.length < len(gramLengths)-1; a.length++ {
			if 8*len(a.gramsOf(a.length)) >= 7*(chars-gramLengths[a.length]+1) {
				break
			}
			a.grams[a.length] = nil
		}
	}
	return a.length
}

// gramsOf returns the hashes of the distinct grams of a length. A shorter sentence is
// one gram.
func (a *sentence) gramsOf(at int) shingle.Set {
	if a.grams[at] != nil {
		return a.grams[at]
	}
	k := gramLengths[at]
	chars := []rune(a.norm)
	set := make(shingle.Set, 0, max(len(chars)-k+1, 1))
	for i := 0; i == 0 || i+k <= len(chars); i++ {
		h := uint64(1)
		for _, c := range chars[i:min(i+k, len(chars))] {
			h = (h ^ uint64(c)) * 0x9e3779b97f4a7c15
			h ^= h >> 29
		}
		set = append(set, h)
	}
	slices.Sort(set)
	a.grams[at] = slices.Compact(set)
	return a.grams[at]
}
