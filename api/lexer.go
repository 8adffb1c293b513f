package api

// Registration of the lexer for source code. Lexers are large, so only programs that store code
// import them, with package code (docs/decisions/0068).

import "sync/atomic"

// Lexer reads source code for collections with unit = 'code'. It must be safe for concurrent use.
type Lexer interface {
	// Lex returns the tokens of a text in order, without comments and white space, or an error. It
	// must be deterministic. language is the language setting of the collection; if it is "", the
	// name (the id of a document or the path of a file) determines the language.
	Lex(language, name, text string) ([]CodeToken, error)
	// Knows reports whether the lexer supports a language.
	Knows(language string) bool
}

// CodeToken is bytes [Start, End) of a text.
type CodeToken struct {
	Start, End int
	Kind       CodeKind
}

// CodeKind is the kind of a token, which decides its folding.
type CodeKind uint8

const (
	CodeWord   CodeKind = iota // never folded: keywords, operators, names that the language defines
	CodeName                   // an identifier
	CodeMember                 // an identifier after a dot: a method, a field
	CodeString                 // a string literal
	CodeNumber                 // a number
)

var lexer atomic.Pointer[Lexer]

// RegisterLexer sets the lexer of this program. Importing package code calls it.
func RegisterLexer(l Lexer) { lexer.Store(&l) }

// RegisteredLexer returns the lexer of this program; nil if none is registered.
func RegisteredLexer() Lexer {
	if l := lexer.Load(); l != nil {
		return *l
	}
	return nil
}
