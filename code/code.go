// Package code tokenises source code, for collections with unit = 'code'. A program
// that stores or searches code imports this package for its side effect:
//
//	import _ "github.com/simdb/simdb/code"
//
// The import registers a Lexer that turns a text and the name of its file into tokens
// with positions. The grammars come from github.com/alecthomas/chroma. The package
// knows neither shingles nor stores. Begin with Lexer.Lex.
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

// slow lists lexers that need seconds per line; their languages are read as Plain.
var slow = []string{"Jungle", "JSONata"}

// known returns the other lexers.
var known = sync.OnceValue(func() []chroma.Lexer {
	return slices.DeleteFunc(slices.Clone(lexers.GlobalLexerRegistry.Lexers), func(l chroma.Lexer) bool {
		return slices.Contains(slow, l.Config().Name)
	})
})

// Lexer is the api.Lexer that the import registers. It is stateless and safe for
// concurrent use.
type Lexer struct{}

// Plain is the language of texts without a lexer: words, numbers, and each other
// character as a token.
const Plain = "plain"

// maxLexed is the length in bytes of the longest text for a lexer. It bounds memory and
// time; longer texts are seldom written by hand, and are read as Plain.
const maxLexed = 1 << 20

// maxMixed is the same limit for lexers of mixed languages, which read a text in one
// step.
const maxMixed = 32 << 10

// Lex returns the tokens of a text in order, without comments, white space and pure
// separators: brackets, commas, semicolons and dots. An empty language means the
// language of the extension of name. Texts of an unknown language, or of more than 1
// MiB (32 KiB for mixed languages), are read as Plain, and there no token is an
// identifier. An error means that the lexer failed, or took more than about twenty
// times the usual time.
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
		return nil, fmt.Errorf("the lexer of %s fails on the text: %w; a collection WITH (language = 'plain') needs no lexer", l.Config().Name, err)
	}
	return tokens, nil
}

// Knows reports whether a language has a lexer, or is Plain.
func (Lexer) Knows(language string) bool { return language == Plain || findLexer(language) != nil }

// lexerOf returns the lexer of a language, or of a file name; nil means Plain.
func lexerOf(language, name string) chroma.Lexer {
	switch {
	case language == Plain:
		return nil
	case language != "":
		return findLexer(language)
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

// findLexer returns the lexer of a language by name or alias; unlike in the library,
// extensions are no names.
func findLexer(language string) chroma.Lexer {
	for _, l := range known() {
		is := func(name string) bool { return strings.EqualFold(name, language) }
		if c := l.Config(); is(c.Name) || slices.ContainsFunc(c.Aliases, is) {
			return l
		}
	}
	return nil
}

// files maps file names and extensions to the lexers of their languages. The library
// matches a thousand patterns per file, which takes longer than lexing most files.
// Patterns with wildcards other than a leading star are left out. Among several lexers
// the highest priority wins, then the first name in alphabetical order.
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
