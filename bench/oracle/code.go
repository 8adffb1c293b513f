package main

// Code by definition: what a lexer gives is taken as it is, and the rest is read with a few lines
// of its own.

import (
	"encoding/binary"
	"strings"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/code"
)

// codeWords are what texts of code are drawn from. No comment goes to the end of a line, because
// the words stand in any order.
var codeWords = strings.Fields("x y if z ( ) = w.x { 1 \"s\" } ; y.put return 2.5 + \"t\" /*c*/ while v -> f , [ ] 'u' null")

func (d *Document) lexed(language string) []api.CodeToken {
	for tries := 0; ; tries++ { // a lexer gives up after some time, which a busy machine may take
		tokens, err := code.Lexer{}.Lex(language, d.ID, d.Text)
		if err == nil {
			return tokens
		} else if tries == 10 {
			panic(err) // it was drawn
		}
	}
}

// codeTokens are the tokens as "fold/language" says.
func (d *Document) codeTokens(how string) (out []string) {
	fold, language, _ := strings.Cut(how, "/")
	alike := map[string]string{"names": "1", "all": "1234"}[fold]
	for _, t := range d.lexed(language) {
		token := d.Text[t.Start:t.End]
		if strings.Contains(alike, string(rune('0'+t.Kind))) {
			token = []string{"", " name", " name", " string", " number"}[t.Kind]
		}
		out = append(out, token)
	}
	return out
}

// codeBytes is the length of what is stored.
func (d *Document) codeBytes(language string) int {
	b := binary.AppendUvarint(nil, uint64(len(d.Text)))
	end := 0
	for _, t := range d.lexed(language) {
		b = binary.AppendUvarint(b, uint64(t.Start-end))
		b = binary.AppendUvarint(b, uint64(t.End-t.Start)*8+uint64(t.Kind))
		end = t.End
	}
	return len(d.Text) + 8 + len(b)
}
