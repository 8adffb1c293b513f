package main

// Versions by definition: which sentences of two texts are partners.

import (
	"math/bits"
	"slices"
	"strings"

	"github.com/simdb/simdb/bench/definition"
	"github.com/simdb/simdb/internal/measure"
	"github.com/simdb/simdb/internal/sketch"
)

// A sentence is its normal form, its fingerprint and its place in the text.
type sentence struct {
	form       string
	print      uint32
	start, end int
}

// sentences are those of a text, in their order.
func (d *Document) sentences(c *Collection, r sketch.Reading) []sentence {
	what := c.normalize()
	if r.KeepCase {
		what += " case"
	}
	if r.DropStop {
		what += " stop"
	}
	return derived(d, "sentences "+what, 0, func() (out []sentence) {
		for place := range r.Sentences(d.Text) {
			form := d.Text[place.Start:place.End]
			if r.DropStop {
				if stopped, ok := strings.CutSuffix(strings.TrimRight(form, "\"'”’"), "."); ok {
					form = stopped
				}
			}
			if r.KeepCase {
				form = definition.Cased(form)
			} else {
				form = definition.String(definition.Collapsed(form, c.normalize()))
			}
			out = append(out, sentence{form, sketch.Chunk([]byte(form)), place.Start, place.End})
		}
		return out
	})
}

// partners counts the fingerprints of two texts of which each sentence has a partner: a sentence
// of the other text whose fingerprint differs in few bits, and that agrees.
func partners(rule measure.VersionRule, query, doc []sentence) (m measure.ChunkMatch) {
	side := func(of, others []sentence) (all, matched int) {
		whole := map[uint32]bool{}
		for _, s := range of {
			has := slices.ContainsFunc(others, func(o sentence) bool {
				return bits.OnesCount32(s.print^o.print) <= rule.Bits && (rule.Print || s.agrees(o))
			})
			was, known := whole[s.print]
			whole[s.print] = has && (was || !known)
		}
		for _, is := range whole {
			if is {
				matched++
			}
		}
		return len(whole), matched
	}
	m.Query, m.QueryMatched = side(query, doc)
	m.Doc, m.DocMatched = side(doc, query)
	return m
}

// agrees says whether two sentences are equal, or share half of their pieces of k characters. k is
// the greater of the least by which seven of eight pieces of a sentence are distinct.
func (s sentence) agrees(o sentence) bool {
	if s.form == o.form {
		return true
	}
	k := max(s.pieceLength(), o.pieceLength())
	a, b := s.pieces(k), o.pieces(k)
	shared := 0
	for piece := range a {
		if b[piece] {
			shared++
		}
	}
	return 2*shared >= len(a)+len(b)-shared
}

func (s sentence) pieceLength() int {
	for _, k := range []int{3, 4, 6, 8, 12, 16, 24} {
		if 8*len(s.pieces(k)) >= 7*(len([]rune(s.form))-k+1) {
			return k
		}
	}
	return 32
}

func (s sentence) pieces(k int) map[string]bool {
	pieces, chars := map[string]bool{}, []rune(s.form)
	for i := 0; i == 0 || i+k <= len(chars); i++ {
		pieces[string(chars[i:min(i+k, len(chars))])] = true
	}
	return pieces
}
