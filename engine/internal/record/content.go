package record

// Content of a document: the bytes from which its bag can be derived again. That is the text
// alone, the text and its own tokens (docs/decisions/0029), or the text and the findings of the
// lexer (docs/decisions/0068). Only this file and lexed.go depend on the layout.

import (
	"encoding/binary"
	"iter"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/internal/shingle"
	"github.com/simdb/simdb/internal/text"
)

// OwnTokens reports whether documents bring their own tokens.
func (c *Schema) OwnTokens() bool { return c.Analysis.Unit == text.Own }

// FromText reports whether shingles depend on the text alone.
func (c *Schema) FromText() bool { return c.Analysis.Unit < text.Own }

// Content returns the stored content of a document. With own tokens it is the text and each
// token, each preceded by its length as a varint; in a collection of code, the text with its
// length and the findings of the lexer. ErrInvalid if tokens are given where the collection reads
// texts, or nil where it requires tokens; an empty list is valid.
func (c *Schema) Content(d *api.Document) (string, error) {
	text, tokens := d.Text, d.Tokens
	switch own := c.OwnTokens(); {
	case !own && tokens != nil:
		return "", fault.Invalid("it brings tokens, but collection %q reads its texts by %s: create a collection WITH (unit = 'token')", c.Name, c.Analysis.Unit)
	case own && tokens == nil:
		return "", fault.Invalid("it brings no tokens, but collection %q has unit = 'token': add the list of its tokens", c.Name)
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

// lexedContent reuses d.Lexed if it belongs to the text, because lexing dominates the cost, and
// otherwise runs the lexer.
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

// Open sets the text, tokens and lexed bytes of d from a content. ErrCorrupt if the text is cut
// off.
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

// Text returns the text of a content, or ErrCorrupt.
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

// Tokens returns the own tokens of a content; nil if the collection reads tokens from texts.
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

// Bag returns the bag of a content with the collection's k.
func (c *Schema) Bag(content string) shingle.Bag { return c.BagAt(content, c.Analysis.K) }

// BagAt returns the bag of a content with shingles of k tokens. Every bag of a collection comes
// from here.
func (c *Schema) BagAt(content string, k int) shingle.Bag {
	a := c.Analysis
	a.K = k
	if a.Unit < text.Own {
		return a.Bag(content)
	}
	doc, _ := c.Text(content) // the digest of the bag reveals damage to the caller
	if c.OwnTokens() {
		return a.BagOf(doc, tokensOf(content))
	}
	return a.BagOf(doc, func(yield func(string) bool) {
		c.CodeTokens(content)(func(t string, _ text.Token) bool { return yield(t) })
	})
}

// OtherK reports whether a query with shingles of k tokens needs bags other than the collection's
// (docs/decisions/0059); k = 0 selects the collection's own.
func (c *Schema) OtherK(k int) bool { return k != 0 && k != c.Analysis.K }

// tokensOf yields the tokens until the end or the first damage. The bag of a damaged content
// differs from that of its set, which reveals the damage to the caller.
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

// LooksOwn reports whether a content parses to its last byte as a text with own tokens. Salvage
// uses it when the settings are lost.
func LooksOwn(content string) bool {
	_, rest, ok := cutBlob(content)
	for ok && rest != "" {
		_, rest, ok = cutBlob(rest)
	}
	return ok
}

// cutBlob splits off a string that its length precedes; ok is false if s is too short.
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
