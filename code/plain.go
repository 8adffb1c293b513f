package code

// Texts of unknown languages, and text that a lexer does not consume.

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/simdb/simdb/api"
)

// plain appends the words and numbers of a text that begins at byte at, and each other
// character except white space and separators.
func plain(tokens []api.CodeToken, text string, at int) []api.CodeToken {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		end, kind := i+size, api.CodeWord
		if inWord(r) {
			if rest := strings.IndexFunc(text[i:], func(r rune) bool { return !inWord(r) }); rest >= 0 {
				end = i + rest
			} else {
				end = len(text)
			}
			if unicode.IsNumber(r) {
				kind = api.CodeNumber
			}
		}
		if !unicode.IsSpace(r) && !strings.ContainsRune(separators, r) {
			tokens = append(tokens, api.CodeToken{Start: at + i, End: at + end, Kind: kind})
		}
		i = end
	}
	return tokens
}

// inWord reports whether r continues a word or number.
func inWord(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r)
}
