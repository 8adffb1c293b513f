package record

// What is stored of a text, from which its bag is derived again: the text, or in a
// collection of own tokens the text with the tokens behind it (docs/decisions/0029), and in
// one of code the text with what a lexer has found in it (docs/decisions/0068).
// Nothing but this file knows which.

import (
	"encoding/binary"
	"iter"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/internal/shingle"
	"github.com/simdb/simdb/internal/text"
)

// OwnTokens reports whether documents bring their tokens.
func (c *Schema) OwnTokens() bool { return c.Analysis.Unit == text.Own }

// FromText reports whether shingles are read from the text and nothing else.
func (c *Schema) FromText() bool { return c.Analysis.Unit < text.Own }

// Content is what is stored of a document. In a collection of own tokens that is the
// length of the text as a varint, the text, and the tokens, each with its length before it.
// ErrInvalid if it has tokens where it must not, or none where it must; a list without
// any is one. In a collection of code what the lexer has found follows the text.
func (c *Schema) Content(d *api.Document) (string, error) {
	text, tokens := d.Text, d.Tokens
	switch own := c.OwnTokens(); {
	case !own && tokens != nil:
		return "", fault.Invalid("it brings tokens, but collection %q reads its texts by %s: make one WITH (unit = 'token')", c.Name, c.Analysis.Unit)
	case own && tokens == nil:
		return "", fault.Invalid("it brings no tokens, and collection %q has unit = 'token': set Document.Tokens", c.Name)
	case c.Lexes():
		return c.lexedContent(d)
	case !own:
		return text, nil
	}
	size := len(text) + binary.MaxVarintLen64
	for _, t := range tokens {
		size += len(t) + 2
	}
	b := appendBlob(make([]byte, 0, size), text)
	for _, t := range tokens {
		b = appendBlob(b, t)
	}
	return string(b), nil
}

func (c *Schema) lexedContent(d *api.Document) (_ string, err error) {
	lexed := d.Lexed
	if !LexedOf(lexed, d.Text) {
		if lexed, err = c.Lex(d.ID, d.Text); err != nil {
			return "", err
		}
	}
	b := make([]byte, 0, len(d.Text)+binary.MaxVarintLen64+len(lexed))
	return string(append(appendBlob(b, d.Text), lexed...)), nil
}

// Open fills in what a content says of a document.
func (c *Schema) Open(content string, d *api.Document) (err error) {
	if d.Text, err = c.Text(content); err != nil {
		return err
	}
	d.Tokens = c.Tokens(content)
	if c.Lexes() {
		_, lexed, _ := cutBlob(content)
		d.Lexed = []byte(lexed)
	}
	return nil
}

// Text returns the text of what is stored.
func (c *Schema) Text(content string) (string, error) {
	if c.FromText() {
		return content, nil
	}
	text, _, ok := cutBlob(content)
	if !ok {
		return "", fault.Corrupt("a text with tokens is cut off")
	}
	return text, nil
}

// Tokens returns the tokens of what is stored; nil where they are read from the text.
func (c *Schema) Tokens(content string) []string {
	if !c.OwnTokens() {
		return nil
	}
	tokens := []string{}
	for t := range tokensOf(content) {
		tokens = append(tokens, t)
	}
	return tokens
}

// Bag reads what is stored, as the collection does.
func (c *Schema) Bag(content string) shingle.Bag { return c.BagAt(content, c.Analysis.K) }

// BagAt reads what is stored with shingles of k tokens. Every bag of a collection is made here.
func (c *Schema) BagAt(content string, k int) shingle.Bag {
	a := c.Analysis
	a.K = k
	if a.Unit < text.Own {
		return a.Bag(content)
	}
	doc, _ := c.Text(content) // what is damaged is found by whoever derives it
	if c.OwnTokens() {
		return a.BagOf(doc, tokensOf(content))
	}
	return a.BagOf(doc, func(yield func(string) bool) {
		c.CodeTokens(content)(func(t string, _ text.Token) bool { return yield(t) })
	})
}

// OtherK says whether a question by shingles of k tokens, where 0 means the collection's own,
// is by other shingles than the collection's (docs/decisions/0059).
func (c *Schema) OtherK(k int) bool { return k != 0 && k != c.Analysis.K }

// tokensOf yields tokens up to the end, or to what is damaged: then the bag is not that
// of its set, which whoever derives it finds out.
func tokensOf(content string) iter.Seq[string] {
	return func(yield func(string) bool) {
		_, rest, ok := cutBlob(content)
		for ok && rest != "" {
			var t string
			if t, rest, ok = cutBlob(rest); !ok || !yield(t) {
				return
			}
		}
	}
}

// LooksOwn says whether what is stored of a text reads as a text with its own tokens to
// its last byte, for a reader that has lost the settings.
func LooksOwn(content string) bool {
	_, rest, ok := cutBlob(content)
	for ok && rest != "" {
		_, rest, ok = cutBlob(rest)
	}
	return ok
}

// cutBlob reads a length and so many bytes.
func cutBlob(s string) (blob, rest string, ok bool) {
	n, shift := uint64(0), 0
	for i := 0; i < len(s) && shift < 64; i, shift = i+1, shift+7 {
		n |= uint64(s[i]&0x7f) << shift
		if s[i] < 0x80 {
			s = s[i+1:]
			if n > uint64(len(s)) {
				return "", "", false
			}
			return s[:n], s[n:], true
		}
	}
	return "", "", false
}
