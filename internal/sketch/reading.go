package sketch

import (
	"iter"
	"slices"
	"strings"

	"github.com/simdb/simdb/internal/text"
)

// The normal forms of sentences before fingerprinting.

// A Reading selects the normal form of sentences. The zero value is the form that
// collections store: lower case, with the final stop. Paper 004 reads them the other
// way.
type Reading struct {
	Form     text.Form // normal form of the sentences
	KeepCase bool      // capitals differ from small letters
	DropStop bool      // remove the final full stop, with the closing quotes after it
}

// Sentences yields the sentences of a text with their fingerprints. It collapses white
// space and composes to NFC, so that wrapping does not distinguish versions.
func (r Reading) Sentences(doc string) iter.Seq2[text.Token, uint32] {
	return func(yield func(text.Token, uint32) bool) {
		r.Each(doc, func(s text.Token, _ []byte, chunk uint32) bool { return yield(s, chunk) })
	}
}

// Normal yields the fingerprint and the normal form of each sentence of a text. A
// normal form is valid until the next one.
func (r Reading) Normal(doc string) iter.Seq2[uint32, []byte] {
	return func(yield func(uint32, []byte) bool) {
		r.Each(doc, func(_ text.Token, norm []byte, chunk uint32) bool { return yield(chunk, norm) })
	}
}

// Each combines Sentences and Normal. norm is valid until yield returns; a false result
// ends the iteration.
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

// normalize appends the normal form of a sentence to dst.
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
