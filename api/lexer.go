package api

// Who reads source code. The lexers of many languages are large, so a program that stores
// code imports them, and no other program has them (docs/decisions/0068).

import "sync/atomic"

// Lexer reads source code for collections with unit = 'code'.
type Lexer interface {
	// Lex returns the tokens of a text, in order and without comments and white space. language
	// is that of the collection; if it is "", the name tells it: the id of a document, or the
	// path of a file. It gives the tokens or an error, and the same tokens each time. It is
	// called from many goroutines.
	Lex(language, name, text string) ([]CodeToken, error)
	// Knows says whether there is a language of that name.
	Knows(language string) bool
}

// CodeToken is bytes [Start, End) of a text.
type CodeToken struct {
	Start, End int
	Kind       CodeKind
}

// CodeKind is what fold goes by.
type CodeKind uint8

const (
	CodeWord   CodeKind = iota // what keeps its meaning everywhere: keywords, operators, names that the language gives
	CodeName                   // an identifier
	CodeMember                 // an identifier behind a dot: a method, a field
	CodeString                 // the literals
	CodeNumber
)

var lexer atomic.Pointer[Lexer]

// RegisterLexer says who reads code in this program. Package code does so when it is imported.
func RegisterLexer(l Lexer) { lexer.Store(&l) }

// RegisteredLexer returns nil if nobody reads code in this program.
func RegisteredLexer() Lexer {
	if l := lexer.Load(); l != nil {
		return *l
	}
	return nil
}
