package text

// The streams of paper 000: characters, words or Soundex codes, in four variations.

import (
	"iter"
	"unicode"
	"unicode/utf8"
)

// StreamKind selects the tokens of a stream.
type StreamKind uint8

const (
	CharStream    StreamKind = iota // code points other than white space
	WordStream                      // words
	SoundexStream                   // the Soundex codes of the words
)

// Variation is one of the four ways of paper 000 to thin a stream. Other values count
// as A.
//
//	    characters               words and Soundex codes
//	A   all                      all
//	B   no stop words            no stop words
//	C   no vowels                no word a second time
//	D   neither                  neither
type Variation byte

// dropsStopWords reports whether v removes stop words.
func (v Variation) dropsStopWords() bool { return v == 'B' || v == 'D' }

// dropsMore reports whether v removes vowels from characters, and repeated words.
func (v Variation) dropsMore() bool { return v == 'C' || v == 'D' }

// Stream is a text as a sequence of tokens. Text holds characters without separators,
// words and codes separated by one space, so that k successive tokens are a substring
// of Text.
type Stream struct {
	Text   []byte // valid UTF-8
	Tokens []Token
}

// ReadStream reads a text as a stream. It normalises with Papers first, so the
// characters are lower-case. Stop words and repeats are removed before coding: a stream
// of Soundex codes without repeated words may still repeat a code. In a stream of
// characters the characters around a removed stop word remain.
func ReadStream(doc string, kind StreamKind, v Variation) Stream {
	norm := Papers.Normalize(nil, doc)
	if kind != CharStream {
		return wordStream(norm, kind, v)
	}
	if v.dropsStopWords() {
		norm = removeStopWords(norm)
	}
	return charStream(norm, v)
}

// Gram returns the k-gram that starts with token i.
func (s Stream) Gram(i, k int) []byte {
	return s.Text[s.Tokens[i].Start:s.Tokens[i+k-1].End]
}

// Grams yields the k-grams of the stream in order, one from each token on. A stream of
// fewer than k tokens has none.
func (s Stream) Grams(k int) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for i := range len(s.Tokens) - k + 1 {
			if !yield(s.Gram(i, k)) {
				return
			}
		}
	}
}

// charStream reads a normalised text as characters.
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

// wordStream reads a normalised text as words or their codes.
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

// removeStopWords returns a copy of norm without its stop words. The white space on
// both sides of them stays.
func removeStopWords(norm []byte) []byte {
	kept, from := make([]byte, 0, len(norm)), 0
	for t := range Papers.Words(norm) {
		if stopWords[string(norm[t.Start:t.End])] {
			kept = append(kept, norm[from:t.Start]...)
			from = t.End
		}
	}
	return append(kept, norm[from:]...)
}
