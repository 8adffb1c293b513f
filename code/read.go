package code

// Converting the tokens of a lexer of the library to tokens of one kind each, with
// positions in the stored text.

import (
	"errors"
	"fmt"
	"sort"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/alecthomas/chroma/v2"

	"github.com/simdb/simdb/api"
)

// The library aborts a regular expression after 250 ms, and silently continues with the
// next one, so its tokens could depend on the load of the machine. A step that comes
// near to that limit therefore fails. It is repeated, since the machine may only have
// been busy. All steps of a text together may take allowed, plus eachByte for each
// byte; ordinary texts take 1 to 4 µs per byte.
const (
	tooSlow  = 200 * time.Millisecond
	tries    = 3
	allowed  = time.Second
	eachByte = 60 * time.Microsecond
)

var errSlow = errors.New("it takes too long")

// read tokenises a text, and repeats a slow attempt.
func read(l chroma.Lexer, text string) (tokens []api.CodeToken, err error) {
	end := time.Now().Add(allowed + time.Duration(len(text))*eachByte)
	for range tries {
		if tokens, err = readOnce(l, text, end); !errors.Is(err, errSlow) || time.Now().After(end) {
			break
		}
	}
	return tokens, err
}

// readOnce tokenises a text before end. It converts a panic of the lexer to an error.
func readOnce(l chroma.Lexer, text string, end time.Time) (_ []api.CodeToken, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("it panics: %v", r)
		}
	}()
	doc := unify(text)
	r := reader{text: text, cuts: doc.cuts}
	begun := time.Now()
	it, err := l.Tokenise(&chroma.TokeniseOptions{State: "root"}, doc.text)
	if err != nil {
		return nil, err
	}
	for at := 0; ; {
		t := it()
		now := time.Now()
		switch {
		case now.Sub(begun) >= tooSlow || now.After(end):
			return nil, errSlow
		case t == chroma.EOF:
			return r.tokens, nil
		}
		begun = now
		v := t.Value[:min(len(t.Value), len(doc.text)-at)] // some lexers append a line end
		if doc.text[at:at+len(v)] != v {                   // some lexers lose their position, mostly in texts of another language
			rest := r.raw(at)
			return plain(r.tokens, text[rest:], rest), nil
		}
		r.take(t.Type, at, v)
		at += len(v)
	}
}

// unifiedText is a text with LF as its only line end, as lexers expect it.
type unifiedText struct {
	text string
	cuts []int // positions of removed carriage returns, ascending
}

// unify removes the carriage returns of line ends: if the library did, it would shift
// positions. Invalid UTF-8 becomes question marks, one per byte.
func unify(text string) (u unifiedText) {
	if utf8.ValidString(text) && !strings.Contains(text, "\r\n") {
		return unifiedText{text: text}
	}
	b := make([]byte, 0, len(text))
	for i, r := range text {
		_, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			b = append(b, '?')
		case r == '\r' && strings.HasPrefix(text[i+1:], "\n"):
			u.cuts = append(u.cuts, len(b))
		default:
			b = append(b, text[i:i+size]...)
		}
	}
	u.text = string(b)
	return u
}

// reader collects the tokens of a text.
type reader struct {
	text   string // as stored
	cuts   []int
	tokens []api.CodeToken
	quoted int // end of the last string in the unified text: an adjacent piece belongs to it
}

// raw converts a position in the unified text to a position in the stored text.
func (r *reader) raw(at int) int { return at + sort.SearchInts(r.cuts, at) }

// separators are dropped: a program means the same without them, and their placement is
// mostly a matter of taste.
const separators = "()[]{},;."

// take appends a token of the library.
func (r *reader) take(kind chroma.TokenType, at int, v string) {
	trimmed := strings.TrimSpace(v)
	isString, goesOn := kind.InSubCategory(chroma.LiteralString), at == r.quoted && at > 0
	if isString && (goesOn || trimmed != "") {
		r.quoted = at + len(v)
	}
	if trimmed == "" {
		return
	}
	at += strings.Index(v, trimmed)
	start, end := r.raw(at), r.raw(at+len(trimmed)-1)+1
	switch {
	case kind.InCategory(chroma.Comment) && !kind.InSubCategory(chroma.CommentPreproc), kind == chroma.LiteralStringDoc:
	case kind.InCategory(chroma.Keyword), kind.InCategory(chroma.Operator), kind == chroma.Punctuation:
		if strings.Trim(trimmed, separators) != "" {
			r.add(start, end, api.CodeWord)
		}
	case isString && goesOn:
		r.tokens[len(r.tokens)-1].End = end
	case isString:
		r.add(start, end, api.CodeString)
	case kind.InSubCategory(chroma.LiteralNumber):
		r.add(start, end, api.CodeNumber)
	case kind.InCategory(chroma.Name):
		r.add(start, end, nameKind(kind, r.text[:start], trimmed))
	default: // text, preprocessor, input that the lexer does not understand
		r.tokens = plain(r.tokens, r.text[start:end], start)
	}
}

// add appends a token, given by positions in the unified text.
func (r *reader) add(start, end int, kind api.CodeKind) {
	r.tokens = append(r.tokens, api.CodeToken{Start: start, End: end, Kind: kind})
}

// nameKind returns the effect of renaming a name, given the text before it.
func nameKind(kind chroma.TokenType, before, name string) api.CodeKind {
	before = strings.TrimRight(before, " \t\r\n")
	ends := func(s string) bool { return strings.HasSuffix(before, s) }
	switch {
	case name[0] >= '0' && name[0] <= '9': // the library treats numbers of Java and others as names
		return api.CodeNumber
	case kind == chroma.NameBuiltin, kind == chroma.NameBuiltinPseudo, kind == chroma.NameTag, kind == chroma.NameKeyword, kind == chroma.NameOperator, kind == chroma.NameEntity:
		return api.CodeWord
	case ends(".") && !ends(".."), ends("->"), ends("::"), kind == chroma.NameAttribute, kind == chroma.NameDecorator, kind == chroma.NameProperty:
		return api.CodeMember
	}
	return api.CodeName
}
