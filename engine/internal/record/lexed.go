package record

// Findings of the lexer, stored after a text of code. Later versions of the lexer do not change
// stored sets (docs/decisions/0068).

import (
	"encoding/binary"
	"iter"
	"unsafe"

	"github.com/cespare/xxhash/v2"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/internal/text"
)

// lexedHead is the length of the text hash at the start of the findings.
const lexedHead = 8

// kindBits is the number of low bits that hold a token's kind; its length is above them.
const kindBits = 3

// Lexes reports whether the collection reads its texts with a lexer.
func (c *Schema) Lexes() bool { return c.Analysis.Unit == text.Code }

// Lex runs the registered lexer on a text and returns its encoded findings. name determines the
// language unless the settings do. ErrInvalid without a lexer or a language.
func (c *Schema) Lex(name, doc string) ([]byte, error) {
	l := api.RegisteredLexer()
	switch {
	case l == nil:
		return nil, fault.Invalid("collection %q has unit = 'code', and this program has no lexer: import github.com/simdb/simdb/code", c.Name)
	case name == "" && c.Settings.Language == "":
		return nil, fault.Invalid("collection %q has unit = 'code', and a text without a name has no language: search for a document or a file, or create the collection WITH language", c.Name)
	}
	tokens, err := l.Lex(c.Settings.Language, name, doc)
	if err != nil {
		return nil, fault.Invalid("%w", err)
	}
	b := binary.LittleEndian.AppendUint64(make([]byte, 0, lexedHead+2*len(tokens)), xxhash.Sum64String(doc))
	end := 0
	for _, t := range tokens {
		if t.Start < end || t.End <= t.Start || t.End > len(doc) || t.Kind > api.CodeNumber {
			return nil, fault.Invalid("the lexer returned an invalid token [%d, %d) of kind %d after byte %d in a text of %d bytes", t.Start, t.End, t.Kind, end, len(doc))
		}
		b = binary.AppendUvarint(b, uint64(t.Start-end))
		b = binary.AppendUvarint(b, uint64(t.End-t.Start)<<kindBits|uint64(t.Kind))
		end = t.End
	}
	return b, nil
}

// LexedOf reports whether the findings belong to the text: their hash is that of the text, and they
// parse to the last byte.
func LexedOf(lexed []byte, doc string) bool {
	if len(lexed) < lexedHead || binary.LittleEndian.Uint64(lexed) != xxhash.Sum64String(doc) {
		return false
	}
	rest := lexed[lexedHead:]
	for end := 0; len(rest) > 0; {
		var t api.CodeToken
		if t, rest = cutLexed(rest, end, len(doc)); t.End == 0 {
			return false
		}
		end = t.End
	}
	return true
}

// cutLexed reads the next token, which starts at or after end in a text of size bytes. The token's
// End is 0 if the list has ended or is damaged.
func cutLexed(b []byte, end, size int) (t api.CodeToken, rest []byte) {
	gap, n := binary.Uvarint(b)
	if n <= 0 {
		return t, nil
	}
	length, m := binary.Uvarint(b[n:])
	kind := api.CodeKind(length & (1<<kindBits - 1))
	length >>= kindBits
	if left := uint64(size - end); m <= 0 || length == 0 || kind > api.CodeNumber || gap > left || length > left-gap {
		return t, nil
	}
	start := end + int(gap)
	return api.CodeToken{Start: start, End: start + int(length), Kind: kind}, b[n+m:]
}

// folded are the stand-ins of folded tokens. They begin with a blank; no token of a text does.
var folded = [...]string{api.CodeName: " name", api.CodeMember: " name", api.CodeString: " string", api.CodeNumber: " number"}

// folds reports whether all tokens of a kind count as equal.
func folds(f text.Fold, k api.CodeKind) bool {
	return k == api.CodeName && f != text.FoldNone || k != api.CodeWord && f == text.FoldAll
}

// CodeTokens yields the tokens of a content with their places in the text, until the end or the
// first damage.
func (c *Schema) CodeTokens(content string) iter.Seq2[string, text.Token] {
	return func(yield func(string, text.Token) bool) {
		doc, lexed, ok := cutBlob(content)
		if !ok || len(lexed) < lexedHead {
			return
		}
		rest := unsafe.Slice(unsafe.StringData(lexed), len(lexed))[lexedHead:]
		for end := 0; len(rest) > 0; {
			var t api.CodeToken
			if t, rest = cutLexed(rest, end, len(doc)); t.End == 0 {
				return
			}
			end = t.End
			token := doc[t.Start:t.End]
			if folds(c.Analysis.Fold, t.Kind) {
				token = folded[t.Kind]
			}
			if !yield(token, text.Token{Start: t.Start, End: t.End}) {
				return
			}
		}
	}
}

// codeSettings checks the settings for code.
func (c *Schema) codeSettings(s *api.Settings) (err error) {
	switch l := api.RegisteredLexer(); {
	case c.Analysis.Unit != text.Code && (s.Fold != "" || s.Language != ""):
		return fault.Invalid("fold and language require unit = 'code'")
	case s.Language != "" && l != nil && !l.Knows(s.Language):
		return fault.Invalid("language: no lexer knows %q", s.Language)
	}
	if c.Analysis.Fold, err = text.ParseFold(s.Fold); err != nil {
		return fault.Invalid("%w", err)
	}
	return nil
}

// LooksLexed reports whether a content parses as a text with findings of the lexer. Salvage uses
// it when the settings are lost.
func LooksLexed(content string) bool {
	doc, lexed, ok := cutBlob(content)
	return ok && LexedOf([]byte(lexed), doc)
}
