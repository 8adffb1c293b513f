package sketch

import (
	"iter"
	"slices"
	"strings"

	"github.com/simdb/simdb/internal/text"
)

// This file has the ways to read a sentence before its fingerprint is taken.

// A Reading says how sentences are read. The zero value is how collections keep them:
// in lower case, with the stop at their end. Paper 004 reads them the other way.
type Reading struct {
	Form     text.Form // what sentences are compared in
	KeepCase bool      // capitals differ from small letters
	DropStop bool      // the full stop at the end of a sentence is left out, with the quotes that close behind it
}

// Sentences yields the sentences of a text with their fingerprints. White space is
// collapsed and the normal form is NFC, so that wrapping does not tell versions apart.
func (r Reading) Sentences(doc string) iter.Seq2[text.Token, uint32] {
	return func(yield func(text.Token, uint32) bool) {
		r.Each(doc, func(s text.Token, _ []byte, chunk uint32) bool { return yield(s, chunk) })
	}
}

// Normal yields the fingerprints of the sentences of a text with their normal forms, each valid until
// the next.
func (r Reading) Normal(doc string) iter.Seq2[uint32, []byte] {
	return func(yield func(uint32, []byte) bool) {
		r.Each(doc, func(_ text.Token, norm []byte, chunk uint32) bool { return yield(chunk, norm) })
	}
}

// Each is Sentences and Normal in one.
func (r Reading) Each(doc string, yield func(s text.Token, norm []byte, chunk uint32) bool) {
	var norm []byte
	for s := range text.Sentences(doc) {
		norm = r.normalize(norm[:0], doc[s.Start:s.End])
		if !yield(s, norm, Chunk(norm)) {
			return
		}
	}
}

// Chunks returns the fingerprints of the sentences of a text, ascending and distinct.
func (r Reading) Chunks(doc string) []uint32 {
	var chunks []uint32
	for _, c := range r.Sentences(doc) {
		chunks = append(chunks, c)
	}
	slices.Sort(chunks)
	return slices.Compact(chunks)
}

func (r Reading) normalize(dst []byte, sentence string) []byte {
	if r.DropStop {
		body := strings.TrimRight(sentence, `"'”’`)
		if stopped, ok := strings.CutSuffix(body, "."); ok {
			sentence = stopped
		}
	}
	if r.KeepCase {
		return text.NormalizeCased(dst, sentence)
	}
	return append(dst, r.Form.Chars(sentence)...)
}
