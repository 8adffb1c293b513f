// Package code reads source code, for collections with unit = 'code'. A program that stores code or
// looks for it imports this package, for the sake of the import alone:
//
//	import _ "github.com/simdb/simdb/code"
//
// In come texts and the names of their files, out go tokens with their places. The grammars are
// those of github.com/alecthomas/chroma. The package knows nothing of shingles and stores.
package code

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"

	"github.com/simdb/simdb/api"
)

func init() { api.RegisterLexer(Lexer{}) }

// slow are lexers that need seconds for a line; their languages are read as Plain.
var slow = []string{"Jungle", "JSONata"}

// known are the others.
var known = sync.OnceValue(func() []chroma.Lexer {
	return slices.DeleteFunc(slices.Clone(lexers.GlobalLexerRegistry.Lexers), func(l chroma.Lexer) bool {
		return slices.Contains(slow, l.Config().Name)
	})
})

// Lexer is the api.Lexer that the import registers.
type Lexer struct{}

// Plain is the language of texts that no lexer knows: words, numbers, and each other character by itself.
const Plain = "plain"

// maxLexed is the longest text that a lexer reads. It bounds memory and time; longer texts are
// seldom written by hand, and read as Plain.
const maxLexed = 1 << 20

// maxMixed is that of a lexer for languages in each other, which reads a text in one step.
const maxMixed = 32 << 10

// Lex returns the tokens of a text, without comments, white space and the marks that only
// separate: brackets, commas, semicolons and dots. The language is that of the extension
// of the name, unless it is given. Where it is not known, and in texts of more than 1 MiB (32 KiB where languages stand in each other), the
// text is read as Plain, and there no token is an identifier. A text that a lexer does not get
// through, or not in some twenty times the usual time, is an error.
func (Lexer) Lex(language, name, text string) ([]api.CodeToken, error) {
	l, longest := lexerOf(language, name), maxLexed
	if _, steps := l.(*chroma.RegexLexer); !steps {
		longest = maxMixed
	}
	if l == nil || len(text) > longest {
		return plain(nil, text, 0), nil
	}
	tokens, err := read(l, text)
	if err != nil {
		return nil, fmt.Errorf("the lexer of %s does not get through the text: %w; in a collection WITH (language = 'plain') no lexer is needed", l.Config().Name, err)
	}
	return tokens, nil
}

// Knows says whether a language has a lexer, or is Plain.
func (Lexer) Knows(language string) bool { return language == Plain || named(language) != nil }

func lexerOf(language, name string) chroma.Lexer {
	switch {
	case language == Plain:
		return nil
	case language != "":
		return named(language)
	}
	f := files()
	base := path.Base(strings.ReplaceAll(name, `\`, "/"))
	if l := f[base]; l != nil {
		return l
	}
	for ; base != ""; base = base[1:] { // the longest extension first
		if base[0] == '.' {
			if l := cmp.Or(f["*"+base], f["*"+strings.ToLower(base)]); l != nil {
				return l
			}
		}
	}
	return nil
}

// named finds a language by its name, not by an extension as the library does too.
func named(language string) chroma.Lexer {
	for _, l := range known() {
		is := func(name string) bool { return strings.EqualFold(name, language) }
		if c := l.Config(); is(c.Name) || slices.ContainsFunc(c.Aliases, is) {
			return l
		}
	}
	return nil
}

// files are the lexers by the file names and extensions of their languages. The library
// matches a thousand patterns for each file, which takes longer than to read most of them. Patterns with
// more than a star in front are left out. Of several lexers the one with the highest
// priority has a name, then the one whose name comes first.
var files = sync.OnceValue(func() map[string]chroma.Lexer {
	all := slices.Clone(known())
	priority := func(l chroma.Lexer) float32 { return cmp.Or(l.Config().Priority, 1) }
	slices.SortStableFunc(all, func(a, b chroma.Lexer) int {
		return cmp.Or(cmp.Compare(priority(b), priority(a)), strings.Compare(a.Config().Name, b.Config().Name))
	})
	m := map[string]chroma.Lexer{}
	for _, patterns := range []func(*chroma.Config) []string{
		func(c *chroma.Config) []string { return c.Filenames }, func(c *chroma.Config) []string { return c.AliasFilenames },
	} {
		for _, l := range all {
			for _, p := range patterns(l.Config()) {
				if m[p] == nil && p != "*" && !strings.ContainsAny(strings.TrimPrefix(p, "*."), "*?[") {
					m[p] = l
				}
			}
		}
	}
	return m
})
