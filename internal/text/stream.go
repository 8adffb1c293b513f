package text

// This file reads a text as one of the streams of paper 000: characters, words
// or Soundex codes, in four variations.

import (
	"iter"
	"unicode"
	"unicode/utf8"
)

// StreamKind is what the tokens of a stream are.
type StreamKind uint8

const (
	CharStream    StreamKind = iota // code points other than white space
	WordStream                      // words
	SoundexStream                   // the Soundex codes of the words
)

// Variation is one of the four ways of paper 000 to thin a stream. Other
// values read as A.
//
//	    characters               words and Soundex codes
//	A   all                      all
//	B   no stop words            no stop words
//	C   no vowels                no word a second time
//	D   neither                  neither
type Variation byte

func (v Variation) dropsStopWords() bool { return v == 'B' || v == 'D' }
func (v Variation) dropsMore() bool      { return v == 'C' || v == 'D' }

// Stream is a text as a sequence of tokens. Characters stand in it side by side,
// words and codes with one space between, so that k successive tokens are a
// piece of Text.
type Stream struct {
	Text   []byte // valid UTF-8
	Tokens []Token
}

// ReadStream reads a text as a stream. It is read as Papers
// first, so the characters are lower-cased. Stop words and
// repeated words are words of the text, not codes: the stream of Soundex codes
// without repeats may have one code for two words. In a stream of characters
// the stop words go, what stands around them stays.
func ReadStream(doc string, kind StreamKind, v Variation) Stream {
	norm := Papers.Normalize(nil, doc)
	if kind != CharStream {
		return wordStream(norm, kind, v)
	}
	if v.dropsStopWords() {
		norm = withoutStopWords(norm)
	}
	return charStream(norm, v)
}

// Gram returns the k-gram that starts with token i.
func (s Stream) Gram(i, k int) []byte {
	return s.Text[s.Tokens[i].Start:s.Tokens[i+k-1].End]
}

// Grams yields the k-grams of the stream in order, k tokens from every place on.
// A stream of fewer than k tokens has none.
func (s Stream) Grams(k int) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for i := range len(s.Tokens) - k + 1 {
			if !yield(s.Gram(i, k)) {
				return
			}
		}
	}
}

func charStream(norm []byte, v Variation) Stream {
	s := Stream{make([]byte, 0, len(norm)), make([]Token, 0, len(norm))}
	for i := 0; i < len(norm); {
		r, size := utf8.DecodeRune(norm[i:])
		if !unicode.IsSpace(r) && !(v.dropsMore() && IsVowel(r)) {
			at := len(s.Text)
			s.Text = append(s.Text, norm[i:i+size]...)
			s.Tokens = append(s.Tokens, Token{at, at + size})
		}
		i += size
	}
	return s
}

func wordStream(norm []byte, kind StreamKind, v Variation) Stream {
	s := Stream{Text: make([]byte, 0, len(norm))}
	seen := map[string]bool{}
	for t := range Papers.Words(norm) {
		word := norm[t.Start:t.End]
		if v.dropsStopWords() && stopWords[string(word)] {
			continue
		}
		if v.dropsMore() {
			if seen[string(word)] {
				continue
			}
			seen[string(word)] = true
		}
		if len(s.Tokens) > 0 {
			s.Text = append(s.Text, ' ')
		}
		at := len(s.Text)
		if kind == SoundexStream {
			s.Text = appendSoundex(s.Text, word)
		} else {
			s.Text = append(s.Text, word...)
		}
		s.Tokens = append(s.Tokens, Token{at, len(s.Text)})
	}
	return s
}

// withoutStopWords returns a copy of norm that lacks its stop words. The white
// space on both sides of them stays.
func withoutStopWords(norm []byte) []byte {
	kept, from := make([]byte, 0, len(norm)), 0
	for t := range Papers.Words(norm) {
		if stopWords[string(norm[t.Start:t.End])] {
			kept = append(kept, norm[from:t.Start]...)
			from = t.End
		}
	}
	return append(kept, norm[from:]...)
}
